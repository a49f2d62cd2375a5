// SPDX-License-Identifier: GPL-2.0-only
// The receiver: handshake, when it acknowledges, SACK, echoes, ECN.
#include "receiver_steps.h"

namespace penstock::tcp {
namespace {

TEST(Handshake, AnswersOnlyOptionsThatWereOffered) {
  ReceiverBench all(test_receiver());
  all(Syn{})(ExpectSynAck{}.options(kMss | kSackPermitted | kWindowScale).mss(1000));
  ReceiverConfig c = test_receiver();
  c.timestamps = true;
  ReceiverBench with_timestamps(c);
  with_timestamps(Syn{})(
      ExpectSynAck{}.options(kMss | kSackPermitted | kWindowScale | kTimestamps).mss(1012));
  ReceiverBench none(c);
  none(Syn{}.options(kMss))(ExpectSynAck{}.options(kMss).mss(1000));
}

TEST(Handshake, LostSynAckIsSentAgainWithBackOffAndForEachSyn) {
  ReceiverBench t(test_receiver());
  t(Syn{})(ExpectSynAck{})(Elapse{999})(Silence{})(Elapse{1})(ExpectSynAck{});
  t(Elapse{1999})(Silence{})(Elapse{1})(ExpectSynAck{})(Syn{})(ExpectSynAck{});
  t(Data{0, 0})(Elapse{10000})(Silence{});
}

TEST(Handshake, DataCompletesItWhenTheAckIsLost) {
  ReceiverBench t(test_receiver());
  t(Syn{})(ExpectSynAck{})(Data{0, 1000})(Elapse{40})(ExpectAck{1000})(Elapse{10000})(Silence{});
}

TEST(DelayedAck, EverySecondFullSegment) {
  ReceiverBench t(test_receiver());
  accept(t);
  t(Data{0, 1000})(Silence{})(Data{1000, 1000})(ExpectAck{2000});
  t(Data{2000, 1000})(Silence{})(Data{3000, 1000})(ExpectAck{4000});
}

// RFC 8257 section 3.2, figure 1.
TEST(ExactEcn, AChangeOfTheMarkEndsADelayedAck) {
  ReceiverConfig c = test_receiver();
  c.ecn = c.exact_ecn = true;
  ReceiverBench t(c);
  t(Syn{}.ecn())(ExpectSynAck{}.ece(true))(Data{0, 0});
  t(Data{0, 1000})(Silence{})(Data{1000, 1000}.ce())(ExpectAck{1000}.ece(false))(Silence{});
  t(Data{2000, 1000}.ce())(ExpectAck{3000}.ece(true));
  t(Data{3000, 1000}.cwr())(Silence{})(Data{4000, 1000})(ExpectAck{5000}.ece(false));
  // Nothing waits, so that the change needs no ACK of its own.
  t(Data{5000, 1000}.ce())(Silence{})(Elapse{40})(ExpectAck{6000}.ece(true));
  EXPECT_EQ(t.endpoint.counters().ce_received, 3U);
}

TEST(DelayedAck, TimerBoundsTheWait) {
  ReceiverBench t(test_receiver());
  accept(t);
  t(Data{0, 1000})(Elapse{39.9})(Silence{})(Elapse{0.1})(ExpectAck{1000})(Elapse{1000})(Silence{});
}

TEST(DelayedAck, SmallSegmentsCountByTheirBytes) {
  ReceiverBench t(test_receiver());
  accept(t);
  t(Data{0, 1000})(Data{1000, 1000})(ExpectAck{2000});
  t(Data{2000, 400})(Data{2400, 400})(Silence{})(Data{2800, 400})(ExpectAck{3200});
}

TEST(DelayedAck, CountIsAParameter) {
  ReceiverConfig c = test_receiver();
  c.delayed_ack_segments = 1;
  ReceiverBench one(c);
  accept(one);
  one(Data{0, 1000})(ExpectAck{1000})(Data{1000, 10})(ExpectAck{1010});
  c.delayed_ack_segments = 4;
  ReceiverBench four(c);
  accept(four);
  four(Data{0, 1000})(Data{1000, 1000})(Data{2000, 1000})(Silence{});
  four(Data{3000, 1000})(ExpectAck{4000});
}

TEST(DelayedAck, AtOnceOutOfOrderAndWhenAHoleIsFilled) {
  ReceiverBench t(test_receiver());
  accept(t);
  t(Data{2000, 1000})(ExpectAck{0}.sack(2000, 3000));
  t(Data{4000, 1000})(ExpectAck{0}.sack(4000, 5000).sack(2000, 3000));
  t(Data{0, 1000})(ExpectAck{1000}.sack(4000, 5000).sack(2000, 3000));
  t(Data{1000, 1000})(ExpectAck{3000}.sack(4000, 5000))(Data{3000, 1000})(ExpectAck{5000});
  t(Data{5000, 1000})(Silence{})(Elapse{40})(ExpectAck{6000});
}

TEST(DelayedAck, AtOnceForADuplicate) {
  ReceiverBench t(test_receiver());
  accept(t);
  t(Data{0, 1000})(Data{1000, 1000})(ExpectAck{2000})(Data{0, 1000})(ExpectAck{2000});
  EXPECT_EQ(t.endpoint.counters().duplicate_bytes, 1000U);
}

TEST(DelayedAck, AnImmediateOneStopsTheTimer) {
  ReceiverBench t(test_receiver());
  accept(t);
  t(Data{0, 1000})(Data{3000, 1000})(ExpectAck{1000}.sack(3000, 4000))(Elapse{1000})(Silence{});
}

TEST(Sack, NewestFirstAndAtMostThree) {
  ReceiverBench t(test_receiver());
  accept(t);
  t(Data{2000, 1000})(Data{4000, 1000})(Data{6000, 1000})(Ignore{});
  t(Data{8000, 1000})(ExpectAck{0}.sack(8000, 9000).sack(6000, 7000).sack(4000, 5000));
  t(Data{2500, 1000})(ExpectAck{0}.sack(2000, 3500).sack(8000, 9000).sack(6000, 7000));
  // Two ranges become one; the block of the oldest comes back.
  t(Data{7000, 1000})(ExpectAck{0}.sack(6000, 9000).sack(2000, 3500).sack(4000, 5000));
}

TEST(Sack, NotWithoutPermission) {
  ReceiverBench t(test_receiver());
  accept(t, Syn{}.options(kMss));
  t(Data{2000, 1000})(ExpectAck{0})(Data{0, 1000})(ExpectAck{1000})(Data{1000, 1000});
  t(ExpectAck{3000});
}

TEST(Sack, OverlapsAreCountedAsDuplicates) {
  ReceiverBench t(test_receiver());
  accept(t);
  t(Data{2000, 1000})(Data{2500, 1000})(Data{0, 3000})(Ignore{});
  const ReceiverCounters& c = t.endpoint.counters();
  EXPECT_EQ(c.delivered_bytes, 3500U);
  EXPECT_EQ(c.duplicate_bytes, 1500U);
  EXPECT_EQ(c.segments_received, 3U);
}

TEST(TimestampEcho, TheOldestUnacknowledgedSegmentIsEchoed) {
  ReceiverConfig c = test_receiver();
  c.timestamps = true;
  ReceiverBench t(c);
  accept(t);
  constexpr std::uint32_t kNow = 2'000'000;
  t(Data{0, 1000}.ts(kNow + 1))(Data{1000, 1000}.ts(kNow + 2))(ExpectAck{2000}.echoes(kNow + 1));
  // A hole: the echo stays with the last segment in order (RFC 7323 section 4.3).
  t(Data{2000, 1000}.ts(kNow + 3))(Data{4000, 1000}.ts(kNow + 5));
  t(ExpectAck{3000}.sack(4000, 5000).echoes(kNow + 3));
  t(Data{5000, 1000}.ts(kNow + 6))(ExpectAck{3000}.sack(4000, 6000).echoes(kNow + 3));
  // Filling it: the segment that did is echoed.
  t(Data{3000, 1000}.ts(kNow + 9))(ExpectAck{6000}.echoes(kNow + 9));
  // An older one does not bring the clock back.
  t(Data{3000, 1000}.ts(kNow + 4))(ExpectAck{6000}.echoes(kNow + 9));
}

TEST(TimestampEcho, IsNewAfterASilenceInWhichTheirOrderTurns) {
  ReceiverConfig c = test_receiver();
  c.timestamps = true;
  ReceiverBench t(c);
  accept(t);
  t(Elapse{40 * 60 * 1e3})(Data{0, 1000})(Data{1000, 1000});
  t(ExpectAck{2000}.echoes(timestamp_us(t.now_ns)));
}

TEST(EcnEcho, StaysUntilCwr) {
  ReceiverConfig c = test_receiver();
  c.ecn = true;
  ReceiverBench t(c);
  t(Syn{}.ecn())(ExpectSynAck{}.ece(true))(Data{0, 0});
  t(Data{0, 1000})(Data{1000, 1000}.ce())(ExpectAck{2000}.ece(true));
  t(Data{2000, 1000})(Data{3000, 1000})(ExpectAck{4000}.ece(true));
  t(Data{4000, 1000}.cwr())(Data{5000, 1000})(ExpectAck{6000}.ece(false));
  t(Data{6000, 1000}.cwr().ce())(Data{7000, 1000})(ExpectAck{8000}.ece(true));
  EXPECT_EQ(t.endpoint.counters().ce_received, 2U);
}

TEST(EcnEcho, NotUnlessAgreed) {
  ReceiverConfig c = test_receiver();
  c.ecn = true;
  ReceiverBench t(c);
  t(Syn{})(ExpectSynAck{}.ece(false))(Data{0, 0});
  t(Data{0, 1000}.ce())(Data{1000, 1000})(ExpectAck{2000}.ece(false));
}

TEST(FinArrival, IsAcknowledgedAtOnceAndWaitsForTheData) {
  ReceiverBench t(test_receiver());
  accept(t);
  t(Data{1000, 500}.fin())(ExpectAck{0}.sack(1000, 1501));
  EXPECT_FALSE(t.endpoint.finished());
  t(Data{0, 1000})(ExpectAck{1501});
  EXPECT_TRUE(t.endpoint.finished());
  EXPECT_EQ(t.endpoint.counters().delivered_bytes, 1500U);
  t(Data{1000, 500}.fin())(ExpectAck{1501});
}

TEST(FinArrival, AloneAndEarly) {
  ReceiverBench t(test_receiver());
  accept(t);
  t(Data{1000, 0}.fin())(ExpectAck{0})(Data{0, 1000})(ExpectAck{1001})(Silence{});
  EXPECT_TRUE(t.endpoint.finished());
}

}  // namespace
}  // namespace penstock::tcp
