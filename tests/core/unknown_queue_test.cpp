// SPDX-License-Identifier: GPL-2.0-only
// ACKs while the queue further down is not known.
#include <gtest/gtest.h>

#include "core/describe.h"
#include "core/gateway/gateway.h"

namespace {

constexpr u32 kMss = 1448;
constexpr u16 kOffered = 8192;  // of 128 bytes: 1 MB

// An ACK of a segment, at a gateway that measures passively and knows no queue yet.
class UnknownQueue : public testing::Test {
 protected:
  UnknownQueue() {
    queue_.limit_bytes = 97'000;
    queue_.mss_bytes = kMss;
    queue_.now_ns = PST_NS_PER_S;
    pst_variant_config(&config_, PST_VARIANT_PENSTOCK, queue_.limit_bytes);
    config_.auto_rate = config_.passive = true;
    pst_port_init(&port_, &queue_);
    flow_.flow.scale = 7;
    flow_.flow.scale_known = true;
    flow_.flow.mss_bytes = kMss;
    flow_.flow.has_ack = true;
    flow_.flow.field_in = flow_.flow.field_out = kOffered;
  }

  u32 granted_bytes() {
    const pst_ack_header h{.ack = kMss, .field = kOffered, .syn = false, .pure = true};
    return static_cast<u32>(pst_port_back(&port_, &flow_, nullptr, nullptr, &queue_, &h).out.field)
           << 7;
  }

  pst_port port_{};
  pst_gateway_config& config_ = port_.config;
  pst_gateway_state& state_ = port_.state;
  pst_gateway_flow flow_{};
  pst_queue queue_{};
};

TEST_F(UnknownQueue, ReducesNoWindow) { EXPECT_EQ(granted_bytes(), kOffered << 7); }

// R26: it was known, and the senders' congestion windows are open.
TEST_F(UnknownQueue, ReleasesAReducedWindowByWhatIsAcknowledged) {
  flow_.flow.ramp_bytes = 80 << 7;
  flow_.flow.field_out = 80;
  const u32 granted = granted_bytes();
  EXPECT_LE(granted, (80U << 7) + kMss);
  EXPECT_GT(granted, (80U << 7) + kMss - 128);
}

// Its clock leaps while a segment is timed.
TEST_F(UnknownQueue, TakesNoTripForLongerThanItMayBe) {
  flow_.rtt.probing = true;
  flow_.rtt.probe_ns = 1;
  queue_.now_ns = 1ULL << 62;
  granted_bytes();
  EXPECT_EQ(flow_.hidden.least_ns, PST_MAX_NS);
}

}  // namespace
