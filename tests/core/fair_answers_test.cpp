// SPDX-License-Identifier: GPL-2.0-only
// Which flows of `fair` count as answered: those that were, while their answers fit, and else not
// fewer.
#include <gtest/gtest.h>

#include "fair_host.h"

namespace {

constexpr u64 kSecond = 1'000 * kMs;
constexpr u64 kForged = 1ULL << 40;

bool is_answered(const Fair& fair, u64 flow) {
  return pst_fair_is_answered(fair.table.get(), pst_fair_hash(flow + 1),
                              pst_fair_units(fair.q.now_ns));
}

int answered_of(const Fair& fair, u64 from, u64 to) {
  int count = 0;
  for (u64 flow = from; flow < to; ++flow) count += is_answered(fair, flow);
  return count;
}

int forged(const Fair& fair, u64 flows = 1'000'000) {
  return answered_of(fair, kForged, kForged + flows);
}

TEST(FairAnswers, AreOfTheirFlowAlone) {
  Fair fair;
  for (int second = 1; second <= 5; ++second) {
    fair.q.now_ns += kSecond;
    for (u64 flow = 0; flow < 2'000; ++flow) fair.answer(flow);
  }
  EXPECT_EQ(answered_of(fair, 0, 2'000), 2'000);
  EXPECT_EQ(forged(fair), 0);
}

// As a resolver has: 50 flows a second, of one answer each.
TEST(FairAnswers, TakeThePlacesOfThoseThatAreTooOld) {
  Fair fair;
  u64 flow = 0;
  for (fair.q.now_ns = kSecond; fair.q.now_ns < 300 * kSecond; fair.q.now_ns += kSecond / 50)
    fair.answer(flow++);
  EXPECT_EQ(answered_of(fair, flow - 1'450, flow), 1'450);
  EXPECT_EQ(answered_of(fair, 0, flow - 1'600), 0);
  EXPECT_EQ(forged(fair), 0);
}

TEST(FairAnswers, AreNotLostInACrowd) {
  Fair fair;
  fair.q.now_ns = kSecond;
  constexpr u64 kFlows = 30'000;
  for (u64 flow = 0; flow < kFlows; ++flow, fair.q.now_ns += 29 * kSecond / kFlows)
    fair.answer(flow);
  EXPECT_EQ(answered_of(fair, 0, kFlows), int{kFlows});
  // Each has two cells of few, as has each forged one.
  EXPECT_GT(forged(fair, 1'000), 900);
  fair.q.now_ns += 31 * kSecond;
  fair.answer(0);
  EXPECT_EQ(forged(fair), 0);
  EXPECT_EQ(answered_of(fair, 0, kFlows), 1);
}

TEST(FairAnswers, CountOnACpuWhoseTimeIsBehind) {
  Fair fair;
  fair.q.now_ns = kSecond;
  fair.answer(0);
  fair.q.now_ns -= 10 * kMs;
  EXPECT_TRUE(is_answered(fair, 0));
}

TEST(FairAnswers, LastHalfAMinute) {
  Fair fair;
  fair.q.now_ns = kMs;
  fair.answer(4);
  fair.q.now_ns = 29 * kSecond;
  EXPECT_TRUE(is_answered(fair, 4));
  fair.q.now_ns = 32 * kSecond;
  EXPECT_FALSE(is_answered(fair, 4));
}

}  // namespace
