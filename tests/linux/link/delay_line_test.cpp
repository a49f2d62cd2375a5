// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/link/delay_line.h"

#include <gtest/gtest.h>

#include <cmath>

namespace penstock::link {
namespace {

constexpr std::uint32_t kFrame = 1514;
constexpr std::uint64_t kMs = 1'000'000;

TEST(DelayLine, AddsTheConstantDelay) {
  DelayLine line({.delay_ns = 20 * kMs});
  EXPECT_EQ(line.arrive(5, kFrame), 20 * kMs + 5);
  EXPECT_EQ(line.arrive(6, kFrame), 20 * kMs + 6);
}

TEST(DelayLine, SendsOnePacketAfterTheOtherAtTheRate) {
  DelayLine line({.rate_bps = 12'000'000});  // 1500 bytes of IP in 1 ms
  EXPECT_EQ(line.arrive(0, kFrame), kMs);
  EXPECT_EQ(line.arrive(0, kFrame), 2 * kMs);
  EXPECT_EQ(line.arrive(10 * kMs, kFrame), 11 * kMs);
}

TEST(DelayLine, DropsWhatDoesNotFitIntoTheQueue) {
  DelayLine line({.rate_bps = 12'000'000, .queue_bytes = 3000});
  int carried = 0;
  for (int i = 0; i < 10; ++i) carried += line.arrive(0, kFrame).has_value();
  EXPECT_EQ(carried, 3);  // one on the wire, 3000 bytes waiting behind it
  EXPECT_EQ(line.losses().queue, 7u);
}

TEST(DelayLine, NeverReordersWhateverTheJitter) {
  DelayLine line({.delay_ns = 10 * kMs, .jitter_ns = 50 * kMs});
  std::uint64_t last = 0, widest = 0;
  for (std::uint64_t now = 0; now < 1000 * kMs; now += kMs) {
    const std::uint64_t due = *line.arrive(now, kFrame);
    EXPECT_GE(due, last);
    EXPECT_GE(due, now + 10 * kMs);
    EXPECT_LE(due, now + 60 * kMs);
    widest = std::max(widest, due - now);
    last = due;
  }
  EXPECT_GT(widest, 50 * kMs);
}

TEST(DelayLine, ALongerDelayHoldsFromTheNextFrameOn) {
  DelayLine line({.delay_ns = 20 * kMs});
  EXPECT_EQ(line.arrive(0, kFrame), 20 * kMs);
  line.change(60 * kMs, 0);
  EXPECT_EQ(line.arrive(kMs, kFrame), 61 * kMs);
}

TEST(DelayLine, AfterAShorterDelayNoFramePassesThoseUnderWay) {
  DelayLine line({.delay_ns = 60 * kMs});
  EXPECT_EQ(line.arrive(0, kFrame), 60 * kMs);
  line.change(20 * kMs, 0);
  EXPECT_EQ(line.arrive(kMs, kFrame), 60 * kMs) << "with the one before";
  EXPECT_EQ(line.arrive(39 * kMs, kFrame), 60 * kMs);
  EXPECT_EQ(line.arrive(41 * kMs, kFrame), 61 * kMs) << "those under way have left";
}

TEST(DelayLine, SendsAtGrantsWhatTheRateAllowsUntilThen) {
  DelayLine line({.rate_bps = 12'000'000, .grant_ns = 4 * kMs});  // four packets each
  int at[3] = {};
  for (int i = 0; i < 12; ++i) {
    const std::uint64_t due = *line.arrive(0, kFrame);
    ASSERT_EQ(due % (4 * kMs), 0U);
    ++at[due / (4 * kMs) - 1];
  }
  for (const int packets : at) EXPECT_EQ(packets, 4);
}

TEST(DelayLine, AFrameWaitsForTheAnswerToItsRequest) {
  DelayLine line({.rate_bps = 12'000'000, .grant_ns = 2 * kMs, .request_ns = 5 * kMs});
  EXPECT_EQ(line.arrive(0, kFrame), 6 * kMs);
  EXPECT_EQ(line.arrive(kMs, kFrame), 8 * kMs);
  EXPECT_EQ(line.arrive(20 * kMs, kFrame), 26 * kMs);
}

TEST(DelayLine, WhatWaitsForItsRequestIsNotInTheQueue) {
  DelayLine line(
      {.rate_bps = 12'000'000, .queue_bytes = 3000, .grant_ns = 2 * kMs, .request_ns = 5 * kMs});
  int carried = 0;
  for (int i = 0; i < 10; ++i) carried += line.arrive(0, kFrame).has_value();
  EXPECT_EQ(carried, 3);
}

TEST(DelayLine, AnotherRateHoldsForTheFramesThatArriveFromThenOn) {
  DelayLine line({.rate_bps = 12'000'000});
  EXPECT_EQ(line.arrive(0, kFrame), kMs);
  line.set_rate(3'000'000);
  EXPECT_EQ(line.arrive(0, kFrame), 5 * kMs);
}

TEST(DelayLine, LossBeginsAndEndsWithAChange) {
  DelayLine line({});
  EXPECT_TRUE(line.arrive(0, kFrame));
  line.change(0, 0.999999999);
  EXPECT_FALSE(line.arrive(0, kFrame));
  line.change(0, 0);
  EXPECT_TRUE(line.arrive(0, kFrame));
}

TEST(DelayLine, LosesTheAskedShareAndTheSameFramesForASeed) {
  constexpr double kRatio = 0.1;
  constexpr int kFrames = 20'000;
  DelayLine one({.loss_ratio = kRatio, .seed = 7}), same({.loss_ratio = kRatio, .seed = 7});
  DelayLine other({.loss_ratio = kRatio, .seed = 8});
  int differing = 0;
  for (int i = 0; i < kFrames; ++i) {
    const bool lost = !one.arrive(0, kFrame);
    EXPECT_EQ(lost, !same.arrive(0, kFrame));
    differing += lost != !other.arrive(0, kFrame);
  }
  // Four standard deviations of a binomial count.
  const double spread = 4 * std::sqrt(kFrames * kRatio * (1 - kRatio));
  EXPECT_NEAR(static_cast<double>(one.losses().random), kFrames * kRatio, spread);
  EXPECT_GT(differing, 0);
}

}  // namespace
}  // namespace penstock::link
