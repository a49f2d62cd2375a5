// SPDX-License-Identifier: GPL-2.0-only
// What rules spare of `fair`: it always passes, the others divide what it leaves, and a bound
// holds in any time; its amounts against a twin in floating point.
#include "fair_host.h"

#include "core/flow/spared.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace {

constexpr u64 kRule = 7, kGrowing = 8, kFirst = 100;
constexpr u32 kPacket = 1000;

// For some seconds at the target: a rule's packets at this part of the link, one that grows by as
// much as it gets, and controlled flows that fill their windows. Returns what `fair` hit of each.
struct Hits {
  u64 rule = 0, growing = 0;
};
Hits beside(Fair& fair, double part, u64 controlled, pst_kind kind, double seconds = 8) {
  std::mt19937_64 random{11};
  Hits hits;
  double rule_due = 0, growing_due = 0, due = 0;
  for (u64 step = 0; step < static_cast<u64>(seconds * 1e4); ++step) {
    fair.q.now_ns += 100'000;
    fair.q.bytes = kTarget;
    const auto send = [&](double& waits, double rate, u64 flow, pst_kind of, u64& hit) {
      for (waits += rate * 1e-4; waits >= kPacket; waits -= kPacket) {
        fair.answer(flow);
        fair.q.random = static_cast<u32>(random());
        hit += fair.arrive(flow, kPacket, of) != PST_PASS;
      }
    };
    const double c = static_cast<double>(kBytesPerS);
    send(rule_due, part * c, kRule, kind, hits.rule);
    send(growing_due, 0.5 * c, kGrowing, PST_KIND_OTHER, hits.growing);
    for (due += (1 - part) * c * 1e-4; due >= kPacket; due -= kPacket)
      fair.arrive(kFirst + step % controlled, kPacket, PST_KIND_CONTROLLED, 0, true);
    for (u64 flow = 0; step % 200 == 0 && flow < controlled; ++flow)
      fair.arrive(kFirst + flow, 60, PST_KIND_CONTROLLED, 0, true);
  }
  return hits;
}

TEST(FairRule, WhatARuleSparesLosesNothingThatItWouldLoseWithout) {
  for (const double part : {0.3, 0.6, 0.9}) {
    Fair without, with;
    EXPECT_GT(beside(without, part, 8, PST_KIND_OTHER).rule, 100U) << part;
    const Hits hits = beside(with, part, 8, PST_KIND_BY_RULE);
    EXPECT_EQ(hits.rule, 0U) << part;
    EXPECT_GT(hits.growing, 100U) << part << ": others are held";
  }
}

TEST(FairRule, TheOthersDivideWhatItLeaves) {
  for (const double part : {0.0, 0.3, 0.6}) {
    Fair fair;
    beside(fair, part, 8, PST_KIND_BY_RULE);
    const double share = static_cast<double>(fair.s.share_bytes) / 0.1;
    const double fair_share = (1 - part) * static_cast<double>(kBytesPerS) / 9;  // with the growing
    EXPECT_NEAR(share / fair_share, 1, 0.08) << part;
  }
}

TEST(FairRule, ItTakesNothingOfThePartForWhoKeepsHisRate) {
  Fair fair;
  fair.p.spare_q16 = PST_Q16_ONE / 2;
  beside(fair, 0.9, 8, PST_KIND_BY_RULE);
  Fair none;
  none.p.spare_q16 = PST_Q16_ONE / 2;
  beside(none, 0, 8, PST_KIND_BY_RULE);
  EXPECT_LE(fair.s.spent_bytes, none.s.spent_bytes + kBytesPerS / 2);
}

// Whatever came before, at any queue: no mark and no drop.
TEST(FairRule, AnyPacketOfARulePassesInAnyState) {
  std::mt19937_64 random{5};
  Fair fair;
  fair.p.spare_q16 = PST_Q16_ONE / 2;
  u64 hit = 0;
  for (int i = 0; i < 300'000; ++i) {
    fair.q.now_ns += random() % (i % 1000 ? 50'000 : 700 * kMs);
    fair.q.bytes = random() % fair.q.limit_bytes;
    fair.q.random = static_cast<u32>(random());
    const auto kind = static_cast<pst_kind>(random() % (PST_KIND_BY_RULE + 1));
    const u64 flow = random() % 12;
    if (random() % 4) fair.answer(flow);
    const auto verdict = fair.arrive(flow, static_cast<u32>(60 + random() % 60'000), kind,
                                     static_cast<u8>(random()), random() % 2);
    ASSERT_FALSE(kind == PST_KIND_BY_RULE && verdict != PST_PASS) << i;
    hit += verdict != PST_PASS;
    ASSERT_TRUE(pst_fair_invariant(&fair.s));
  }
  EXPECT_GT(hit, 1000U);
}

// Answers take another path: nothing is held, and all is as before when a flow is answered here.
TEST(FairOneWay, NothingIsHeldWhileNoFlowIsAnswered) {
  Fair fair;
  std::mt19937_64 random{2};
  const auto hits = [&](double seconds, u64 flow) {
    u64 hit = 0;
    for (u64 i = 0; i < static_cast<u64>(seconds * 3750); ++i) {  // at 1.5 times the rate
      fair.q.now_ns += PST_NS_PER_S / 3750;
      fair.q.bytes = 4 * kTarget;
      fair.q.random = static_cast<u32>(random());
      hit += fair.arrive(flow + i % 5, kPacket, PST_KIND_OTHER) != PST_PASS;
    }
    return hit;
  };
  EXPECT_GT(hits(29, 1), 10'000U) << "nothing is known yet";
  hits(2, 1);
  EXPECT_EQ(hits(20, 1), 0U);
  fair.answer(1);
  EXPECT_GT(hits(20, 1), 10'000U) << "one flow is answered, and the flood is held beside it";
  hits(45, 2'000'000);  // the answer is forgotten after 30 s, and what it means after 30 more
  EXPECT_EQ(hits(5, 2'000'000), 0U);
  EXPECT_EQ(fair.arrive(9, 60, PST_KIND_CONTROLLED), PST_PASS);
  EXPECT_GT(hits(1, 2'000'000), 500U) << "data that a window controls says the same";
}

TEST(Spared, ABoundHoldsInAnyTime) {
  std::mt19937_64 random{3};
  for (const double rate : {1.0, 1000.0, 3e5, 1.25e9}) {
    const auto part = static_cast<u64>(rate);
    u64 due_ns = 0, now_ns = 0, passed = 0;
    std::vector<std::pair<double, double>> points;  // time, bytes up to then
    double twin_due = 0;
    for (int i = 0; i < 20'000; ++i) {
      const auto bytes = static_cast<u32>(60 + random() % (1455 + part / 500));
      const double gap_s = bytes / rate * (i % 3000 < 1500 ? 0.4 : 3);
      now_ns += static_cast<u64>(gap_s * 1e9);
      const double now_s = static_cast<double>(now_ns) / 1e9;
      const bool fits = pst_spared_fits(&due_ns, part, bytes, now_ns);
      const double from = std::max(twin_due, now_s);
      const bool close = std::abs(from - now_s - 0.5) < 1e-4;
      ASSERT_TRUE(close || fits == (from - now_s <= 0.5)) << rate << " " << i;
      twin_due = static_cast<double>(due_ns) / 1e9;
      if (!fits) continue;
      points.emplace_back(now_s, static_cast<double>(passed));
      passed += bytes;
      const auto& [began_s, before] = points[random() % points.size()];
      ASSERT_LE(static_cast<double>(passed) - before, rate * (now_s - began_s + 0.5) + bytes + 1e-3)
          << rate;
    }
    EXPECT_LT(points.size(), 20'000U) << "some are beyond";
  }
}

TEST(Spared, ItsRateIsTheMeanOfSomeSeconds) {
  std::mt19937_64 random{9};
  for (const double rate : {5e3, 7.4e5, 1.2e9}) {
    pst_spared s{};
    double mean = 0, seen_s = 0, due = 0;
    u64 bytes = 0, packets = 0;
    constexpr double kMeanS = 4.294967296;
    while (seen_s < 20) {
      const auto size = static_cast<u32>(rate > 1e6 ? 60'000 : 60 + random() % 1455);
      due += size / rate;
      const auto now_ns = static_cast<u64>(due * 1e9);
      pst_spared_add(&s, size, now_ns);
      const double passed_s = due - seen_s;
      mean = (passed_s < kMeanS ? mean * (1 - passed_s / kMeanS) : 0) + size;
      seen_s = due;
      bytes += size;
      ++packets;
    }
    EXPECT_EQ(s.bytes, bytes);
    EXPECT_EQ(s.packets, packets);
    const auto now_ns = static_cast<u64>(due * 1e9);
    EXPECT_NEAR(static_cast<double>(pst_spared_bytes_per_s(&s, now_ns)) * kMeanS / mean, 1, 0.02);
    EXPECT_NEAR(static_cast<double>(pst_spared_bytes_per_s(&s, now_ns)) / rate, 1, 0.1);
    EXPECT_EQ(pst_spared_bytes_per_s(&s, now_ns + 5 * PST_NS_PER_S), 0U);
  }
}

}  // namespace
