// SPDX-License-Identifier: GPL-2.0-only
// The target queue of `penstock` and `fair`.
#include <gtest/gtest.h>

#include "core/queue/target.h"

namespace {

constexpr u64 kFiveMs = 5'000'000;

pst_queue queue_of(u64 rate_bytes_per_s) {
  pst_queue queue{};
  queue.mss_bytes = 1448;
  queue.rate_bytes_per_s = rate_bytes_per_s;
  return queue;
}

TEST(Target, IsATimeAtMost) {
  const pst_queue queue = queue_of(2'500'000);  // 20 Mbit/s
  EXPECT_EQ(pst_target_bytes(&queue, 29'100, kFiveMs), 12'500U);
  EXPECT_EQ(pst_target_bytes(&queue, 29'100, 2 * kFiveMs), 25'000U);
}

TEST(Target, IsAPartOfTheBufferAtMost) {
  const pst_queue queue = queue_of(125'000'000);
  EXPECT_EQ(pst_target_bytes(&queue, 29'100, kFiveMs), 29'100U);
}

TEST(Target, HoldsTwoPairsOfSegmentsIfTheBufferDoes) {
  const pst_queue slow = queue_of(12'500);
  EXPECT_EQ(pst_target_bytes(&slow, 29'100, kFiveMs), 4 * 1488U);
  EXPECT_EQ(pst_target_bytes(&slow, 1'000, kFiveMs), 1'000U);
  const pst_queue unknown = queue_of(0);
  EXPECT_EQ(pst_target_bytes(&unknown, 29'100, kFiveMs), 4 * 1488U);
}

TEST(Target, HoldsWhatFlowsOfIndependentTurnsNeed) {
  pst_queue queue = queue_of(2'500'000);
  queue.flows_q16 = 8 * PST_Q16_ONE;
  EXPECT_EQ(pst_target_bytes(&queue, 29'100, kFiveMs), 12'500U);
  queue.flows_q16 = 16 * PST_Q16_ONE;
  EXPECT_EQ(pst_target_bytes(&queue, 29'100, kFiveMs), 10 * 1488U);
  queue.flows_q16 = 100 * PST_Q16_ONE;
  EXPECT_EQ(pst_target_bytes(&queue, 97'000, kFiveMs), 25 * 1488U);
  EXPECT_EQ(pst_target_bytes(&queue, 29'100, kFiveMs), 29'100U);
  queue.flows_q16 = ~0ULL;
  queue.mss_bytes = 65'495;
  EXPECT_EQ(pst_target_bytes(&queue, PST_MAX_BYTES, kFiveMs), 5ULL * (1 << 20) / 2 * 65'535 >> 8);
}

TEST(Target, HasPausesOnTop) {
  pst_queue queue = queue_of(2'500'000);
  queue.pause_ns = 2 * kFiveMs;
  EXPECT_EQ(pst_target_bytes(&queue, 60'000, kFiveMs), 37'500U);
  EXPECT_EQ(pst_target_bytes(&queue, 29'100, kFiveMs), 29'100U);
  queue = queue_of(12'500);
  queue.pause_ns = 2 * kFiveMs;
  EXPECT_EQ(pst_target_bytes(&queue, 29'100, kFiveMs), 4 * 1488U + 125U);
  queue = queue_of(~0ULL);
  queue.pause_ns = PST_MAX_NS;
  EXPECT_EQ(pst_target_bytes(&queue, PST_MAX_BYTES, PST_MAX_NS), PST_MAX_BYTES);
}

TEST(Target, FitsAtTheEndsOfItsRanges) {
  const pst_queue queue = queue_of(~0ULL);
  EXPECT_EQ(pst_target_bytes(&queue, PST_MAX_BYTES, PST_MAX_NS), PST_MAX_BYTES);
  EXPECT_EQ(pst_target_bytes(&queue, PST_MAX_BYTES, 0), 4 * 1488U);
}

}  // namespace
