// SPDX-License-Identifier: GPL-2.0-only
// Loss with SACK: RFC 6675.
#include "sender_steps.h"

namespace penstock::tcp {
namespace {

void connect_sack(SenderBench& t) {
  connect(t, SynAck{}.sack());
  t(ExpectBurst{0, 10})(Wait{100});
}

TEST(SackRecovery, LimitedTransmitFollowsThePipe) {
  SenderBench t(test_sender());
  connect_sack(t);
  t(Ack{0}.sack(1000, 2000))(pipe_is(10000))(ExpectSegment{10000, 1000});
  t(Ack{0}.sack(1000, 3000))(ExpectSegment{11000, 1000})(cwnd_is(10000));
}

TEST(SackRecovery, ThirdReportStartsRecovery) {
  SenderBench t(test_sender());
  connect_sack(t);
  t(Ack{0}.sack(1000, 2000))(Ack{0}.sack(1000, 3000))(Skip{});
  t(Ack{0}.sack(1000, 4000))(ExpectSegment{0, 1000})(Nothing{})(ssthresh_is(5000))(cwnd_is(5000));
  // Of 12 segments 3 are reported, 1 is lost and was sent again: 8 + 1.
  t(pipe_is(9000));
}

TEST(SackRecovery, OneAckWithEnoughReportsIsEnough) {
  // More than (DupThresh - 1) * SMSS bytes above: IsLost(HighACK + 1).
  SenderBench t(test_sender());
  connect_sack(t);
  t(Ack{0}.sack(1000, 3500))(ExpectSegment{0, 1000})(cwnd_is(5000));
}

TEST(SackRecovery, TwoSegmentsExactlyAreNotEnough) {
  SenderBench t(test_sender());
  connect_sack(t);
  t(Ack{0}.sack(1000, 3000))(ExpectBurst{10000, 2})(cwnd_is(10000));
}

TEST(SackRecovery, ThreeSeparateRangesAreEnough) {
  SenderBench t(test_sender());
  connect_sack(t);
  t(Ack{0}.sack(6000, 6100).sack(4000, 4100).sack(2000, 2100))(ExpectSegment{0, 1000});
}

TEST(SackRecovery, ReportsWithAChangedWindowCount) {
  SenderBench t(test_sender());
  connect_sack(t);
  t(Ack{0}.sack(1000, 2000).window(50000))(Ack{0}.sack(1000, 3000).window(60000))(Skip{});
  t(Ack{0}.sack(1000, 4000).window(55000))(ExpectSegment{0, 1000});
}

TEST(SackRecovery, DuplicatesWithoutNewReportsDoNotCount) {
  SenderBench t(test_sender());
  connect_sack(t);
  t(Ack{0}.sack(1000, 2000))(Skip{});
  for (int i = 0; i < 5; ++i) t(Ack{0}.sack(1000, 2000))(Nothing{});
  t(Ack{0})(Ack{0})(Ack{0})(Nothing{})(cwnd_is(10000));
}

TEST(SackRecovery, Rule1SendsLostHolesFromTheLeft) {
  SenderBench t(test_sender());
  connect_sack(t);
  // Lost: 0, 3000, 5000. Reported 1..3, 4..5, 6..10.
  t(Ack{0}.sack(6000, 10000).sack(4000, 5000).sack(1000, 3000));
  // cwnd 5000; pipe: the first one sent again, then room for the other two.
  t(ExpectBurst{0, 1})(ExpectSegment{3000, 1000})(ExpectSegment{5000, 1000});
  t(ExpectBurst{10000, 2})(Nothing{})(pipe_is(5000));  // rule 2: new data
}

TEST(SackRecovery, Rule2WaitsForThePeersWindowAndRule3FillsIn) {
  SenderBench t(test_sender());
  connect(t, SynAck{}.sack().window(10000));
  t(ExpectBurst{0, 10})(Wait{100});
  // 0 is lost (3 segments above); 5000..6000 has only one reported segment above.
  t(Ack{0}.sack(1000, 5000).sack(6000, 7000));
  t(ExpectSegment{0, 1000})(pipe_is(5000))(Nothing{});
  t(Ack{0}.sack(1000, 5000).sack(6000, 8000));  // pipe 4000
  t(ExpectSegment{5000, 1000})(Nothing{});      // rule 3: not lost yet
}

TEST(SackRecovery, Rule4RescuesTheTailOnce) {
  SenderBench t(test_sender(), 10000);
  connect(t, SynAck{}.sack());
  t(ExpectBurst{0, 9})(ExpectSegment{9000, 1000}.fin())(Wait{100});
  // 0 and the last segment are lost.
  t(Ack{0}.sack(1000, 9000))(ExpectSegment{0, 1000})(Nothing{});
  // A partial ACK beyond RescueRxt, nothing else to send: the tail, once.
  t(Wait{100})(Ack{9000})(ExpectSegment{9000, 1000}.fin());
  t(Nothing{});
}

TEST(SackRecovery, PartialAckKeepsGoingAndTheFullAckEnds) {
  SenderBench t(test_sender());
  connect_sack(t);
  t(Ack{0}.sack(6000, 10000).sack(4000, 5000).sack(1000, 3000))(Skip{});
  t(Wait{100})(Ack{3000}.sack(6000, 10000).sack(4000, 5000))(pipe_is(5000));
  t(ExpectSegment{12000, 1000})(Nothing{});
  t(Ack{10000})(Skip{})(cwnd_is(5000))(ssthresh_is(5000));
  t(Ack{11000})(Skip{})(cwnd_is(5000));  // congestion avoidance from here
}

TEST(SackRecovery, EvenASmallHoleWaitsForRoomForAWholeSegment) {
  SenderBench t(test_sender());
  connect_sack(t);
  t(Ack{0}.sack(2000, 5500).sack(1000, 1900))(ExpectSegment{0, 1000})(pipe_is(5500));
  t(Ack{0}.sack(2000, 6500).sack(1000, 1900))(pipe_is(4500))(Nothing{});
  t(Ack{0}.sack(2000, 7000).sack(1000, 1900))(ExpectSegment{1900, 100})(Nothing{});
}

TEST(SackRecovery, RestartsTheTimer) {
  SenderBench t(test_sender());
  connect_sack(t);
  t(Wait{150})(Ack{0}.sack(1000, 8000))(ExpectSegment{0, 1000})(Skip{});
  t(Wait{299})(Nothing{})(Wait{1})(ExpectSegment{0, 1000});
}

TEST(SackRecovery, EachPartialAckRestartsTheTimer) {
  SenderBench t(test_sender());
  connect_sack(t);
  t(Ack{0}.sack(6000, 10000).sack(4000, 5000).sack(1000, 3000))(Skip{});
  t(Wait{100})(Ack{3000}.sack(6000, 10000).sack(4000, 5000))(Skip{});
  t(Wait{150})(Ack{5000}.sack(6000, 10000))(Skip{});
  t(Wait{299})(Nothing{})(Wait{1})(ExpectSegment{5000, 1000});
}

TEST(SackRecovery, ImpatientTimerIsNotRestartedByTheRetransmit) {
  SenderConfig c = test_sender();
  c.recovery_timer = PST_RECOVERY_TIMER_IMPATIENT;
  SenderBench t(c);
  connect_sack(t);  // the first window is 100 ms old
  t(Wait{150})(Ack{0}.sack(1000, 8000))(ExpectSegment{0, 1000})(Skip{});
  t(Wait{49})(Nothing{})(Wait{1})(ExpectSegment{0, 1000})(cwnd_is(1000));
}

TEST(SackRecovery, ImpatientTimerIsRestartedByTheFirstPartialAckAlone) {
  SenderConfig c = test_sender();
  c.recovery_timer = PST_RECOVERY_TIMER_IMPATIENT;
  SenderBench t(c);
  connect_sack(t);
  t(Ack{0}.sack(6000, 10000).sack(4000, 5000).sack(1000, 3000))(Skip{});
  t(Wait{100})(Ack{3000}.sack(6000, 10000).sack(4000, 5000))(Skip{});
  t(Wait{150})(Ack{5000}.sack(6000, 10000))(Skip{});
  t(Wait{149})(Nothing{})(Wait{1})(ExpectSegment{5000, 1000})(cwnd_is(1000));
}

TEST(SackRecovery, ATimeoutForgetsReportsThatThePeerDoesNotKeep) {
  SenderBench t(test_sender());
  connect_sack(t);
  // The peer reported 1000..3000, but acknowledges only up to where they begin.
  t(Ack{0}.sack(1000, 3000))(Skip{})(Ack{1000})(Skip{});
  t(Wait{300})(ExpectSegment{1000, 1000})(pipe_is(1000));
  t(Wait{100})(Ack{2000})(ExpectBurst{2000, 2})(Nothing{});
}

TEST(SackRecovery, OldReportsBelowTheAckAreClipped) {
  SenderBench t(test_sender());
  connect_sack(t);
  t(Ack{4000})(Skip{})(Ack{0}.sack(2000, 5000))(pipe_is(12000));
  t(ExpectSegment{16000, 1000})(flight_is(13000));
}

TEST(SackRecovery, ReportsOfUnsentDataAreIgnored) {
  SenderBench t(test_sender());
  connect_sack(t);
  t(Ack{0}.sack(20000, 30000))(Nothing{})(pipe_is(10000));
}

TEST(SackRecovery, AfterATimeoutOnlyWhatIsMissingGoesAgain) {
  SenderBench t(test_sender());
  connect_sack(t);
  t(Ack{0}.sack(2000, 4000))(Skip{});
  t(Wait{301})(ExpectSegment{0, 1000})(Nothing{})(cwnd_is(1000));
  t(Wait{100})(Ack{1000}.sack(2000, 4000))(cwnd_is(2000));
  t(ExpectSegment{1000, 1000})(ExpectSegment{4000, 1000})(Nothing{});
  // RFC 6675 section 5.1: no new recovery before what was out is acknowledged.
  t(Ack{1000}.sack(2000, 9000))(cwnd_is(2000));
  t(ExpectSegment{9000, 1000})(Nothing{});
}

}  // namespace
}  // namespace penstock::tcp
