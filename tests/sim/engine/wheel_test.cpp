// SPDX-License-Identifier: GPL-2.0-only
// The wheel against a stable ordered map: the same records, in the same order.
#include "sim/engine/wheel.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace penstock::engine {
namespace {

struct Record {
  std::uint64_t time_ns;
  std::uint32_t next;
  std::uint32_t name;
};

class Pair {  // a wheel and its reference, fed alike
 public:
  explicit Pair(std::uint32_t shift, std::uint64_t usual_wait_ns = 0)
      : wheel_(shift, usual_wait_ns) {}

  void push(std::uint64_t time_ns) {
    const std::uint32_t index = wheel_.pool().take();
    wheel_.pool()[index].time_ns = time_ns;
    wheel_.pool()[index].name = names_;
    wheel_.push(index);
    reference_.emplace(time_ns, names_++);  // equal keys keep their order
  }

  // Pops both, expects them equal; returns the time, or ~0 when both are empty.
  std::uint64_t pop() {
    const Record* const popped = wheel_.pop(~0ULL, now_ns_);
    if (reference_.empty()) {
      EXPECT_EQ(popped, nullptr);
      return ~0ULL;
    }
    EXPECT_NE(popped, nullptr);
    if (!popped) return ~0ULL;
    EXPECT_EQ(&wheel_.pool()[popped->next], popped);
    const Record r = *popped;
    wheel_.pool().give_back(r.next);
    EXPECT_EQ(r.time_ns, reference_.begin()->first);
    EXPECT_EQ(r.name, reference_.begin()->second);
    reference_.erase(reference_.begin());
    return r.time_ns;
  }

 private:
  Wheel<Record> wheel_;
  std::multimap<std::uint64_t, std::uint32_t> reference_;
  std::uint32_t names_ = 0;
  std::uint64_t now_ns_ = 0;
};

TEST(Wheel, EmptyWheelGivesNothing) {
  Pair pair(10);
  EXPECT_EQ(pair.pop(), ~0ULL);
}

TEST(Wheel, EqualTimesLeaveInTheOrderTheyCame) {
  Pair pair(4);
  for (int i = 0; i < 100; ++i) pair.push(12345);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(pair.pop(), 12345U);
}

TEST(Wheel, FarTimesComeBackFromTheUpperLevels) {
  for (const std::uint64_t usual_wait_ns : {0ULL, ~0ULL}) {
    Pair pair(8, usual_wait_ns);
    for (std::uint64_t bit = 0; bit < 62; ++bit) {
      pair.push(1ULL << bit);
      pair.push((1ULL << bit) + 1);
    }
    for (int i = 0; i < 124; ++i) pair.pop();
    EXPECT_EQ(pair.pop(), ~0ULL);
  }
}

TEST(Wheel, WhatIsPutIntoTheBucketAtHandLeavesNoRoomBehind) {
  Wheel<Record> wheel(20);
  for (std::uint64_t time_ns = 1; time_ns < 100'000; ++time_ns) {
    const std::uint32_t index = wheel.pool().take();
    wheel.pool()[index].time_ns = time_ns;
    wheel.push(index);
    wheel.pool().give_back(wheel.pop()->next);
  }
  EXPECT_LT(wheel.room(), 64U);
}

TEST(Wheel, ARecordThatIsTooLateIsTheNextAgain) {
  Wheel<Record> wheel(4);
  const auto push = [&](std::uint64_t time_ns, std::uint32_t name) {
    const std::uint32_t index = wheel.pool().take();
    wheel.pool()[index] = {time_ns, 0, name};
    wheel.push(index);
    return index;
  };
  const std::uint32_t first = push(1'000, 1);
  push(1'000, 2);
  std::uint64_t now_ns = 0;
  EXPECT_EQ(wheel.pop(400, now_ns), nullptr);
  EXPECT_EQ(now_ns, 400U);
  const std::uint32_t earlier = push(500, 3);
  EXPECT_EQ(wheel.pop(1'000, now_ns)->next, earlier);
  EXPECT_EQ(now_ns, 500U);
  EXPECT_EQ(wheel.pop(1'000, now_ns)->next, first);
}

TEST(Wheel, HoldModelMatchesTheOrderedMap) {
  struct Shape {
    std::uint32_t shift;
    std::uint64_t usual_wait_ns;
  };
  // A block of the lowest level has 2^10 buckets, or 2^13 (5,000 ns and more), or the most.
  for (const auto [shift, usual_wait_ns] :
       {Shape{0, 0}, {0, 5'000}, {6, 0}, {6, 1'000'000}, {13, 0}, {10, ~0ULL}, {20, 0}}) {
    Pair pair(shift, usual_wait_ns);
    std::mt19937_64 random(shift + 1);
    std::uint64_t now = 0;
    for (int i = 0; i < 300; ++i) pair.push(random() % 100'000);
    for (int i = 0; i < 60'000; ++i) {
      now = pair.pop();
      // Mixed horizons, many ties, some at the very moment.
      static constexpr std::uint64_t kSpans[] = {1,         50,          5'000,
                                                 1'000'000, 400'000'000, 90'000'000'000};
      pair.push(now + random() % kSpans[random() % 6]);
    }
    for (int i = 0; i < 300; ++i) pair.pop();
  }
}

TEST(Wheel, MoreRecordsThanTheCacheHolds) {
  Pair pair(10, 5'000'000);
  std::mt19937_64 random(3);
  for (int i = 0; i < 10'000; ++i) pair.push(random() % 5'000'000);
  for (int i = 0; i < 20'000; ++i) pair.push(pair.pop() + random() % 5'000'000);
  for (int i = 0; i < 10'000; ++i) pair.pop();
  EXPECT_EQ(pair.pop(), ~0ULL);
}

TEST(Wheel, ManyRecordsInTheBucketAtHand) {
  Pair pair(30);  // everything in one bucket
  std::mt19937_64 random(7);
  for (int i = 0; i < 2'000; ++i) pair.push(random() % 1'000'000);
  for (int i = 0; i < 2'000; ++i) pair.push(pair.pop() + random() % 1'000);
  for (int i = 0; i < 2'000; ++i) pair.pop();
}

}  // namespace
}  // namespace penstock::engine
