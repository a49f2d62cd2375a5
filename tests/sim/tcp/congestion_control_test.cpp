// SPDX-License-Identifier: GPL-2.0-only
// The host of a sender's method alone: the window by events, and the header for routers.
#include "sim/tcp/congestion_control.h"

#include <gtest/gtest.h>

#include "tests/sim/tcp/mini_link.h"

namespace penstock::tcp {
namespace {

constexpr std::uint32_t kMssBytes = 1'000;

pst_sender_view acked(std::uint64_t bytes) {
  pst_sender_view v{};
  v.acked_bytes = bytes;
  v.flight_bytes = 20'000;
  v.mss_bytes = kMssBytes;
  v.cwnd_limited = true;
  return v;
}

TEST(CongestionControl, BeginsWithTheInitialWindow) {
  const SenderConfig config = sender_of(PST_SENDER_NEWRENO);
  CongestionControl control(config);
  control.open(kMssBytes, false);
  EXPECT_EQ(control.bytes(), 10U * kMssBytes);
  EXPECT_TRUE(control.slow_start());
  control.open(kMssBytes, true);  // the SYN was lost
  EXPECT_EQ(control.bytes(), kMssBytes);
}

TEST(CongestionControl, GrowsByWhatTheOptionCounts) {
  SenderConfig config = sender_of(PST_SENDER_NEWRENO);
  for (const std::uint32_t growth : {PST_GROWTH_BYTES, PST_GROWTH_ACKS, PST_GROWTH_DELIVERED}) {
    config.growth = growth;
    CongestionControl control(config);
    control.open(kMssBytes, false);
    control.use().tell_early(500);
    pst_sender_view v = acked(2'000);
    const std::uint64_t counts = growth == PST_GROWTH_BYTES  ? 2'000U
                                 : growth == PST_GROWTH_ACKS ? kMssBytes
                                                             : 1'500U;
    EXPECT_EQ(control.grow(v), counts);
    EXPECT_EQ(control.bytes(), 10U * kMssBytes + counts);
  }
}

TEST(CongestionControl, NotesWhatDuplicatesTellOnlyForTheOptionThatCountsIt) {
  CongestionControl control(sender_of(PST_SENDER_NEWRENO));
  control.use().tell_early(UINT32_MAX);
  control.use().tell_early(1'000);
  EXPECT_EQ(control.use().take_early(2'000), 2'000U);
}

// RFC 9406 section 4.2: a quarter of min(N, L SMSS), also of an ACK of more than L segments.
TEST(CongestionControl, DividesTheGrowthOfConservativeSlowStartAfterItsLimit) {
  SenderConfig config = sender_of(PST_SENDER_NEWRENO);
  config.hystart = true;
  CongestionControl control(config);
  control.open(kMssBytes, false);
  pst_sender_view v = acked(kMssBytes);
  for (int ack = 1; ack <= 24; ++ack) {  // rounds of 8, of 50, 50 and 100 ms
    v.una += kMssBytes;
    v.sent = v.una + 8 * kMssBytes;
    v.rtt_ns = ack <= 16 ? 50 * kMs : 100 * kMs;
    control.grow(v);
  }
  const std::uint64_t before = control.bytes();
  v.acked_bytes = 8 * kMssBytes;
  control.grow(v);
  EXPECT_EQ(control.bytes() - before, 2 * kMssBytes / 4);
}

TEST(CongestionControl, TakesSsthreshFromTheMethodAndLeavesTheWindowToRecovery) {
  const SenderConfig config = sender_of(PST_SENDER_NEWRENO);
  CongestionControl control(config);
  control.open(kMssBytes, false);
  control.set(20'000);
  control.reduce(PST_LOSS, acked(0));
  EXPECT_EQ(control.ssthresh_bytes(), 10'000U);
  EXPECT_EQ(control.bytes(), 20'000U);
  control.limit(control.ssthresh_bytes(), kMssBytes);
  EXPECT_EQ(control.bytes(), 10'000U);
  control.limit(1, kMssBytes);
  EXPECT_EQ(control.bytes(), kMssBytes);
}

TEST(CongestionControl, DeflatesByAPartialAcknowledgment) {
  const SenderConfig config = sender_of(PST_SENDER_NEWRENO);
  CongestionControl control(config);
  control.set(8'000);
  control.deflate(3'000, kMssBytes);  // and the segment that it lets out
  EXPECT_EQ(control.bytes(), 6'000U);
  control.deflate(100, kMssBytes);
  EXPECT_EQ(control.bytes(), 5'900U);
  control.deflate(50'000, kMssBytes);
  EXPECT_EQ(control.bytes(), kMssBytes);
}

TEST(CongestionControl, PacesFasterInSlowStart) {
  SenderConfig config = sender_of(PST_SENDER_NEWRENO);
  EXPECT_EQ(CongestionControl(config).pacing_gain_percent(), 100U);
  config.pacing = true;
  CongestionControl control(config);
  control.open(kMssBytes, false);
  EXPECT_EQ(control.pacing_gain_percent(), config.pacing_gain_percent_slow_start);
  control.set(20'000);
  control.reduce(PST_LOSS, acked(0));
  EXPECT_EQ(control.pacing_gain_percent(), config.pacing_gain_percent);
}

// nis-2004 section 13.3: as FS-TCBI, two segments in a burst, of one window in a round trip.
TEST(CongestionControl, PacesEtcpInBurstsOfTwo) {
  for (const std::uint32_t method :
       {PST_SENDER_ETCP_1, PST_SENDER_ETCP_2, PST_SENDER_ETCP_3, PST_SENDER_ETCP_3B}) {
    const SenderConfig config = sender_of(method);
    const CongestionControl control(config);
    EXPECT_EQ(control.burst_segments(), 2U);
    EXPECT_EQ(control.pacing_gain_percent(), 100U);
  }
  const SenderConfig newreno = sender_of(PST_SENDER_NEWRENO);
  EXPECT_EQ(CongestionControl(newreno).burst_segments(), 0U);
}

// Losses that SACK does not report end its startup before it has a sample of the bandwidth.
TEST(CongestionControl, SendsAtTheFirstRateUntilBbr3KnowsABandwidth) {
  const SenderConfig config = sender_of(PST_SENDER_BBR3);
  CongestionControl control(config);
  control.open(kMssBytes, false);
  pst_sender_view v = acked(0);
  v.srtt_ns = v.min_rtt_ns = 50'000'000;
  control.begin(v);
  const std::uint64_t first = control.pacing(v).bytes_per_s;
  pst_delivery d{};
  d.recovery = PST_RECOVERY_FAST;
  d.lost_bytes = d.total_lost_bytes = kMssBytes;
  v.delivery = &d;
  control.reduce(PST_LOSS, v);
  for (int i = 0; i < 3; ++i) control.steer(v, {});
  EXPECT_GT(first, 0U);
  EXPECT_EQ(control.pacing(v).bytes_per_s, first);
}

TEST(CongestionControl, StampsSegmentsOfAMethodThatAsksRouters) {
  const SenderConfig config = sender_of(PST_SENDER_XCP_SENDER);
  CongestionControl control(config);
  ASSERT_TRUE(control.feedback().used());
  Segment s{};
  control.stamp_syn(s, false, acked(0));
  EXPECT_EQ(s.options, kExtension);
  Segment data{};
  pst_sender_view v = acked(0);
  v.srtt_ns = 50'000'000;
  control.stamp(data, v);
  EXPECT_EQ(data.extension.rtt_us, 50'000U);
}

TEST(CongestionControl, LeavesAHeaderOutOfASynThatIsRepeated) {
  const SenderConfig config = sender_of(PST_SENDER_QUICK_START_SENDER);
  CongestionControl control(config);
  Segment first{}, second{};
  control.stamp_syn(first, false, acked(0));
  control.stamp_syn(second, true, acked(0));
  EXPECT_EQ(first.options, kExtension);
  EXPECT_EQ(second.options, 0);
  EXPECT_FALSE(control.feedback().used());
}

TEST(RouterFeedback, EndsWithTheFirstAckThatReturnsNone) {
  const SenderConfig config = sender_of(PST_SENDER_XCP_SENDER);
  RouterFeedback feedback(config);
  Segment ack{};
  ack.options = kExtension;
  ack.extension.delta_bytes = -300;
  ack.extension.label = 7;
  feedback.agree(ack);
  feedback.take(ack);
  EXPECT_EQ(feedback.bytes(), -300);
  EXPECT_EQ(feedback.label(), 7U);
  feedback.forget_bytes();
  EXPECT_EQ(feedback.bytes(), 0);
  feedback.take(Segment{});
  EXPECT_FALSE(feedback.used());
  EXPECT_EQ(feedback.label(), 0U);
  EXPECT_FALSE(RouterFeedback(sender_of(PST_SENDER_NEWRENO)).used());
}

}  // namespace
}  // namespace penstock::tcp
