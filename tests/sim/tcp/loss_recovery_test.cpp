// SPDX-License-Identifier: GPL-2.0-only
// What a sender knows of losses, alone: pipe, which segment is sent again, begin and end of a
// recovery; the probe of the tail; and the blocks of an ACK.
#include "sim/tcp/loss_recovery.h"
#include "tests/sim/times.h"

#include <gtest/gtest.h>

namespace penstock::tcp {
namespace {

constexpr std::uint32_t kSegmentBytes = 1'000;

// Ten segments in flight, the first byte at offset 1.
struct TenSegments {
  explicit TenSegments(const SenderConfig& config, bool sack = true) : losses(config) {
    losses.agree(sack, kSegmentBytes);
    data.note_sent(1);
    data.acknowledge(1);
    losses.board().restart(1);
    rtt.sample(50 * kMs);
    for (std::uint64_t i = 0; i < 10; ++i) {
      losses.on_send(1 + i * kSegmentBytes, 1 + (i + 1) * kSegmentBytes, kSegmentBytes, i * kMs);
      data.note_sent(1 + (i + 1) * kSegmentBytes);
    }
  }

  // Reports the segments [from, to).
  std::uint64_t report(std::uint64_t from, std::uint64_t to, std::uint64_t now_ns = 60 * kMs) {
    SackBlocks blocks;
    blocks.at[blocks.count++] = {1 + from * kSegmentBytes, 1 + to * kSegmentBytes};
    losses.take_duplicate();
    return losses.take_blocks(blocks, rtt, now_ns);
  }

  SendBuffer data{20 * kSegmentBytes, SendBuffer::After::kClose};
  RttEstimator rtt;
  LossRecovery losses;
};

TEST(LossRecovery, WithSackFindsALossByThreeSegmentsAboveIt) {
  const SenderConfig config;
  TenSegments t(config);
  EXPECT_EQ(t.report(1, 3), 2U * kSegmentBytes);
  EXPECT_EQ(t.report(1, 3), 0U);  // nothing new
  t.losses.take_ack(1, 1);
  EXPECT_FALSE(t.losses.finds_loss(t.data, false));
  t.report(3, 4);
  EXPECT_TRUE(t.losses.finds_loss(t.data, false));
  EXPECT_EQ(t.losses.delivered_bytes(t.data), 1U + 3U * kSegmentBytes);
}

TEST(LossRecovery, WithoutSackCountsDuplicates) {
  const SenderConfig config;
  TenSegments t(config, false);
  for (int i = 0; i < 2; ++i) t.losses.take_duplicate();
  EXPECT_FALSE(t.losses.finds_loss(t.data, false));
  EXPECT_EQ(t.losses.pipe_bytes(t.data, 0), 8U * kSegmentBytes);  // limited transmit
  t.losses.take_duplicate();
  EXPECT_TRUE(t.losses.finds_loss(t.data, false));
  EXPECT_EQ(t.losses.delivered_bytes(t.data), 1U + 3U * kSegmentBytes);
}

TEST(LossRecovery, RemembersTheLastRecoveryUnlessItIsThatOfRfc2581) {
  const SenderConfig config;
  TenSegments t(config, false);
  t.losses.begin(t.data);
  EXPECT_FALSE(t.losses.ends(5'001));
  EXPECT_TRUE(t.losses.ends(10'001));
  t.losses.end();
  for (int i = 0; i < 3; ++i) t.losses.take_duplicate();
  EXPECT_FALSE(t.losses.finds_loss(t.data, false));  // of the same window
  EXPECT_TRUE(t.losses.finds_loss(t.data, true));
}

TEST(LossRecovery, SendsTheFirstHoleAgainAndCountsIt) {
  const SenderConfig config;
  TenSegments t(config);
  t.report(1, 4);
  t.losses.begin(t.data);
  EXPECT_EQ(t.losses.state(), LossRecovery::State::kFast);
  EXPECT_EQ(t.losses.pipe_bytes(t.data, 0), 6U * kSegmentBytes);  // one lost, three arrived
  const Interval first = t.losses.first_lost(t.data);
  EXPECT_EQ(first.start, 1U);
  EXPECT_EQ(first.end, 1'001U);
  t.losses.board().retransmitted(first.start, first.end);
  EXPECT_EQ(t.losses.pipe_bytes(t.data, 0), 7U * kSegmentBytes);
  EXPECT_TRUE(t.losses.take_partial());
  EXPECT_FALSE(t.losses.take_partial());
}

TEST(LossRecovery, RescuesTheLastSegmentOnce) {
  const SenderConfig config;
  TenSegments t(config);
  t.report(1, 4);
  t.losses.begin(t.data);
  t.losses.board().retransmitted(1, 1'001);
  t.losses.allow_rescue();
  EXPECT_EQ(t.losses.rescue(t.data, UINT64_MAX).end, 0U);  // not before the retransmission arrived
  t.losses.take_ack(1, 4'001);
  t.data.acknowledge(4'001);
  const Interval last = t.losses.rescue(t.data, UINT64_MAX);
  EXPECT_EQ(last.start, 9'001U);
  EXPECT_EQ(last.end, 10'001U);
  t.losses.on_rescue();
  EXPECT_EQ(t.losses.rescue(t.data, UINT64_MAX).end, 0U);
}

TEST(LossRecovery, AfterATimeoutAllThatWasNotReportedIsLost) {
  const SenderConfig config;
  TenSegments t(config);
  t.report(8, 9);
  t.losses.on_timeout(t.data, t.rtt, 300 * kMs);
  EXPECT_EQ(t.losses.state(), LossRecovery::State::kTimeout);
  EXPECT_EQ(t.losses.lost_edge(), 10'001U);
  EXPECT_EQ(t.losses.pipe_bytes(t.data, 0), 0U);
  EXPECT_EQ(t.losses.duplicate_acks(), 0U);
  t.losses.end();
  EXPECT_FALSE(t.losses.active());
}

TEST(LossRecovery, ByTimeFindsWhatWasOvertaken) {
  SenderConfig config;
  config.rack = true;
  TenSegments t(config);
  ASSERT_NE(t.losses.rack(), nullptr);
  t.report(5, 6, 60 * kMs);
  EXPECT_FALSE(t.losses.finds_loss(t.data, false));  // duplicates do not count
  EXPECT_FALSE(t.losses.finds_loss_by_time(t.rtt, 60 * kMs));
  EXPECT_LT(t.losses.rack()->reorder_at_ns, 100 * kMs);
  EXPECT_TRUE(t.losses.finds_loss_by_time(t.rtt, 100 * kMs));
  EXPECT_EQ(t.losses.first_lost(t.data).start, 1U);
  EXPECT_EQ(t.losses.pipe_bytes(t.data, 0), 4U * kSegmentBytes);
}

TEST(LossRecovery, InProportionSendsLessThanArrives) {
  SenderConfig config;
  config.prr = true;
  TenSegments t(config);
  t.report(1, 4);
  t.losses.begin(t.data);
  const std::uint64_t pipe = t.losses.pipe_bytes(t.data, 0);
  const std::uint64_t window = t.losses.window_in_proportion(3'000, pipe, 5'000, 1);
  EXPECT_EQ(window, pipe + 1'500);  // ssthresh is half of the flight
}

TEST(TailLossProbe, LeavesTwoRoundTripsAfterTheLastAck) {
  TailLossProbe probe;
  probe.schedule(50 * kMs, false, 900 * kMs, 0);
  EXPECT_EQ(probe.at_ns(), kNever);  // nobody asked
  probe.ask();
  probe.schedule(50 * kMs, false, 900 * kMs, 10 * kMs);
  EXPECT_GE(probe.at_ns(), 110 * kMs);
  EXPECT_LT(probe.at_ns(), 120 * kMs);
  probe.ask();
  probe.schedule(50 * kMs, false, 90 * kMs, 10 * kMs);  // not after the RTO
  EXPECT_EQ(probe.at_ns(), 90 * kMs);
}

TEST(TailLossProbe, ThatWasDataAgainTellsOfALossWithoutADuplicate) {
  TailLossProbe probe;
  probe.on_send(5'001, true);
  EXPECT_TRUE(probe.outstanding());
  EXPECT_FALSE(probe.on_ack(4'001, 0, false));
  EXPECT_TRUE(probe.on_ack(5'002, 0, false));
  EXPECT_FALSE(probe.outstanding());
  probe.on_send(5'001, true);
  probe.forget();
  EXPECT_FALSE(probe.outstanding());
}

TEST(SackBlocks, LieBetweenWhatIsAcknowledgedAndWhatWasSent) {
  const SegmentHeaders headers(1'000);
  Segment ack{};
  ack.options = 3;
  ack.sack[0] = {1'000 + 50, 1'000 + 150};  // begins below the acknowledgment
  ack.sack[1] = {1'000 + 20, 1'000 + 80};  // ends there
  ack.sack[2] = {1'000 + 900, 1'000 + 1'100};
  const SackBlocks blocks = headers.blocks(ack, 100, 1'000, 100);
  ASSERT_EQ(blocks.count, 1U);
  EXPECT_EQ(blocks.at[0].start, 100U);
  EXPECT_EQ(blocks.at[0].end, 150U);
}

TEST(SackBlocks, FirstOfThemMayReportADuplicate) {
  const SegmentHeaders headers(1'000);
  Segment ack{};
  ack.options = 2;
  ack.sack[0] = {1'000 + 200, 1'000 + 300};
  ack.sack[1] = {1'000 + 200, 1'000 + 500};
  EXPECT_EQ(headers.duplicate_end(ack, 100), 300U);  // within the second
  EXPECT_EQ(headers.duplicate_end(ack, 400), 300U);  // acknowledged already
  ack.sack[1] = {1'000 + 400, 1'000 + 500};
  EXPECT_EQ(headers.duplicate_end(ack, 100), 0U);
  ack.options = 0;
  EXPECT_EQ(headers.duplicate_end(ack, 100), 0U);
}

}  // namespace
}  // namespace penstock::tcp
