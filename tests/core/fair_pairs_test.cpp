// SPDX-License-Identifier: GPL-2.0-only
// Many flows of one pair of hosts, or of many forged ones, beside others: what they take, and who
// was there before keeps his rate.
#include "fair_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace {

constexpr double kC = static_cast<double>(kBytesPerS);
constexpr u32 kStep = 100'000;  // ns

// A sender that no window controls, all packets of which are answered.
struct Sender {
  double rate;  // of C
  u32 bytes;
  std::function<u64(u64 n)> flow;
  std::function<u64(u64 n)> pair;
  double from_s = 0;
  // Of each 200 ms, the part that was lost: a sender that responds slows down by it.
  double responds = 0;
  u64 host = 0;  // with the same, senders have the same pairs; 0 with none
  double now = 0, due = 0, sent = 0, passed = 0, round_sent = 0, round_lost = 0;
  u64 count = 0;

  double lost() const { return 1 - passed / sent; }
};

// Beside `controlled` flows that take what is left and fill their windows, the queue at its target.
class Beside {
 public:
  Beside(std::vector<Sender>& senders, u64 controlled, double seconds, double from_s)
      : senders_(senders) {
    fair_.p.spare_q16 = PST_Q16_ONE / 2;
    double due = 0;
    for (u64 step = 0; step < static_cast<u64>(seconds * 1e9 / kStep); ++step) {
      fair_.q.now_ns += kStep;
      fair_.q.bytes = kTarget;
      const double now_s = static_cast<double>(fair_.q.now_ns) / 1e9;
      counts_ = now_s >= from_s;
      double passed = 0;
      for (std::size_t i = 0; i < senders.size(); ++i)
        if (now_s >= senders[i].from_s) passed += send(i, step);
      if (counts_) others_ += passed;
      due += std::max(-kC * 1e-3, kC * kStep / 1e9 - passed);
      for (u64 flow = step; due >= 1000; due -= 1000, ++flow)
        fair_.arrive(flow % controlled, 1000, PST_KIND_CONTROLLED, 0, true);
      for (u64 flow = 0; step % 200 == 0 && flow < controlled; ++flow)
        fair_.arrive(flow, 60, PST_KIND_CONTROLLED, 0, true);
    }
    uncontrolled = others_ / (seconds - from_s) / kC;
  }

  double uncontrolled;  // what passed of it, of C

 private:
  double send(std::size_t i, u64 step) {
    Sender& s = senders_[i];
    double passed = 0;
    if (step % 2000 == 0) respond(s);
    for (s.due += (s.responds > 0 ? s.now : s.rate) * kC * kStep / 1e9; s.due >= s.bytes;
         s.due -= s.bytes) {
      pst_packet k{};
      k.queued_ns = fair_.q.now_ns;
      k.bytes = s.bytes;
      k.kind = PST_KIND_OTHER;
      k.flow = pst_fair_hash(1'000'000'000 * (i + 1) + s.flow(s.count));
      const u64 pair =
          pst_fair_hash(1'000'000'000 * (s.host ? s.host : i + 1) + s.pair(s.count)) | 1;
      ++s.count;
      pst_fair_answer(fair_.table.get(), k.flow, fair_.q.now_ns);
      fair_.q.random = static_cast<u32>(random_());
      const bool passes = fair_.arrive(k, pair) == PST_PASS;
      s.round_sent += 1;
      s.round_lost += passes ? 0 : 1;
      passed += passes ? s.bytes : 0;
      if (!counts_) continue;
      s.sent += s.bytes;
      s.passed += passes ? s.bytes : 0;
    }
    return passed;
  }

  static void respond(Sender& s) {
    const double lost = s.round_sent > 0 ? s.round_lost / s.round_sent : 0;
    s.now = lost > 0 ? s.now * (1 - s.responds * lost) : std::min(s.now * 1.1 + 0.002, s.rate);
    s.round_sent = s.round_lost = 0;
  }

  std::vector<Sender>& senders_;
  Fair fair_;
  std::mt19937_64 random_{17};
  bool counts_ = false;
  double others_ = 0;
};

std::function<u64(u64)> in_turn(u64 count) {
  return [count](u64 n) { return n % count; };
}
u64 one(u64) { return 0; }

Sender ports(u64 count, double rate, double from_s = 0) {
  return {.rate = rate, .bytes = 1000, .flow = in_turn(count), .pair = one, .from_s = from_s};
}
Sender stream(double rate, u32 bytes) {
  return {.rate = rate, .bytes = bytes, .flow = one, .pair = one};
}
// Queries that a server behind the gateway answers, of which each has another address.
Sender forged(u64 packets, double from_s) {
  const auto name = [packets](u64 n) { return n / packets; };
  return {.rate = 1.2, .bytes = 200, .flow = name, .pair = name, .from_s = from_s};
}

TEST(FairPairs, AFloodHasOneShareHoweverManyPortsItHas) {
  for (const u64 count : {1U, 8U, 64U, 512U}) {
    std::vector<Sender> senders{ports(count, 1.5)};
    EXPECT_NEAR(Beside(senders, 4, 30, 10).uncontrolled, 0.2, 0.02) << count;
  }
}

TEST(FairPairs, AFloodBelowTheLinksRateHasHalfOfItAndAShare) {
  for (const double rate : {0.6, 0.75, 0.9}) {
    std::vector<Sender> senders{ports(512, rate)};
    EXPECT_LT(Beside(senders, 4, 60, 20).uncontrolled, 0.66) << rate;
  }
}

TEST(FairPairs, EachOfSomePairsHasAShareAtMost) {
  for (const u64 pairs : {2U, 4U}) {
    std::vector<Sender> senders{ports(64 * pairs, 1.5)};
    senders[0].pair = in_turn(pairs);
    const double share = 1.0 / (4 + static_cast<double>(pairs));
    EXPECT_LT(Beside(senders, 4, 30, 10).uncontrolled, static_cast<double>(pairs) * share + 0.05);
  }
}

// Twelve users of QUIC behind one address, with the same server: they respond, and are no flood.
TEST(FairPairs, SendersOfAPairThatRespondHaveHalfOfTheLinkAndAShare) {
  std::vector<Sender> senders;
  for (u64 i = 0; i < 12; ++i)
    senders.push_back({.rate = 1,
                       .bytes = 1200,
                       .flow = [i](u64) { return i; },
                       .pair = one,
                       .responds = 0.5,
                       .host = 77});
  const double had = Beside(senders, 4, 60, 20).uncontrolled;
  EXPECT_GT(had, 0.45);
  EXPECT_LT(had, 0.66);
}

TEST(FairPairs, ATelevisionLosesNothingBesideAFloodOfAnotherPair) {
  std::vector<Sender> senders{stream(0.295, 1200), ports(512, 0.9, 10)};
  Beside(senders, 4, 60, 0);
  EXPECT_EQ(senders[0].lost(), 0);
}

TEST(FairPairs, AVoiceThatWasThereKeepsItsRateBesideForgedQueries) {
  for (const u64 packets : {1U, 4U}) {
    std::vector<Sender> senders{stream(0.0045, 225), stream(0.295, 1200), forged(packets, 15)};
    Beside(senders, 4, 60, 0);
    EXPECT_EQ(senders[0].lost(), 0) << packets;
    EXPECT_EQ(senders[1].lost(), 0) << packets;
    EXPECT_LT(senders[2].passed, packets == 1 ? 0.3 * senders[2].sent : 0.6 * senders[2].sent);
  }
}

// Under a thousand addresses in turn they look like as many users, but not like one who was there.
TEST(FairPairs, AVoiceThatWasThereKeepsItsRateBesideAThousandNames) {
  std::vector<Sender> senders{stream(0.0045, 225), forged(1, 15)};
  senders[1].flow = senders[1].pair = in_turn(1000);
  Beside(senders, 4, 60, 0);
  EXPECT_EQ(senders[0].lost(), 0);
}

TEST(FairPairs, AForgedFloodTakesEachPlaceForASlotAtMost) {
  auto pairs = std::make_unique<pst_fair_pairs>();
  const u16 mine = pst_fair_pair_of(pairs.get(), pst_fair_hash(1), 1);
  for (u64 n = 0; n < 100'000; ++n) {
    const u32 now_units = static_cast<u32>(n / 20) + 1;  // five slots
    pst_fair_pair_of(pairs.get(), pst_fair_hash(1'000'000 + n), now_units);
    if (n % 10'000) continue;
    ASSERT_EQ(pst_fair_pair_of(pairs.get(), pst_fair_hash(1), now_units), mine) << "it stays";
  }
  EXPECT_LE(mine, PST_PAIR_REST);
}

}  // namespace
