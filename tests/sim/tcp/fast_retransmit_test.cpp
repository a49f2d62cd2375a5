// SPDX-License-Identifier: GPL-2.0-only
// Loss without SACK: RFC 5681 section 3.2, RFC 6582, RFC 3042.
#include "sender_steps.h"

namespace penstock::tcp {
namespace {

SenderConfig without_sack() {
  SenderConfig c = test_sender();
  c.sack = false;
  return c;
}

TEST(FastRetransmit, ThirdDuplicateSendsTheFirstSegmentAgain) {
  SenderBench t(without_sack());
  connect(t);
  t(ExpectBurst{0, 10})(Nothing{});
  t(Wait{100})(Ack{0})(ExpectSegment{10000, 1000});  // limited transmit
  t(Ack{0})(ExpectSegment{11000, 1000})(cwnd_is(10000));
  t(Ack{0})(ExpectSegment{0, 1000})(Nothing{});
  // FlightSize leaves out what limited transmit sent.
  t(ssthresh_is(5000))(cwnd_is(8000));
}

TEST(FastRetransmit, DuplicatesInflateTheWindowAndTheFullAckDeflatesIt) {
  SenderBench t(without_sack());
  connect(t);
  t(ExpectBurst{0, 10})(Wait{100})(Ack{0})(Ack{0})(Ack{0})(Skip{})(cwnd_is(8000));
  t(Ack{0})(Ack{0})(Ack{0})(Ack{0})(cwnd_is(12000))(Nothing{});
  t(Ack{0})(ExpectSegment{12000, 1000})(Ack{0})(ExpectSegment{13000, 1000});
  // RFC 6582 step 3, option 1: min(ssthresh, max(FlightSize, SMSS) + SMSS).
  t(Wait{100})(Ack{12000})(cwnd_is(3000))(ExpectSegment{14000, 1000})(Nothing{});
}

TEST(FastRetransmit, PartialAckSendsTheNextHoleAndDeflates) {
  SenderBench t(without_sack());
  connect(t);
  t(ExpectBurst{0, 10})(Wait{100})(Ack{0})(Ack{0})(Ack{0})(Skip{})(cwnd_is(8000));
  t(Wait{100})(Ack{4000})(ExpectSegment{4000, 1000})(cwnd_is(5000))(Nothing{});
  t(Wait{100})(Ack{6000})(ExpectSegment{6000, 1000})(cwnd_is(4000))(Nothing{});
}

TEST(FastRetransmit, OnlyTheFirstPartialAckRestartsTheTimer) {
  SenderBench t(without_sack());
  connect(t);  // RTO = 100 + 200 ms
  t(ExpectBurst{0, 10})(Wait{100})(Ack{0})(Ack{0})(Ack{0})(Skip{})(rto_ms_is(300));
  t(Wait{100})(Ack{2000})(ExpectSegment{2000, 1000})(Nothing{});
  t(Wait{150})(Ack{3000})(ExpectSegment{3000, 1000});
  t(Wait{149})(Nothing{})(Wait{2})(ExpectSegment{3000, 1000})(cwnd_is(1000));
}

TEST(FastRetransmit, RestartsTheTimerUnlessImpatient) {
  for (const bool impatient : {false, true}) {
    SenderConfig c = without_sack();
    if (impatient) c.recovery_timer = PST_RECOVERY_TIMER_IMPATIENT;
    SenderBench t(c);
    connect(t);
    t(ExpectBurst{0, 10})(Wait{100})(Ack{0})(Ack{0})(Skip{})(Ack{0})(ExpectSegment{0, 1000});
    t(Wait{impatient ? 199.0 : 299.0})(Nothing{})(Wait{1})(ExpectSegment{0, 1000});
  }
}

TEST(FastRetransmit, NoSecondOneForTheSameWindow) {
  SenderBench t(without_sack());
  connect(t);
  t(ExpectBurst{0, 10})(Wait{100})(Ack{0})(Ack{0})(Ack{0})(Skip{});
  t(Wait{100})(Ack{12000})(Skip{});
  // `recover` is 12000: the ACK must cover more than that (RFC 6582 step 2).
  t(Ack{12000})(Ack{12000})(Skip{})(Ack{12000})(Nothing{})(ssthresh_is(5000));
}

TEST(FastRetransmit, AChangedWindowIsNotADuplicate) {
  SenderBench t(without_sack());
  connect(t);
  t(ExpectBurst{0, 10})(Wait{100});
  t(Ack{0}.window(63000))(Nothing{})(Ack{0}.window(62000))(Nothing{});
  t(Ack{0}.window(61000))(Nothing{})(Ack{0}.window(60000))(Nothing{});
  // With the window unchanged they count.
  t(Ack{0})(Ack{0})(Skip{})(Ack{0})(ExpectSegment{0, 1000});
}

TEST(FastRetransmit, ThresholdIsAParameter) {
  SenderConfig c = without_sack();
  c.dupack_threshold = 5;
  c.limited_transmit = false;
  SenderBench t(c);
  connect(t);
  t(ExpectBurst{0, 10})(Wait{100})(Ack{0})(Ack{0})(Ack{0})(Ack{0})(Nothing{});
  t(Ack{0})(ExpectSegment{0, 1000})(cwnd_is(10000));
}

TEST(LimitedTransmit, SendsOneNewSegmentForEachOfTwoDuplicates) {
  SenderConfig c = without_sack();
  c.initial_window_segments = 2;
  c.dupack_threshold = 4;
  SenderBench t(c);
  connect(t);
  t(ExpectBurst{0, 2})(Wait{100})(Ack{0})(ExpectSegment{2000, 1000});
  t(Ack{0})(ExpectSegment{3000, 1000})(Ack{0})(Nothing{})(cwnd_is(2000));
}

TEST(LimitedTransmit, OffMeansSilenceUntilTheThreshold) {
  SenderConfig c = without_sack();
  c.limited_transmit = false;
  SenderBench t(c);
  connect(t);
  t(ExpectBurst{0, 10})(Wait{100})(Ack{0})(Ack{0})(Nothing{})(Ack{0})(ExpectSegment{0, 1000});
}

TEST(LimitedTransmit, RespectsThePeersWindow) {
  SenderBench t(without_sack());
  connect(t, SynAck{}.window(10000));
  t(ExpectBurst{0, 10})(Wait{100})(Ack{0})(Ack{0})(Nothing{});
}

}  // namespace
}  // namespace penstock::tcp
