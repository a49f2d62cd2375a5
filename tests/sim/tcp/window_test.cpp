// SPDX-License-Identifier: GPL-2.0-only
// The peer's window at the sender: RFC 9293 sections 3.8.6 and 3.10.7.4, RFC 7323.
#include "sender_steps.h"

namespace penstock::tcp {
namespace {

TEST(Window, LimitsTheFlight) {
  SenderBench t(test_sender());
  connect(t, SynAck{}.window(4000));
  t(ExpectBurst{0, 4})(Nothing{})(Ack{2000})(ExpectBurst{4000, 2})(Nothing{});
}

TEST(Window, FieldIsScaledExceptInTheSyn) {
  SenderBench t(test_sender());
  connect(t, SynAck{}.scale(7).window(5000));
  t(ExpectBurst{0, 5})(window_is(5000))(Wait{100});
  t(Ack{5000}.window(1'000'000))(window_is(1'000'000 / 128 * 128))(Skip{});
}

TEST(Window, ScaleNeedsBothEnds) {
  SenderConfig c = test_sender();
  c.window_scale = false;
  SenderBench t(c);
  connect(t, SynAck{}.scale(7).window(5000));
  t(Skip{})(Wait{100})(Ack{1000}.window(1280))(window_is(10));
}

TEST(Window, SmallerOneOnAnAckOfNothingNewIsIgnored) {
  SenderBench t(test_sender());
  connect(t);
  // The first ACK is newer than the SYN-ACK by its sequence number, so it counts.
  t(ExpectBurst{0, 10})(Ack{0}.window(63000))(Ack{0}.window(3000))(window_is(63000));
  t(Ack{0}.window(65000))(window_is(65000))(Ack{1000}.window(3000))(window_is(3000))(Nothing{});
  t(Ack{0}.window(60000))(window_is(3000));  // an old ACK
}

TEST(Window, AZeroWindowCountsOnAnyAck) {
  SenderBench t(test_sender());
  connect(t);
  t(ExpectBurst{0, 10})(Ack{0}.window(0))(window_is(0));
}

TEST(Window, ShrunkUnderAFullFlightStopsNewData) {
  SenderBench t(test_sender());
  connect(t);
  t(ExpectBurst{0, 10})(Wait{100});
  // The right edge moves left, from 64000 to 4000; data up to 10000 is out.
  t(Ack{1000}.window(3000))(Nothing{})(flight_is(9000));
  t(Ack{4000})(Nothing{})(Ack{7000})(Nothing{});
  t(Ack{8000})(ExpectSegment{10000, 1000})(Nothing{});  // edge 11000
}

TEST(Window, ShrunkUnderAFullFlightWithholdsRetransmissionsBeyondTheEdge) {
  SenderBench t(test_sender());
  connect(t, SynAck{}.sack());
  t(ExpectBurst{0, 10})(Wait{100});
  // 1000 and 5000 are lost, the window ends at 4000: only the first goes again.
  t(Ack{1000}.window(3000).sack(2000, 5000).sack(6000, 10000));
  t(ExpectSegment{1000, 1000})(Nothing{});
  // When the window allows, the second follows.
  t(Wait{50})(Ack{5000})(ExpectSegment{5000, 1000})(Nothing{})(pipe_is(1000));
}

TEST(Window, ShrunkBelowTheFirstSegmentStillTimesOut) {
  SenderBench t(test_sender());
  connect(t);
  t(ExpectBurst{0, 10})(Wait{100})(Ack{2000}.window(0))(Nothing{});
  // RFC 9293 section 3.8.6: it is probed; the retransmission is the probe.
  t(Wait{300})(ExpectSegment{2000, 1000})(Wait{600})(ExpectSegment{2000, 1000});
  t(Ack{10000}.window(0))(Nothing{})(rto_ms_is(1200));
  t(Wait{1200})(ExpectControl{9999});
}

TEST(Window, ShrunkToPartOfASegmentCutsTheRetransmission) {
  SenderBench t(test_sender());
  connect(t);
  t(ExpectBurst{0, 10})(Wait{100})(Ack{2000}.window(400))(Nothing{});
  t(Wait{300})(ExpectSegment{2000, 400});
}

TEST(Probe, ZeroWindowIsProbedWithBackOffUntilItOpens) {
  SenderBench t(test_sender());
  connect(t, SynAck{}.window(2000));
  t(ExpectBurst{0, 2})(Wait{100})(Ack{2000}.window(0))(Nothing{});
  t(Wait{299})(Nothing{})(Wait{1})(ExpectControl{1999});
  t(Ack{2000})(Nothing{})(Wait{600})(ExpectControl{1999});
  t(Ack{2000})(Wait{1199})(Nothing{})(Wait{1})(ExpectControl{1999});
  t(Ack{2000}.window(2000))(ExpectBurst{2000, 2})(Nothing{});
  EXPECT_EQ(t.endpoint.counters().window_probes, 3U);
  EXPECT_EQ(t.endpoint.counters().timeouts, 0U);
  // The next zero window starts without the old back-off.
  t(Wait{100})(Ack{4000}.window(0))(Wait{300})(ExpectControl{3999});
}

TEST(Probe, LostWindowUpdateIsMadeUpFor) {
  SenderBench t(test_sender());
  connect(t, SynAck{}.window(1000));
  t(ExpectBurst{0, 1})(Wait{100})(Ack{1000}.window(0))(Wait{300})(ExpectControl{999});
  t(Ack{1000}.window(64000))(ExpectBurst{1000, 10})(Nothing{});
}

TEST(SillyWindow, PartOfASegmentWaits) {
  SenderBench t(test_sender());
  connect(t, SynAck{}.window(10000));
  t(ExpectBurst{0, 10})(Wait{100});
  t(Ack{10000}.window(2400))(ExpectBurst{10000, 2})(Nothing{});  // 400 bytes of room stay unused
  t(Ack{12000}.window(400))(Nothing{});
  t(Wait{300})(ExpectSegment{12000, 400})(Nothing{});  // the override timer
  t(Ack{12400}.window(1000))(ExpectSegment{12400, 1000});
}

TEST(SillyWindow, HalfOfTheLargestWindowGoesAtOnce) {
  SenderBench t(test_sender());
  connect(t, SynAck{}.window(900));
  t(ExpectSegment{0, 900})(Nothing{})(Ack{900}.window(450))(ExpectSegment{900, 450});
  t(Ack{1350}.window(449))(Nothing{});
}

TEST(SillyWindow, TheEndOfTheDataGoesAtOnce) {
  SenderBench t(test_sender(), 2300);
  connect(t);
  t(ExpectBurst{0, 2})(ExpectSegment{2000, 300}.fin())(Nothing{});
}

TEST(SillyWindow, FinWaitsForRoomOfItsOwn) {
  SenderBench t(test_sender(), 2000);
  connect(t, SynAck{}.window(2000));
  t(ExpectBurst{0, 2})(Nothing{})(Ack{2000}.window(0))(Nothing{});
  t(Ack{2000}.window(1))(ExpectSegment{2000, 0}.fin());
}

TEST(Nagle, HoldsTheLastSmallSegmentWhileDataIsOut) {
  SenderConfig c = test_sender();
  c.nagle = true;
  SenderBench t(c, 2300);
  connect(t);
  t(ExpectBurst{0, 2})(Nothing{})(Ack{1000})(Nothing{})(Ack{2000});
  t(ExpectSegment{2000, 300}.fin());
}

TEST(Nagle, LetsASmallSegmentGoWhenNothingIsOut) {
  SenderConfig c = test_sender();
  c.nagle = true;
  SenderBench t(c, 300);
  connect(t);
  t(ExpectSegment{0, 300}.fin());
}

TEST(Mss, ThePeersOptionCountsWithoutOtherOptions) {
  SenderConfig c = test_sender();
  c.timestamps = true;
  SenderBench t(c);
  connect(t, SynAck{}.timestamps().mss(512));
  t(ExpectSegment{0, 500})(Skip{});
  EXPECT_EQ(t.endpoint.mss_bytes(), 500U);
}

TEST(InitialWindow, FollowsRfc6928) {
  SenderConfig c = test_sender();
  c.mss_bytes = 8948;  // jumbo frames: max(2 * MSS, 14600)
  SenderBench t(c);
  connect(t);
  t(cwnd_is(17896))(Skip{});
}

TEST(Growth, AWindowThatThePeerLimitsDoesNotGrow) {
  SenderBench t(test_sender());
  connect(t, SynAck{}.window(4000));
  t(ExpectBurst{0, 4})(cwnd_is(10000))(Wait{100});
  for (std::uint32_t i = 1; i <= 50; ++i) t(Ack{i * 1000})(Skip{});
  t(cwnd_is(10000));
}

TEST(Growth, HalfUsedCountsInSlowStart) {
  SenderBench t(test_sender());
  connect(t, SynAck{}.window(6000));
  t(ExpectBurst{0, 6})(Wait{100})(Ack{1000})(Skip{})(cwnd_is(11000))(Ack{2000})(Skip{});
  t(cwnd_is(12000))(Ack{3000})(Skip{})(cwnd_is(12000));
}

TEST(Growth, AWindowThatOpensCountsAtOnce) {
  SenderBench t(test_sender());
  connect(t, SynAck{}.window(4000));
  t(ExpectBurst{0, 4})(Wait{100})(Ack{1000}.window(6000))(cwnd_is(10000))(ExpectBurst{4000, 3});
  t(Ack{2000})(cwnd_is(11000))(Skip{});
}

TEST(SequenceNumbers, AnAckOfWhatWasNeverSentIsIgnored) {
  SenderBench t(test_sender());
  connect(t);
  t(ExpectBurst{0, 10})(Ack{10001}.window(100))(Nothing{})(flight_is(10000))(window_is(64000));
}

TEST(SequenceNumbers, WrapUnderDataAndSack) {
  SenderConfig c = test_sender();
  Sender sender(c, 0xffff'ff00U, 1'000'000);
  struct Wire final : Output {
    void transmit(const Segment& s) override { sent.push_back(s); }
    std::vector<Segment> sent;
  } wire;
  sender.open(0, wire);
  Segment reply{};
  reply.flags = kSyn | kAck;
  reply.options = kSackPermitted;
  reply.ack = 0xffff'ff01U;
  reply.window = 60000;
  sender.on_segment(reply, 1000, wire);
  ASSERT_EQ(wire.sent.size(), 12U);
  EXPECT_EQ(wire.sent[2].seq, 0xffff'ff01U);
  EXPECT_EQ(wire.sent[3].seq, 745U);  // 0xffffff01 + 1000
  Segment ack{};
  ack.seq = 1;
  ack.flags = kAck;
  ack.ack = 745;
  ack.window = 60000;
  ack.options = 1;
  ack.sack[0] = {1745, 5745};
  sender.on_segment(ack, 2000, wire);
  EXPECT_EQ(sender.acked_bytes(), 1000U);
  EXPECT_EQ(sender.counters().retransmissions, 1U);
  EXPECT_EQ(wire.sent[12].seq, 745U);
}

}  // namespace
}  // namespace penstock::tcp
