// SPDX-License-Identifier: GPL-2.0-only
// RACK-TLP against the pseudocode of RFC 8985 sections 6.2 and 7, in floating point.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "core/sender/rack.h"

namespace {

constexpr double kNsPerMs = 1e6;

// A segment of section 5.2, times in milliseconds.
struct Seg {
  double xmit_ts = 0, end_seq = 0;
  bool lost = false, retransmitted = false, acked = false;
};

// RACK's variables of section 5.3, and the steps of section 6.2.
struct RackTwin {
  double xmit_ts = 0, end_seq = 0, rtt = 0, fack = 0, reo_wnd_mult = 1;
  std::optional<double> dsack_round;
  int reo_wnd_persist = 16;
  bool reordering_seen = false;

  static bool sent_after(double t1, double seq1, double t2, double seq2) {
    return t1 > t2 || (t1 == t2 && seq1 > seq2);
  }

  void update(const Seg& s, double now, double min_rtt, bool ambiguous) {
    const double sample = now - s.xmit_ts;
    if (s.retransmitted && (ambiguous || sample < min_rtt)) return;
    rtt = sample;
    if (sent_after(s.xmit_ts, s.end_seq, xmit_ts, end_seq)) {
      xmit_ts = s.xmit_ts;
      end_seq = s.end_seq;
    }
  }

  void detect_reordering(const Seg& s) {
    if (s.end_seq > fack) {
      fack = s.end_seq;
    } else if (s.end_seq < fack && !s.retransmitted) {
      reordering_seen = true;
    }
  }

  void update_mult(bool dsack, bool leaves_recovery, double una, double nxt) {
    if (dsack_round && una >= *dsack_round) dsack_round.reset();
    if (!dsack_round && dsack) {
      dsack_round = nxt;
      reo_wnd_mult += 1;
      reo_wnd_persist = 16;
    } else if (leaves_recovery) {
      if (--reo_wnd_persist <= 0) reo_wnd_mult = 1;
    }
  }

  double reo_wnd(bool in_recovery, unsigned sacked, double min_rtt, double srtt) const {
    if (!reordering_seen && (in_recovery || sacked >= 3)) return 0;
    return std::min(reo_wnd_mult * min_rtt / 4, srtt);
  }

  // RACK_detect_loss(): the largest time that remains.
  double detect_loss(std::vector<Seg>& segs, double now, double window) const {
    double timeout = 0;
    for (Seg& s : segs) {
      if (s.acked || s.lost || !sent_after(xmit_ts, end_seq, s.xmit_ts, s.end_seq)) continue;
      const double remaining = s.xmit_ts + rtt + window - now;
      if (remaining <= 0) {
        s.lost = true;
      } else {
        timeout = std::max(remaining, timeout);
      }
    }
    return timeout;
  }
};

u64 ns(double ms) { return static_cast<u64>(ms * kNsPerMs + 0.5); }

pst_rack_segment view(const Seg& s) {
  return {ns(s.xmit_ts), static_cast<u64>(s.end_seq), s.retransmitted};
}

// One connection: segments leave, arrive in random order, and are sent again when lost.
struct Connection {
  explicit Connection(unsigned seed) : random(seed) { pst_rack_init(&rack); }

  std::mt19937 random;
  RackTwin twin;
  pst_rack rack{};
  std::vector<Seg> segs;
  double now = 1000;
  int lost = 0, waits = 0;

  bool chance(unsigned percent) { return random() % 100 < percent; }

  void send() {
    for (Seg& s : segs) {
      if (!s.lost || !chance(60)) continue;
      s.lost = false;
      s.retransmitted = true;
      s.xmit_ts = now;
    }
    for (auto k = random() % 3; k > 0; --k) {
      segs.push_back({now, 1000.0 * static_cast<double>(segs.size() + 1)});
    }
  }

  void deliver(double min_rtt) {
    const pst_rack_ack a{ns(now), ns(min_rtt), 0, 0, false};
    for (Seg& s : segs) {
      if (s.acked || now - s.xmit_ts < min_rtt / 2 || !chance(s.lost ? 5 : 25)) continue;
      const bool ambiguous = chance(30);
      const pst_rack_segment v = view(s);
      twin.detect_reordering(s);
      twin.update(s, now, min_rtt, ambiguous);
      pst_rack_delivered(&rack, &v, &a, ambiguous);
      s.acked = true;
      s.lost = false;
    }
  }

  void judge(bool in_recovery, unsigned sacked, double min_rtt, double srtt) {
    const pst_rack_ack a{ns(now), ns(min_rtt), ns(srtt), sacked, in_recovery};
    const double window = twin.reo_wnd(in_recovery, sacked, min_rtt, srtt);
    const u64 window_ns = pst_rack_window_ns(&rack, &a);
    ASSERT_EQ(window_ns, ns(window));
    u64 wait_ns = 0;
    std::vector<bool> found;
    for (const Seg& s : segs) {
      const pst_rack_segment v = view(s);
      const bool open = !s.acked && !s.lost && pst_rack_overtaken(&rack, &v);
      const u64 left = open ? pst_rack_remaining_ns(&rack, &v, window_ns, a.now_ns) : 0;
      found.push_back(s.lost || (open && left == 0));
      wait_ns = std::max(wait_ns, left);
    }
    ASSERT_EQ(wait_ns, ns(twin.detect_loss(segs, now, window)));
    waits += wait_ns > 0;
    for (std::size_t i = 0; i < segs.size(); ++i) {
      ASSERT_EQ(found[i], segs[i].lost) << "segment " << i;
      lost += segs[i].lost;
    }
  }
};

TEST(Rack, FollowsTheRfcsPseudocode) {
  int lost = 0, waits = 0, calm = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Connection run(seed);
    for (int step = 0; step < 120; ++step) {
      run.now += static_cast<double>(run.random() % 12);
      run.send();
      if (seed % 4 != 0 || step > 60) run.deliver(40);
      run.judge(run.chance(30), static_cast<unsigned>(run.random() % 5), 40, 44);
      if (::testing::Test::HasFatalFailure()) return;
      ASSERT_EQ(run.rack.reordering_seen, run.twin.reordering_seen);
      ASSERT_EQ(run.rack.rtt_ns, ns(run.twin.rtt));
      ASSERT_EQ(run.rack.xmit_ns, ns(run.twin.xmit_ts));
      ASSERT_EQ(static_cast<double>(run.rack.end), run.twin.end_seq);
      calm += !run.twin.reordering_seen;
    }
    lost += run.lost;
    waits += run.waits;
  }
  EXPECT_GT(lost, 1000);
  EXPECT_GT(waits, 1000);
  EXPECT_GT(calm, 100);
}

TEST(Rack, WidensItsWindowOncePerRoundWithADsack) {
  std::mt19937 random(7);
  RackTwin twin;
  pst_rack rack;
  pst_rack_init(&rack);
  twin.reordering_seen = rack.reordering_seen = true;
  u64 una = 1;
  double largest = 0;
  bool narrowed = false;
  for (int step = 0; step < 20'000; ++step) {
    una += random() % 3000;
    const u64 sent = una + 20'000;
    const bool busy = step % 2000 < 600;
    const bool dsack = busy && random() % 3 == 0;
    const bool leaves = !dsack && random() % 20 == 0;
    if (dsack) pst_rack_on_dsack(&rack, una, sent);
    if (leaves) pst_rack_recovered(&rack);
    twin.update_mult(dsack, leaves, static_cast<double>(una), static_cast<double>(sent));
    ASSERT_EQ(rack.mult, twin.reo_wnd_mult) << "step " << step;
    const pst_rack_ack a{0, ns(40), ns(1000), 5, true};
    ASSERT_EQ(pst_rack_window_ns(&rack, &a), ns(twin.reo_wnd(true, 5, 40, 1000)));
    largest = std::max(largest, twin.reo_wnd_mult);
    narrowed = narrowed || (largest > 3 && twin.reo_wnd_mult == 1);
  }
  EXPECT_GT(largest, 10);
  EXPECT_TRUE(narrowed);
}

TEST(Tlp, WaitsForTwoRoundTripsAndALoneSegmentsAck) {
  EXPECT_EQ(pst_tlp_pto_ns(0, true), ns(1000));
  EXPECT_EQ(pst_tlp_pto_ns(ns(50), false), ns(100));
  EXPECT_EQ(pst_tlp_pto_ns(ns(50), true), ns(300));
}

// Section 7.4.2.
TEST(Tlp, JudgesTheProbesAck) {
  struct Case {
    bool is_retrans;
    u64 ack, dsack_end;
    bool bare;
    bool repaired, outstanding;
  };
  constexpr u64 kEnd = 5000;
  const Case cases[] = {
      {true, 4000, 0, false, false, true},        // below the probe
      {true, kEnd, 0, false, false, true},        // either copy
      {true, kEnd, 0, true, false, false},        // both copies, without DSACK
      {true, kEnd, kEnd, false, false, false},    // both copies
      {true, 6000, kEnd, false, false, false},    // likewise
      {true, 6000, 4000, false, true, false},     // another duplicate
      {true, 6000, 0, false, true, false},        // one copy only
      {false, kEnd, 0, false, false, false},      // new data has arrived
      {false, 6000, 0, false, false, false},
  };
  for (const Case& c : cases) {
    pst_tlp t{kEnd, c.is_retrans};
    EXPECT_EQ(pst_tlp_on_ack(&t, c.ack, c.dsack_end, c.bare), c.repaired) << c.ack;
    EXPECT_EQ(t.end != 0, c.outstanding) << c.ack;
    EXPECT_FALSE(pst_tlp_on_ack(&t, kEnd - 1, 0, true));
  }
}

}  // namespace
