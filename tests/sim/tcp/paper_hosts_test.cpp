// SPDX-License-Identifier: GPL-2.0-only
// Options of the hosts that the papers describe.
#include "receiver_steps.h"
#include "sender_steps.h"

namespace penstock::tcp {
namespace {

SenderConfig holding() {
  SenderConfig c = test_sender();
  c.hold_cwnd = true;
  return c;
}

TEST(HoldCwnd, AWindowOnOneAckReducesCwnd) {
  for (const bool on : {true, false}) {
    SenderConfig c = test_sender();
    c.hold_cwnd = on;
    SenderBench t(c);
    connect(t);
    t(ExpectBurst{0, 10})(Wait{100})(Ack{1000}.window(3000))(Nothing{});
    t(cwnd_is(on ? 3000 : 11000))(Ack{10000}.window(64'000))(Skip{});
    t(cwnd_is(on ? 5000 : 13000));
  }
}

TEST(HoldCwnd, IsNeverBelowOneSegment) {
  SenderBench t(holding());
  connect(t);
  t(ExpectBurst{0, 10})(Wait{100})(Ack{1000}.window(400))(cwnd_is(1000));
}

TEST(HoldCwnd, AClosedWindowKeepsIt) {
  SenderBench t(holding());
  connect(t);
  t(ExpectBurst{0, 10})(Wait{100})(Ack{1000}.window(0))(cwnd_is(11000));
}

TEST(HoldCwnd, SlowStartEndsAtTheWindow) {
  SenderBench t(holding());
  connect(t, SynAck{}.window(12'000));
  t(ExpectBurst{0, 10})(Wait{100});
  for (std::uint32_t acked = 1000; acked <= 10000; acked += 1000) t(Ack{acked})(Skip{});
  t(cwnd_is(12000));
}

TEST(InitialSsthresh, IsInAgreedSegments) {
  SenderConfig c = test_sender();
  c.initial_ssthresh_segments = 44;
  SenderBench t(c);
  connect(t, SynAck{}.mss(500));
  t(Skip{})(ssthresh_is(22000));
}

// An ACK for four segments: RFC 3465 with L = 2 adds two, RFC 2581 one.
TEST(GrowByAck, AnAckIsOneSegment) {
  for (const bool on : {true, false}) {
    SenderConfig c = test_sender();
    c.growth = on ? PST_GROWTH_ACKS : PST_GROWTH_BYTES;
    SenderBench t(c);
    connect(t);
    t(ExpectBurst{0, 10})(Wait{100})(Ack{4000})(Skip{})(cwnd_is(on ? 11000 : 12000));
  }
}

TEST(GrowByAck, AWindowOfAcksAddsASegment) {
  SenderConfig c = test_sender();
  c.growth = PST_GROWTH_ACKS;
  c.initial_ssthresh_segments = 4;
  c.initial_window_segments = 4;
  SenderBench t(c);
  connect(t);
  t(ExpectBurst{0, 4})(Wait{100})(Ack{4000})(ExpectBurst{4000, 4})(cwnd_is(4000));
  for (std::uint32_t acked = 5000; acked <= 7000; acked += 1000) t(Ack{acked})(Skip{});
  t(cwnd_is(5000));
}

TEST(SynAckTimer, IsTheInitialRto) {
  ReceiverConfig c = test_receiver();
  c.initial_rto_ns = 6'000'000'000;
  ReceiverBench t(c);
  t(Syn{})(ExpectSynAck{})(Elapse{5999})(Silence{})(Elapse{1})(ExpectSynAck{});
  t(Elapse{11'999})(Silence{})(Elapse{1})(ExpectSynAck{});
}

TEST(SynAckTimer, NoneWaitsForTheSyn) {
  ReceiverConfig c = test_receiver();
  c.repeat_syn_ack = false;
  ReceiverBench t(c);
  t(Syn{})(ExpectSynAck{})(Elapse{1'000'000})(Silence{})(Syn{})(ExpectSynAck{});
  t(Elapse{50})(Data{0, 0})(Silence{})(Data{0, 1000})(Elapse{40})(ExpectAck{1000});
}

TEST(SynAckTimer, AReceiverThatOpensRepeatsItsSyn) {
  ReceiverConfig c = test_receiver();
  c.opens = true;
  c.repeat_syn_ack = false;
  ReceiverBench t(c);
  t.endpoint.open(t.now_ns, t);
  t(Ignore{})(Elapse{1000});
  EXPECT_TRUE(t.take().flags & kSyn);
}

}  // namespace
}  // namespace penstock::tcp
