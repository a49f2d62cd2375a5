// SPDX-License-Identifier: GPL-2.0-only
// RACK-TLP (RFC 8985) as an option of a sender, and the receiver's DSACKs (RFC 2883).
#include <random>

#include "mini_link.h"
#include "receiver_steps.h"
#include "sender_steps.h"
#include "sim/tcp/rack.h"

namespace penstock::tcp {
namespace {

SenderConfig with_rack(bool on = true) {
  SenderConfig c = test_sender();
  c.rack = on;
  c.initial_window_segments = 10;
  return c;
}

void begin(SenderBench& t) {
  connect(t, SynAck{}.sack());
  t(ExpectBurst{0, 10})(Wait{100});
}

TEST(Rack, DetectsALossByThreeSackedSegmentsAtOnce) {
  SenderBench t(with_rack());
  begin(t);
  t(Ack{0}.sack(1000, 2000))(ExpectSegment{10000, 1000});
  t(Ack{0}.sack(1000, 3000))(ExpectSegment{11000, 1000});
  t(Ack{0}.sack(1000, 4000))(ExpectSegment{0, 1000});
  EXPECT_TRUE(t.endpoint.in_recovery());
}

// One segment above the loss: a quarter of the RTT later.
TEST(Rack, DetectsALossByTimeWhereDuplicatesAreFew) {
  for (const bool on : {false, true}) {
    SenderBench t(with_rack(on), 2000);
    connect(t, SynAck{}.sack());
    t(ExpectBurst{0, 1})(ExpectSegment{1000, 1000}.fin())(Wait{100})(Ack{0}.sack(1000, 2001));
    t(Wait{24})(Nothing{})(Wait{1});
    if (on) t(ExpectSegment{0, 1000});
    t(Nothing{});
    EXPECT_EQ(t.endpoint.in_recovery(), on);
  }
}

TEST(Rack, LeavesReorderedSegmentsTheirTime) {
  SenderBench t(with_rack());
  begin(t);
  // 2 overtakes 1, which arrives: from now on three reports above a hole are not enough.
  t(Ack{0}.sack(1000, 2000))(Skip{})(Wait{5})(Ack{2000})(Skip{});
  for (std::uint32_t end = 4000; end <= 8000; end += 1000) t(Ack{2000}.sack(3000, end))(Skip{});
  EXPECT_FALSE(t.endpoint.in_recovery());
  t(Wait{10})(Ack{10000})(Skip{});
  EXPECT_FALSE(t.endpoint.in_recovery());
  EXPECT_EQ(t.endpoint.counters().retransmissions, 0U);
}

// The retransmission is lost as well: what was sent after it arrives.
TEST(Rack, SendsALostRetransmissionAgainWithoutTheTimer) {
  SenderBench t(with_rack());
  begin(t);
  t(Ack{0}.sack(1000, 2000))(ExpectSegment{10000, 1000});
  t(Ack{0}.sack(1000, 3000))(ExpectSegment{11000, 1000})(Wait{1});
  t(Ack{0}.sack(1000, 4000))(ExpectSegment{0, 1000});
  for (std::uint32_t end = 5000; end <= 10000; end += 1000) t(Ack{0}.sack(1000, end));
  t(ExpectBurst{12000, 2})(Wait{100});
  t(Ack{0}.sack(1000, 12000))(ExpectBurst{14000, 2})(Nothing{});
  t(Ack{0}.sack(1000, 13000))(ExpectSegment{0, 1000})(Skip{});
  EXPECT_EQ(t.endpoint.counters().timeouts, 0U);
}

TEST(Rack, ATimeoutMarksOnlyWhatIsOldEnough) {
  SenderBench t(with_rack());
  begin(t);
  t(Ack{1000})(ExpectBurst{10000, 2})(Wait{100});
  // The probe, then the timer; the segments of the first flight are lost, the probe is not.
  t(Wait{100})(ExpectSegment{12000, 1000})(Nothing{})(Wait{300})(ExpectSegment{1000, 1000});
  EXPECT_EQ(t.endpoint.counters().timeouts, 1U);
}

// The probe replaces the timeout; with one segment in flight it waits for as long here.
TEST(Tlp, RepairsALostTailBeforeTheTimer) {
  SenderBench t(with_rack(), 10'000);
  connect(t, SynAck{}.sack());
  t(ExpectBurst{0, 9})(ExpectSegment{9000, 1000}.fin())(Wait{100})(Ack{9000})(Nothing{});
  t(Wait{299})(Nothing{})(Wait{1})(ExpectSegment{9000, 1000}.fin())(Wait{100})(Ack{10001});
  EXPECT_TRUE(t.endpoint.done());
  EXPECT_EQ(t.endpoint.counters().timeouts, 0U);
}

TEST(Tlp, ProbesWithNewDataBeyondTheWindow) {
  SenderBench t(with_rack());
  begin(t);
  t(Wait{99})(Nothing{})(Wait{1})(ExpectSegment{10000, 1000})(Wait{100})(Nothing{});
  // It arrives: RACK finds the ten before it lost, after a quarter of a round trip.
  t(Ack{0}.sack(10000, 11000))(Wait{30})(ExpectSegment{0, 1000})(Skip{});
  EXPECT_EQ(t.endpoint.counters().timeouts, 0U);
}

// A connection that stays open, so that the ACK of later data shows what the probe did.
std::uint64_t window_after_probe(std::initializer_list<Ack> answers) {
  SenderBench t(with_rack(), 10'000, Sender::After::kOpen);
  connect(t, SynAck{}.sack());
  t(ExpectBurst{0, 10})(Wait{100})(Ack{9000})(Nothing{})(Wait{299})(Nothing{});
  t(Wait{1})(ExpectSegment{9000, 1000})(Wait{100});
  for (const Ack& answer : answers) t(answer);
  t.endpoint.write(1000, t.now_ns, t);
  t(ExpectSegment{10000, 1000})(Wait{100})(Ack{11000});
  return t.endpoint.cwnd_bytes();
}

TEST(Tlp, ANeedlessProbeCostsNoWindow) {
  const std::uint64_t grown = window_after_probe({Ack{10000}, Ack{10000}.sack(9000, 10000)});
  EXPECT_EQ(window_after_probe({Ack{10000}, Ack{10000}}), grown);
  // Only one copy arrived: the other one, or its ACK, was lost.
  EXPECT_LT(window_after_probe({Ack{10000}}), grown / 2);
}

// The ACK of a probe that has repaired a loss, and that a router has marked.
TEST(Tlp, AMarkAndALossOfOneWindowReduceItOnce) {
  SenderConfig c = with_rack();
  c.ecn = true;
  SenderBench t(c, 10'000, Sender::After::kOpen);
  connect(t, SynAck{}.sack().ecn());
  t(ExpectBurst{0, 10})(Wait{100})(Ack{9000})(Wait{300})(ExpectSegment{9000, 1000})(Wait{100});
  t(Ack{10000});
  t.endpoint.write(5000, t.now_ns, t);
  t(ExpectBurst{10000, 5})(Wait{100})(Ack{15000}.ece())(cwnd_is(2500));
}

// The segments as RFC 8985 walks through them, all at each ACK.
struct Naive {
  std::vector<SentSegment> sent;
  struct pst_rack state{};

  void send(std::uint64_t start, std::uint64_t end, std::uint64_t now_ns) {
    for (SentSegment& s : sent) {
      if (s.start != start) continue;
      s.xmit_ns = now_ns;
      s.retransmitted = true;
      s.lost = false;
      return;
    }
    sent.push_back({start, end, now_ns, false, false, false});
  }
  void deliver(SentSegment& s, const struct pst_rack_ack& a) {
    const struct pst_rack_segment view = s.view();
    pst_rack_delivered(&state, &view, &a, false);
    s.lost = false;
  }
  void sack(std::uint64_t start, std::uint64_t end, const struct pst_rack_ack& a) {
    for (SentSegment& s : sent) {
      if (s.sacked || s.start < start || s.end > end) continue;
      deliver(s, a);
      s.sacked = true;
    }
  }
  void ack(std::uint64_t una, const struct pst_rack_ack& a) {
    while (!sent.empty() && sent.front().end <= una) {
      if (!sent.front().sacked) deliver(sent.front(), a);
      sent.erase(sent.begin());
    }
  }
  std::uint64_t detect(const struct pst_rack_ack& a) {
    std::uint64_t wait_ns = 0;
    for (SentSegment& s : sent) {
      const struct pst_rack_segment view = s.view();
      if (!s.undecided() || !pst_rack_overtaken(&state, &view)) continue;
      const std::uint64_t window_ns = pst_rack_window_ns(&state, &a);
      const std::uint64_t left_ns = pst_rack_remaining_ns(&state, &view, window_ns, a.now_ns);
      s.lost = left_ns == 0;
      wait_ns = std::max(wait_ns, left_ns);
    }
    return wait_ns ? a.now_ns + wait_ns : kNever;
  }
  std::uint64_t pipe_bytes() const {
    std::uint64_t bytes = 0;
    for (const SentSegment& s : sent) bytes += s.undecided() ? s.bytes() : 0;
    return bytes;
  }
};

TEST(Rack, FindsWhatAWalkThroughAllSegmentsFinds) {
  std::mt19937 random(3);
  int lost = 0;
  for (int run = 0; run < 100; ++run) {
    Rack rack;
    Naive naive;
    pst_rack_init(&naive.state);
    std::uint64_t end = 1, una = 1, now_ns = 1'000'000'000;
    for (int step = 0; step < 300; ++step) {
      now_ns += random() % 9'000'000;
      for (auto k = random() % 4; k > 0; --k, end += 1000) {
        rack.on_send(end, end + 1000, now_ns);
        naive.send(end, end + 1000, now_ns);
      }
      for (auto k = random() % 3; k > 0; --k) {
        const SentSegment* s = rack.next_lost();
        if (!s) break;
        ++lost;
        const SentSegment again = *s;
        naive.send(again.start, again.end, now_ns);
        rack.on_send(again.start, again.end, now_ns);
      }
      const struct pst_rack_ack a{now_ns, 40'000'000, 50'000'000, rack.sacked_segments(),
                                  random() % 2 == 0};
      if (end > una && random() % 4 != 0) {
        const std::uint64_t from = una + 1000 * (random() % ((end - una) / 1000));
        const std::uint64_t to = std::min(end, from + 1000 * (1 + random() % 3));
        rack.on_sack({from, to}, a);
        naive.sack(from, to, a);
      }
      if (end > una && random() % 6 == 0) {
        una += 1000 * (1 + random() % ((end - una) / 1000));
        rack.on_ack(una, a, {});
        naive.ack(una, a);
      }
      ASSERT_EQ(rack.detect(a), naive.detect(a)) << "run " << run << " step " << step;
      ASSERT_EQ(rack.pipe_bytes(), naive.pipe_bytes());
    }
  }
  EXPECT_GT(lost, 1000);
}

// Random losses and reordering, in both directions: all arrives, and nothing is counted twice.
TEST(Rack, CarriesATransferThroughLossAndReordering) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SenderConfig sc = sender_of(PST_SENDER_CUBIC);
    sc.rack = true;
    sc.prr = seed % 2;
    ReceiverConfig rc;
    rc.dsack = true;
    std::mt19937 random(seed);
    MiniLink link(sc, rc, 2'000'000);
    link.script = [&](Segment&, bool) {
      return MiniLink::Fate{.lost = random() % 50 == 0,
                            .extra_ns = random() % 20 == 0 ? random() % 15'000'000 : 0};
    };
    link.after_step = [&] { ASSERT_LE(link.sender.pipe_bytes(), link.sender.flight_bytes()); };
    link.open();
    ASSERT_TRUE(link.run(600'000'000'000)) << seed;
    EXPECT_TRUE(link.sender.done()) << seed;
    EXPECT_EQ(link.receiver.counters().delivered_bytes, 2'000'000U);
  }
}

TEST(Dsack, ReportsADuplicateFirstAndOnce) {
  ReceiverConfig c = test_receiver();
  c.dsack = true;
  ReceiverBench t(c);
  t(Syn{}.options(kMss | kSackPermitted))(ExpectSynAck{});
  t(Data{0, 1000})(Data{1000, 1000})(Ignore{});
  t(Data{0, 1000})(ExpectAck{2000}.sack(0, 1000));
  t(Data{4000, 1000})(ExpectAck{2000}.sack(4000, 5000));
  t(Data{4000, 1000})(ExpectAck{2000}.sack(4000, 5000).sack(4000, 5000));
  t(Data{1000, 1000})(ExpectAck{2000}.sack(1000, 2000).sack(4000, 5000));
}

}  // namespace
}  // namespace penstock::tcp
