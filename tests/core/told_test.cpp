// SPDX-License-Identifier: GPL-2.0-only
// The window in a header of the data: what a law sees of it, and what it is lowered to.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/describe.h"
#include "core/gateway/gateway.h"
#include "core/sender/feedback.h"

namespace {

constexpr u32 kMss = 1448;
constexpr u32 kLimit = 97'000;

class Told : public testing::Test {
 protected:
  explicit Told(u32 variant = PST_VARIANT_EWT, u32 mode = PST_LITERAL) {
    queue_.limit_bytes = kLimit;
    queue_.rate_bytes_per_s = 1'250'000;
    queue_.mss_bytes = kMss;
    queue_.flows = 1;
    queue_.now_ns = 1'000'000'000;
    pst_variant_config(&port_.config, variant, kLimit);
    port_.config.mode = mode;
    pst_port_init(&port_, &queue_);
    flow_.flow.mss_bytes = kMss;
  }

  // The window after a segment up to `end`, the last of `flight` bytes, whose header allows
  // `offered`, left a queue of `queued`.
  u32 tell(u32 queued, u32 offered, u32 flight = 10 * kMss, u32 end = 20 * kMss) {
    queue_.bytes = queued;
    pst_feedback header{.cwnd_bytes = flight, .rtt_us = 40'000, .delta_bytes = 0, .label = offered};
    pst_port_told(&port_, &flow_, nullptr, &queue_, &header, end, false);
    EXPECT_EQ(header.cwnd_bytes, flight);
    EXPECT_EQ(header.rtt_us, 40'000U);
    return header.label;
  }

  pst_port port_{};
  pst_queue queue_{};
  pst_gateway_flow flow_{};
};

// W (B - U) / B above the threshold of 0.3 B, and a segment at least: ewt-2019 section 4.
double ewt(double window, double queued) {
  if (queued <= 0.3 * kLimit) return window;
  return std::max(window * (kLimit - queued) / kLimit, double{kMss});
}

TEST_F(Told, IsTheWindowOfTheLaw) {
  for (const u32 window : {65'535U, 400'000U, 16'000'000U})
    for (u32 queued = 0; queued <= kLimit; queued += 997)
      EXPECT_NEAR(tell(queued, window), ewt(window, queued), 1) << queued;
}

TEST_F(Told, NeverGrows) {
  const u32 first = tell(60'000, 65'535);
  EXPECT_LT(first, 65'535U);
  EXPECT_EQ(tell(0, first), first);
  EXPECT_EQ(tell(0, PST_WINDOW_UNLIMITED), PST_WINDOW_UNLIMITED);
}

TEST_F(Told, TheRoundTripIsTheSenders) {
  tell(0, 65'535);
  EXPECT_EQ(pst_rtt_get(&flow_.rtt), 40'000'000U);
}

TEST_F(Told, LeavesItAloneWhereTheGatewayObserves) {
  port_.config.observe = true;
  EXPECT_EQ(tell(90'000, 65'535), 65'535U);
}

class ToldSafely : public Told {
 protected:
  ToldSafely() : Told(PST_VARIANT_EWT, PST_SAFE) {}
};

TEST_F(ToldSafely, GrowsByWhatIsAcknowledged) {
  const u32 low = tell(90'000, 65'535, 10 * kMss, 20 * kMss);
  EXPECT_NEAR(low, ewt(65'535, 90'000), 1);
  EXPECT_EQ(tell(0, 65'535, 10 * kMss, 20 * kMss), low);               // nothing new
  EXPECT_EQ(tell(0, 65'535, 10 * kMss, 23 * kMss), low + 3 * kMss);    // three more segments
  EXPECT_EQ(tell(0, 65'535, 14 * kMss, 24 * kMss), low + 3 * kMss);    // sent again: none
  EXPECT_EQ(tell(0, 65'535, 10 * kMss, 100 * kMss), 65'535U);
  EXPECT_EQ(tell(0, 65'535, 10 * kMss, 101 * kMss), 65'535U);
}

TEST(WindowHeader, ReceiversObeyIt) {
  const auto granted = [](u32 label) {
    const pst_feedback header{.cwnd_bytes = 0, .rtt_us = 0, .delta_bytes = 0, .label = label};
    return pst_feedback_granted_bytes(PST_FEEDBACK_WINDOW, &header, kMss);
  };
  EXPECT_EQ(granted(30'000), 30'000U);
  EXPECT_EQ(granted(1), kMss);
  EXPECT_EQ(granted(PST_WINDOW_UNLIMITED), PST_MAX_BYTES);
  EXPECT_EQ(pst_feedback_window(u64{1} << 30), PST_WINDOW_UNLIMITED);
  EXPECT_EQ(pst_feedback_window(65'535), 65'535U);
}

}  // namespace
