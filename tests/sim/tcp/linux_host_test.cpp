// SPDX-License-Identifier: GPL-2.0-only
// What scripts written for Linux' TCP have shown of the sender, and options that make it Linux'.
#include "receiver_steps.h"
#include "sender_steps.h"
#include "tests/sim/params.h"

namespace penstock::tcp {
namespace {

SenderConfig host() {
  SenderConfig c = test_sender();
  c.initial_window_segments = 10;
  return c;
}

SenderConfig rack_host() {
  SenderConfig c = host();
  c.rack = c.prr = c.prr_safe_ack = true;
  return c;
}

// One ACK that acknowledges one segment and reports later ones shows no reordering (RFC 8985
// section 6.2 takes them in sequence): three reported segments suffice at once.
TEST(Rack, TakesTheReportsOfAnAckInSequence) {
  SenderBench t(rack_host());
  connect(t, SynAck{}.sack());
  t(ExpectBurst{0, 10})(Wait{100});
  t(Ack{1000}.sack(7000, 10000).sack(2000, 3000))(ExpectSegment{1000, 1000});
  t(Skip{})(ExpectValue<SenderBench>{"the time",
                                     [](const SenderBench& b) { return b.now_ns / kMs; }, 1200});
}

TEST(Mss, ASegmentWithoutTimestampsHasTheirRoom) {
  SenderConfig c = host();
  c.timestamps = true;
  SenderBench t(c);
  connect(t, SynAck{}.mss(1400));
  t(Skip{})(ExpectValue<SenderBench>{
      "MSS", [](const SenderBench& b) { return std::uint64_t{b.endpoint.mss_bytes()}; }, 1012});
}

// Neither Nagle's algorithm nor cwnd holds a FIN without data.
TEST(Fin, LeavesAloneWhateverIsOutstanding) {
  for (const bool nagle : {true, false}) {
    SenderConfig c = host();
    c.nagle = nagle;
    SenderBench t(c, 10'000, Sender::After::kOpen);
    connect(t);
    t(ExpectBurst{0, 10})(cwnd_is(10'000));
    t.endpoint.close(t.now_ns, t);
    t(ExpectSegment{10'000, 0}.fin());
  }
}

TEST(Fin, WaitsWithItsDataForTheWindow) {
  SenderBench t(host(), 11'000, Sender::After::kOpen);
  connect(t);
  t(ExpectBurst{0, 10});
  t.endpoint.close(t.now_ns, t);
  t(Nothing{})(Wait{100})(Ack{1000})(ExpectSegment{10'000, 1000}.fin());
}

// RFC 5681 section 2 (b): an ACK with data is no duplicate.
TEST(Duplicates, CarryNoData) {
  for (const std::uint16_t payload : {std::uint16_t{0}, std::uint16_t{100}}) {
    SenderConfig c = host();
    c.limited_transmit = false;
    SenderBench t(c);
    connect(t);
    t(ExpectBurst{0, 10})(Wait{100});
    for (unsigned i = 0; i < 3; ++i) {
      Segment s = t.answer(kAck, 0);
      s.payload_bytes = payload;
      t.endpoint.on_segment(s, t.now_ns, t);
    }
    if (payload)
      t(Nothing{});
    else
      t(ExpectSegment{0, 1000});
  }
}

// RFC 2883 section 4.1.1: a segment that fills a hole and repeats what was held behind it.
TEST(Dsack, ReportsWhatArrivedAgainWithWhatWasMissing) {
  ReceiverConfig c = test_receiver();
  c.dsack = true;
  ReceiverBench t(c);
  t(Syn{}.options(kMss | kSackPermitted))(ExpectSynAck{});
  t(Data{1000, 1000})(ExpectAck{0}.sack(1000, 2000));
  t(Data{4000, 1000})(ExpectAck{0}.sack(4000, 5000).sack(1000, 2000));
  t(Data{0, 3000})(ExpectAck{3000}.sack(1000, 2000).sack(4000, 5000));
}

// RFC 9293 section 3.8.6.3 permits that an ACK waits; Linux' of a FIN alone does.
TEST(Fin, IsAcknowledgedLateAsInLinux) {
  for (const bool lazy : {true, false}) {
    ReceiverConfig c = test_receiver();
    c.delayed_ack_segments = 1;
    c.delayed_ack_ns = 40 * kMs;
    c.lazy_fin_ack = lazy;
    ReceiverBench t(c);
    t(Syn{})(ExpectSynAck{})(Data{0, 1000})(ExpectAck{1000})(Data{1000, 0}.fin());
    if (lazy) t(Silence{})(Elapse{39})(Silence{})(Elapse{1});
    t(ExpectAck{1001})(Data{1000, 0}.fin())(ExpectAck{1001});  // again
  }
}

TEST(Growth, OfWhatIsDeliveredLeavesOutWhatDuplicatesTold) {
  for (const bool sack : {true, false}) {
    SenderConfig c = host();
    c.growth = PST_GROWTH_DELIVERED;
    set_param(pst_sender_rows[c.method], &c.params, "abc_limit", 1024);
    SenderBench t(c);
    connect(t, sack ? SynAck{}.sack() : SynAck{});
    t(ExpectBurst{0, 10})(Wait{100});
    t(sack ? Ack{0}.sack(1000, 2000) : Ack{0})(Skip{});
    t(sack ? Ack{0}.sack(1000, 3000) : Ack{0})(Skip{});
    t(Ack{3000})(Skip{})(cwnd_is(11'000));
    t(Ack{6000})(Skip{})(cwnd_is(14'000));
  }
}

TEST(Ssthresh, IsOfCwndAsInLinux) {
  for (const bool of_cwnd : {true, false}) {
    SenderConfig c = host();
    c.ssthresh_of_cwnd = of_cwnd;
    SenderBench t(c, 4000);
    connect(t);
    t(ExpectBurst{0, 3})(ExpectSegment{3000, 1000}.fin())(Wait{400})(Skip{});
    t(ssthresh_is(of_cwnd ? 5000 : 2000));
  }
}

TEST(Idle, KeepsItsWindowIfItDoesNotRestart) {
  for (const bool restart : {true, false}) {
    SenderConfig c = host();
    c.restart_after_idle = restart;
    set_param(pst_sender_rows[c.method], &c.params, "abc_limit", 1024);
    SenderBench t(c, 10'000, Sender::After::kOpen);
    connect(t);
    t(ExpectBurst{0, 10})(Wait{100})(Ack{10'000})(cwnd_is(20'000))(Wait{5000});
    t.endpoint.write(1000, t.now_ns, t);
    t(Skip{})(cwnd_is(restart ? 10'000 : 20'000));
  }
}

// RFC 9937 section 6: the first ACK of a recovery sends one segment, not two, and a segment more
// than was delivered leaves only on an ACK that advances and shows no further loss.
TEST(Prr, GrowsOnlyOnASafeAck) {
  SenderBench t(rack_host(), 10'000, Sender::After::kOpen);
  connect(t, SynAck{}.sack());
  t(ExpectBurst{0, 10})(Wait{100});
  t(Ack{0}.sack(4000, 5000))(Skip{})(Ack{0}.sack(4000, 6000))(Skip{});
  t(Ack{0}.sack(4000, 7000))(ExpectSegment{0, 1000});     // recovery begins
  t(Ack{0}.sack(4000, 8000))(ExpectSegment{1000, 1000});  // no advance
  t(Ack{0}.sack(4000, 9000))(ExpectSegment{2000, 1000});
  t(Ack{0}.sack(4000, 10'000))(ExpectSegment{3000, 1000});
}

}  // namespace
}  // namespace penstock::tcp
