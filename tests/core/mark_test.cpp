// SPDX-License-Identifier: GPL-2.0-only
// Whether a sender uses the window that it was granted last.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/describe.h"
#include "core/gateway/gateway.h"

namespace {

constexpr u64 kMs = 1'000'000;
constexpr u64 kTripNs = 40 * kMs;
constexpr u32 kMss = 1448;

// A connection over 20 Mbit/s whose sender has 100 kB of data in each round trip, or what its
// window allows.
class Mark : public testing::Test {
 protected:
  Mark() {
    queue_.limit_bytes = 97'000;
    queue_.rate_bytes_per_s = 2'500'000;
    queue_.mss_bytes = kMss;
    queue_.now_ns = 1000 * kMs;
    pst_variant_config(&config_, PST_VARIANT_PENSTOCK, queue_.limit_bytes);
    pst_port_init(&port_, &queue_);
    flow_.flow.scale = 7;
    flow_.flow.scale_known = true;
    flow_.flow.mss_bytes = kMss;
    flow_.rtt.near_ns = kTripNs;
    flow_.rtt.far_ns = kMs;
  }

  // A round trip: the receiver acknowledges all and offers 1 MB, and data follows.
  void turn() {
    const pst_ack_header h{.ack = sent_, .field = 8192, .syn = false, .pure = true};
    u32 window_bytes =
        static_cast<u32>(pst_port_back(&port_, &flow_, nullptr, nullptr, &queue_, &h).out.field)
        << 7;
    if (config_.observe) window_bytes = 1U << 20;
    queue_.now_ns += kTripNs + 2 * kMs;
    const u32 end = sent_ + std::min(window_bytes, 100'000U);
    while (sent_ != end) {
      const u32 bytes = std::min(kMss, end - sent_);
      pst_gateway_data(&port_, &flow_, nullptr, &queue_, sent_, bytes, bytes, 0, queue_.now_ns);
      sent_ += bytes;
    }
  }

  pst_port port_{};
  pst_gateway_config& config_ = port_.config;
  pst_gateway_state& state_ = port_.state;
  pst_gateway_flow flow_{};
  pst_queue queue_{};
  u32 sent_ = 1000;
};

TEST_F(Mark, ASenderWithLessDataThanItsWindowDoesNotFillIt) {
  config_.observe = true;
  for (int i = 0; i < 4; ++i) turn();
  EXPECT_FALSE(flow_.use.fills);
}

// The edge of the window that was offered before is 1 MB away.
TEST_F(Mark, ASenderFillsItsWindowThoughAnEarlierOneWasLarger) {
  config_.observe = true;
  for (int i = 0; i < 4; ++i) turn();
  config_.observe = false;
  state_.law.penstock.factor_q32 = PST_Q32_ONE / 4;
  for (int i = 0; i < 4; ++i) turn();
  EXPECT_TRUE(flow_.use.fills);
}

}  // namespace
