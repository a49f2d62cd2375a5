// SPDX-License-Identifier: GPL-2.0-only
// Explicit congestion notification (RFC 3168 section 6.1) and pacing at the sender.
#include "sender_steps.h"
#include "tests/sim/params.h"

namespace penstock::tcp {
namespace {

SenderConfig with_ecn() {
  SenderConfig c = test_sender();
  c.ecn = true;
  return c;
}

TEST(Ecn, SynAsksForItAndDataIsMarkedCapable) {
  SenderBench t(with_ecn());
  t(Open{});
  const Segment syn = t.take();
  EXPECT_EQ(syn.flags, kSyn | kEce | kCwr);
  EXPECT_EQ(syn.ecn, kNotEct);
  t(Wait{100})(SynAck{}.ecn())(ExpectControl{0})(ExpectSegment{0, 1000}.ecn(kEct0).cwr(false));
  t(Skip{});
}

TEST(Ecn, WithoutConsentNothingIsMarked) {
  SenderBench t(with_ecn());
  connect(t);
  t(ExpectSegment{0, 1000}.ecn(kNotEct))(Skip{})(Ack{2000}.ece())(Skip{})(cwnd_is(12000));
}

TEST(Ecn, OneReductionPerWindow) {
  SenderBench t(with_ecn());
  connect(t, SynAck{}.ecn());
  t(ExpectBurst{0, 10})(Wait{100});
  t(Ack{2000}.ece())(cwnd_is(5000))(ssthresh_is(5000))(Nothing{});
  t(Ack{4000}.ece())(Ack{6000}.ece())(cwnd_is(5000));
  t(ExpectSegment{10000, 1000}.cwr(true))(Nothing{});
  t(Ack{8000}.ece())(ExpectSegment{11000, 1000}.cwr(false))(ExpectSegment{12000, 1000}.cwr(false));
  t(Ack{10000}.ece())(cwnd_is(5000))(Skip{});
  // Data sent after the reduction is acknowledged: ECE means a new event.
  t(Ack{11000}.ece())(cwnd_is(2500))(Skip{});
  EXPECT_EQ(t.endpoint.counters().ecn_reductions, 2U);
}

TEST(Ecn, LossInTheSameWindowReducesNoFurther) {
  SenderBench t(with_ecn());
  connect(t, SynAck{}.ecn().sack());
  t(ExpectBurst{0, 10})(Wait{100})(Ack{1000}.ece())(cwnd_is(5000))(Nothing{});
  t(Ack{1000}.ece().sack(2000, 5000))(ExpectSegment{1000, 1000}.ecn(kNotEct).cwr(false));
  t(cwnd_is(5000))(ssthresh_is(5000))(Nothing{});
}

TEST(Ecn, LossAloneSetsCwrOnTheNextNewSegment) {
  SenderBench t(with_ecn());
  connect(t, SynAck{}.ecn().sack());
  t(ExpectBurst{0, 10})(Wait{100})(Ack{0}.sack(1000, 8000))(ExpectSegment{0, 1000}.cwr(false));
  t(ExpectSegment{10000, 1000}.cwr(true).ecn(kEct0))(Skip{});
}

TEST(Ecn, NoGrowthOnAnAckThatEchoes) {
  SenderBench t(with_ecn());
  connect(t, SynAck{}.ecn());
  t(ExpectBurst{0, 10})(Wait{100})(Ack{2000}.ece())(Ack{10000}.ece())(cwnd_is(5000))(Skip{});
}

SenderConfig exact(u64 alpha_q32 = PST_Q32_ONE) {
  SenderConfig c = with_ecn();
  c.method = PST_SENDER_DCTCP;
  pst_sender_defaults(c.method, &c.params);
  set_param(pst_sender_rows[c.method], &c.params, "initial_alpha_q32", alpha_q32);
  return c;
}

TEST(ExactEcn, ReducesByTheFractionOfMarks) {
  SenderBench t(exact(PST_Q32_ONE / 2));
  connect(t, SynAck{}.ecn());
  t(ExpectBurst{0, 10})(Wait{100})(Ack{2000}.ece())(cwnd_is(7500))(ssthresh_is(7500))(Skip{});
  t(Ack{4000}.ece())(cwnd_is(7500))(Skip{});  // once per window
}

TEST(ExactEcn, ALossInTheSameWindowCountsToo) {
  SenderBench t(exact(0));
  connect(t, SynAck{}.ecn().sack());
  t(ExpectBurst{0, 10})(Wait{100})(Ack{1000}.ece())(cwnd_is(10000))(Skip{});
  t(Ack{1000}.ece().sack(2000, 5000))(cwnd_is(5000))(Skip{});
}

TEST(ExactEcn, DataIsEct1IfItIsL4s) {
  SenderConfig c = exact();
  c.ect1 = true;
  SenderBench t(c);
  connect(t, SynAck{}.ecn());
  t(ExpectSegment{0, 1000}.ecn(kEct1))(Skip{});
}

TEST(Pacing, SpreadsTheWindowOverTheRoundTrip) {
  SenderConfig c = test_sender();
  c.pacing = true;
  SenderBench t(c);
  connect(t);  // SRTT 100 ms, cwnd 10 segments, gain 2: one each 5 ms
  t(ExpectSegment{0, 1000})(Nothing{})(Wait{4.9})(Nothing{})(Wait{0.1})(ExpectSegment{1000, 1000});
  t(Wait{40})(ExpectBurst{2000, 8})(Wait{54})(Nothing{});
  // An ACK before the gap is over sends nothing yet: 12 segments, 100 / 24 ms.
  t(Ack{2000})(ExpectSegment{10000, 1000})(Ack{4000})(Nothing{});
  t(Wait{4.2})(ExpectSegment{11000, 1000})(Nothing{});
}

TEST(Pacing, GainFallsAfterSlowStart) {
  SenderConfig c = test_sender();
  c.pacing = true;
  SenderBench t(c);
  connect(t, SynAck{}.sack());
  t(Wait{45})(ExpectBurst{0, 10})(Wait{55})(Ack{0}.sack(1000, 8000))(ExpectSegment{0, 1000});
  // cwnd 5, gain 1.2: 100 / 6 ms
  t(Wait{16.6})(Nothing{})(Wait{0.1})(ExpectSegment{10000, 1000})(Skip{});
}

}  // namespace
}  // namespace penstock::tcp
