// SPDX-License-Identifier: GPL-2.0-only
// Retransmission timer and round-trip times: RFC 6298, Karn, RFC 7323 section 4.
#include "sender_steps.h"

namespace penstock::tcp {
namespace {

TEST(Timeout, DoublesFromAttemptToAttempt) {
  SenderBench t(test_sender());
  connect(t);  // SRTT 100 ms: RTO 300 ms
  t(ExpectBurst{0, 10})(rto_ms_is(300));
  t(Wait{299})(Nothing{})(Wait{1})(ExpectSegment{0, 1000})(rto_ms_is(600));
  t(Wait{599})(Nothing{})(Wait{1})(ExpectSegment{0, 1000})(rto_ms_is(1200));
  t(Wait{1199})(Nothing{})(Wait{1})(ExpectSegment{0, 1000})(rto_ms_is(2400));
}

TEST(Timeout, StopsDoublingAtTheMaximum) {
  SenderConfig c = test_sender();
  c.max_rto_ns = 1'000'000'000;
  SenderBench t(c);
  connect(t);
  t(ExpectBurst{0, 10})(Wait{300})(ExpectSegment{0, 1000})(Wait{600})(ExpectSegment{0, 1000});
  t(rto_ms_is(1000))(Wait{1000})(ExpectSegment{0, 1000})(rto_ms_is(1000));
}

TEST(Timeout, SetsWindowToOneAndHoldsSsthreshForTheSameSegment) {
  SenderBench t(test_sender());
  connect(t);
  t(ExpectBurst{0, 10})(Wait{300})(ExpectSegment{0, 1000});
  t(cwnd_is(1000))(ssthresh_is(5000))(pipe_is(1000));
  t(Wait{600})(ExpectSegment{0, 1000})(ssthresh_is(5000));
}

TEST(Timeout, GoesBackInSlowStart) {
  SenderBench t(test_sender());
  connect(t);
  t(ExpectBurst{0, 10})(Wait{300})(ExpectSegment{0, 1000});
  t(Wait{100})(Ack{1000})(cwnd_is(2000))(ExpectBurst{1000, 2})(Nothing{});
  t(Wait{100})(Ack{3000})(cwnd_is(3000))(ExpectBurst{3000, 3})(Nothing{});
  // The peer held the rest: the ACK ends it all.
  t(Wait{100})(Ack{10000})(cwnd_is(4000))(ExpectBurst{10000, 4})(Nothing{});
}

TEST(Timeout, DuplicatesAfterItDoNotStartFastRetransmit) {
  SenderConfig c = test_sender();
  c.sack = false;
  SenderBench t(c);
  connect(t);
  t(ExpectBurst{0, 10})(Wait{300})(ExpectSegment{0, 1000});
  t(Ack{0})(Ack{0})(Ack{0})(Ack{0})(Nothing{})(cwnd_is(1000));
}

TEST(Timeout, RestartsWithEachAckOfNewDataAndStopsWithTheLast) {
  SenderBench t(test_sender(), 2000);
  connect(t);
  t(ExpectSegment{0, 1000})(ExpectSegment{1000, 1000}.fin());
  t(Wait{100})(Ack{1000})(Wait{299})(Nothing{})(Ack{2001})(Wait{5000})(Nothing{});
  EXPECT_TRUE(t.endpoint.done());
}

TEST(Timeout, KarnLeavesOutRetransmissionsAndKeepsTheBackOff) {
  SenderBench t(test_sender());
  connect(t);
  t(ExpectBurst{0, 10})(Wait{300})(ExpectSegment{0, 1000})(rto_ms_is(600));
  t(Wait{500})(Ack{10000})(Skip{})(srtt_ms_is(100))(rto_ms_is(600));
  // New data, measured once: 100 ms again.
  t(Wait{100})(Ack{12000})(Skip{})(rto_ms_is(300));
}

TEST(Timeout, TimestampsMeasureRetransmissionsToo) {
  SenderConfig c = test_sender();
  c.timestamps = true;
  SenderBench t(c);
  connect(t, SynAck{}.timestamps().mss(1012));
  t(ExpectBurst{0, 10})(Wait{300})(ExpectSegment{0, 1000})(rto_ms_is(600));
  t(Wait{100})(Ack{10000})(Skip{})(srtt_ms_is(100))(rto_ms_is(300));
}

TEST(Timeout, AnAckWithoutATimestampGivesNoSample) {
  SenderConfig c = test_sender();
  c.timestamps = true;
  SenderBench t(c);
  connect(t, SynAck{}.timestamps().mss(1012));
  t(ExpectBurst{0, 10})(Wait{150})(Ack{5000}.without_options())(Skip{})(srtt_ms_is(100));
}

TEST(Timeout, SmoothsAsRfc6298Says) {
  RttEstimator e;
  SenderConfig c;
  c.min_rto_ns = 1;
  c.rto_granularity_ns = 1;
  EXPECT_EQ(e.rto_ns(c, c.initial_rto_ns, 0), 1000 * kMs);
  e.sample(100 * kMs);  // SRTT 100, RTTVAR 50
  EXPECT_EQ(e.rto_ns(c, c.initial_rto_ns, 0), 300 * kMs);
  e.sample(180 * kMs);  // RTTVAR 3/4 50 + 1/4 80 = 57.5, SRTT 7/8 100 + 1/8 180 = 110
  EXPECT_EQ(e.srtt_ns(), 110 * kMs);
  EXPECT_EQ(e.rto_ns(c, c.initial_rto_ns, 0), 340 * kMs);
  EXPECT_EQ(e.min_rtt_ns(), 100 * kMs);
  c.rto_granularity_ns = 250 * kMs;
  EXPECT_EQ(e.rto_ns(c, c.initial_rto_ns, 0), 360 * kMs);
  c.min_rto_ns = 1000 * kMs;
  EXPECT_EQ(e.rto_ns(c, c.initial_rto_ns, 1), 2000 * kMs);
}

TEST(Syn, IsSentAgainWithBackOffAndTheWindowStartsAtOne) {
  SenderBench t(test_sender());
  t(Open{})(ExpectSyn{})(Wait{999})(Nothing{})(Wait{1})(ExpectSyn{});
  t(Wait{1999})(Nothing{})(Wait{1})(ExpectSyn{});
  t(Wait{100})(SynAck{})(ExpectControl{0})(ExpectSegment{0, 1000})(Nothing{});
  t(rto_ms_is(3000));  // RFC 6298 (5.7): nothing was measured
}

TEST(Syn, LostHandshakeAckIsSentAgain) {
  SenderBench t(test_sender(), 500);
  connect(t);
  t(ExpectSegment{0, 500}.fin())(SynAck{})(ExpectControl{501})(Nothing{});
}

TEST(Syn, AnswersForAnotherConnectionAreIgnored) {
  SenderBench t(test_sender());
  t(Ack{0})(Nothing{})(Open{})(ExpectSyn{})(Ack{0})(Nothing{});
  EXPECT_FALSE(t.endpoint.established());
}

TEST(Fin, RidesOnTheLastSegmentAndIsSentAgainWhenLost) {
  SenderBench t(test_sender(), 1500);
  connect(t);
  t(ExpectSegment{0, 1000})(ExpectSegment{1000, 500}.fin());
  t(Wait{100})(Ack{1500})(Nothing{});
  EXPECT_FALSE(t.endpoint.done());
  t(Wait{300})(ExpectSegment{1500, 0}.fin())(Ack{1501})(Nothing{});
  EXPECT_TRUE(t.endpoint.done());
  EXPECT_EQ(t.endpoint.acked_bytes(), 1500U);
  EXPECT_EQ(t.endpoint.counters().retransmissions, 0U);  // no payload went again
}

TEST(Fin, LostWithItsDataGoesAgainWithIt) {
  SenderBench t(test_sender(), 1500);
  connect(t);
  t(ExpectSegment{0, 1000})(ExpectSegment{1000, 500}.fin());
  t(Wait{100})(Ack{1000})(Wait{300})(ExpectSegment{1000, 500}.fin())(Ack{1501});
  EXPECT_TRUE(t.endpoint.done());
}

TEST(Fin, AloneForAnEmptyTransfer) {
  SenderBench t(test_sender(), 0);
  connect(t);
  t(ExpectSegment{0, 0}.fin())(Ack{1})(Nothing{});
  EXPECT_TRUE(t.endpoint.done());
  EXPECT_EQ(t.endpoint.counters().segments_sent, 0U);
}

TEST(Idle, LongSilenceReturnsToTheInitialWindow) {
  SenderBench t(test_sender());
  connect(t);
  t(ExpectBurst{0, 10})(Wait{100})(Ack{2000})(Ack{4000})(Ack{6000})(Skip{});
  t(Ack{8000})(Skip{})(cwnd_is(18000))(Ack{26000}.window(0))(Nothing{});
  t(cwnd_is(20000))(Wait{299})(Ack{26000}.window(64000))(ExpectBurst{26000, 20});
  t(Wait{100})(Ack{46000}.window(0))(Wait{301})(ExpectControl{45999});
  t(Ack{46000}.window(64000))(ExpectBurst{46000, 10})(cwnd_is(10000));
}

}  // namespace
}  // namespace penstock::tcp
