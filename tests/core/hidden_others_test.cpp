// SPDX-License-Identifier: GPL-2.0-only
// A queue further down that others fill, of whom no ACK tells: the rate is that of the link,
// against a link in floating point, and what is supposed where no trip tells anything.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <random>

#include "core/gateway/gateway.h"
#include "core/queue/hidden_supposed.h"
#include "core/queue/hidden_trip.h"

namespace {

constexpr u64 kMs = 1'000'000;
constexpr u64 kSegmentBytes = 1500;
constexpr u64 kOtherBytes = 1228;
constexpr double kPathS = 0.04;

u64 ns_of(double s) { return static_cast<u64>(std::llround(s * 1e9)); }

// A link of `rate` bytes per second, behind a gateway that passes pairs of segments and others. The
// ACK of a pair comes when its second segment has left; the first is timed.
class Modem {
 public:
  Modem(double rate, u64 seed) : rate_(rate), random_(seed) { pst_departure_rate_init(&r_); }

  // Others send so much, and pairs the rest, with gaps that vary, for `for_s`.
  void send(double others, double pairs, double for_s) {
    for (const double end_s = now_s_ + for_s; now_s_ < end_s;) {
      if (next_other_s_ < next_segment_s_) {
        until(next_other_s_);
        pass(kOtherBytes, true);
        next_other_s_ += gap_s(kOtherBytes / others);
      } else {
        until(next_segment_s_);
        segment();
        next_segment_s_ += gap_s(kSegmentBytes / pairs);
      }
    }
  }
  double ratio() const { return static_cast<double>(r_.bytes_per_s) / rate_; }
  double queue_s() const { return std::max(free_s_ - now_s_, 0.0); }
  bool known() const { return pst_hidden_is_known(&h_); }

 private:
  struct Timed {
    double acked_s, sent_s;
    pst_hidden_flow flow;
  };

  double gap_s(double mean_s) { return mean_s * std::uniform_real_distribution(0.5, 1.5)(random_); }
  void until(double s) {
    while (!acks_.empty() && acks_.front().acked_s <= s) ack();
    now_s_ = s;
    pst_hidden_suppose(&h_, &r_, ns_of(now_s_));
    pst_hidden_look(&h_, &r_, ns_of(now_s_));
  }
  void pass(u64 bytes, bool other) {
    if (other) pst_hidden_other(&h_, bytes);
    pst_hidden_enter(&h_, bytes);
    free_s_ = std::max(free_s_, now_s_) + static_cast<double>(bytes) / rate_;
  }
  // The first of a pair is timed, and others pass before the second.
  void segment() {
    if (first_) {
      timed_ = known_;
      sent_s_ = now_s_;
      pst_hidden_mark(&h_, &timed_);
    } else {
      pst_hidden_follow(&h_, &timed_);
    }
    pass(kSegmentBytes, false);
    if (!first_) acks_.push_back({free_s_ + kPathS, sent_s_, timed_});
    first_ = !first_;
  }
  void ack() {
    Timed one = acks_.front();
    acks_.pop_front();
    now_s_ = one.acked_s;
    one.flow.least_ns = known_.least_ns;
    pst_hidden_look(&h_, &r_, ns_of(now_s_));
    pst_hidden_acked(&h_, 2 * kSegmentBytes);
    const pst_trip t{ns_of(now_s_), ns_of(one.acked_s - one.sent_s), ns_of(kPathS), 1, 1, 1, 0};
    pst_hidden_trip(&h_, &r_, &one.flow, &t, kSegmentBytes);
    known_.least_ns = one.flow.least_ns;
  }

  double rate_, now_s_ = 1, free_s_ = 1, next_other_s_ = 1, next_segment_s_ = 1, sent_s_ = 0;
  bool first_ = true;
  std::mt19937_64 random_;
  std::deque<Timed> acks_;
  pst_hidden_queue h_{};
  pst_hidden_flow known_{}, timed_{};
  pst_departure_rate r_{};
};

// Half a second above the link's rate, then below it, again and again: no packet is lost.
TEST(HiddenOthers, TeachTheRateOfTheLink) {
  for (const double rate : {625'000.0, 2'500'000.0}) {
    for (const double part : {0.7, 0.85}) {
      Modem modem(rate, 7);
      modem.send(part * rate, 0.2 * rate, 1);
      for (int i = 0; i < 20; ++i) {
        modem.send(1.3 * part * rate, 0.4 * rate, 0.5);
        EXPECT_TRUE(modem.known());
        EXPECT_NEAR(modem.ratio(), 1, 0.12) << rate << " " << part << " " << i;
        modem.send(0.4 * part * rate, 0.2 * rate, 0.5);
      }
    }
  }
}

// Equation 5 and what it goes by, in floating point.
TEST(HiddenOthers, WhatPassesAgainIsAnAverageOverBytes) {
  std::mt19937_64 random(5);
  pst_hidden_queue h{};
  double again = 0;
  for (int i = 0; i < 10'000; ++i) {
    const u64 bytes = 40 + random() % 40'000;
    const bool is_again = random() % 8 < static_cast<u64>(i / 1'000);
    const double weight = std::min(static_cast<double>(bytes) / PST_HIDDEN_AGAIN_BYTES, 1.0);
    pst_hidden_sent(&h, bytes, is_again, PST_NS_PER_S);
    again += weight * ((is_again ? 1.0 : 0.0) - again);
    ASSERT_NEAR(static_cast<double>(h.again_q16) / 65536, again, 0.01) << i;
  }
}

// A gateway that knows nothing; others pass at `others`, and of the data a part passes again.
class Starved {
 public:
  Starved() { pst_departure_rate_init(&r); }
  void send(u64 others_bytes_per_s, bool again, u64 for_ns) {
    for (const u64 end_ns = now_ns + for_ns; now_ns < end_ns; now_ns += 10 * kMs) {
      pst_hidden_suppose(&h, &r, now_ns);
      pst_hidden_look(&h, &r, now_ns);
      pst_hidden_other(&h, others_bytes_per_s / 100);
      pst_hidden_enter(&h, others_bytes_per_s / 100);
      if (now_ns / kMs % 100 == 0) pst_hidden_sent(&h, kSegmentBytes, again, now_ns);
    }
  }
  u64 now_ns = PST_NS_PER_S;
  pst_hidden_queue h{};
  pst_departure_rate r{};
};

TEST(HiddenOthers, AreSupposedToArriveWhereDataIsLost) {
  Starved g;
  g.send(1'000'000, false, 5 * PST_NS_PER_S);
  EXPECT_FALSE(pst_hidden_is_known(&g.h));
  g.h.again_q16 = PST_Q16_ONE / 4;
  g.h.trip_ns = g.now_ns;
  g.h.told_bytes = g.h.others_bytes;
  g.send(1'000'000, true, PST_NS_PER_S);
  EXPECT_TRUE(pst_hidden_is_known(&g.h));
  EXPECT_NEAR(static_cast<double>(g.r.bytes_per_s), 1e6 * 0.75 * std::pow(1 - 1500 / 32768.0, 5),
              1e4);
}

// It is lowered where others pass less, and never raised; then it is doubted.
TEST(HiddenOthers, LowerWhatIsSupposedUntilItIsDoubted) {
  Starved g;
  g.h.again_q16 = PST_Q16_ONE / 2;
  g.h.trip_ns = g.now_ns;
  g.send(1'000'000, true, PST_NS_PER_S);
  const u64 first = g.r.bytes_per_s;
  g.send(400'000, true, 3 * PST_NS_PER_S);
  EXPECT_LT(g.r.bytes_per_s, 6 * first / 10);  // it has 0.5 s of the first, too
  const u64 lower = g.r.bytes_per_s;
  g.send(4'000'000, true, 4 * PST_NS_PER_S);
  EXPECT_EQ(g.r.bytes_per_s, lower);
  g.send(400'000, true, 20 * PST_NS_PER_S);
  EXPECT_FALSE(pst_hidden_is_known(&g.h));
  EXPECT_EQ(g.h.doubts, 1U);
}

// Delays are then no queue, but a flood that begins is.
TEST(HiddenOthers, FillALinkThatTripsHaveFoundIdle) {
  pst_gateway_config c{};
  c.auto_rate = c.passive = true;
  pst_gateway_state s{};
  s.hidden.known_ns = ~0ULL;
  s.hidden.idle = true;
  s.hidden.bytes = 50'000;
  s.departures.bytes_per_s = 1'000'000;
  EXPECT_EQ(pst_gateway_hidden_bytes(&c, &s, 0), 0U);
  pst_hidden_other(&s.hidden, 20'000);
  pst_hidden_enter(&s.hidden, 20'000);
  EXPECT_EQ(pst_gateway_hidden_bytes(&c, &s, 0), 20'000U);
  EXPECT_EQ(pst_gateway_hidden_bytes(&c, &s, 5 * kMs), 15'000U);
}

}  // namespace
