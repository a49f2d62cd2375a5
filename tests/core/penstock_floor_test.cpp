// SPDX-License-Identifier: GPL-2.0-only
// When the law `penstock` says that it is at its floor.
#include <gtest/gtest.h>

#include "core/law/penstock.h"

namespace {

// A path of 4,096 segments for one flow, and a queue above its target.
pst_penstock_params path_params() {
  pst_penstock_params p{};
  p.interval_ns = 10'000'000;
  p.rtt_ns = PST_NS_PER_S;
  return p;
}

pst_queue full_queue() {
  pst_queue q{};
  q.bytes = 1;
  q.limit_bytes = 1'000'000;
  q.rate_bytes_per_s = 4096 * 1000;
  q.mss_bytes = 1000;
  q.flows_q16 = PST_Q16_ONE;
  return q;
}

pst_floor floor_at(u64 factor_q32) {
  const pst_penstock_params p = path_params();
  const pst_queue q = full_queue();
  pst_penstock_state s{};
  s.factor_q32 = factor_q32;
  return pst_penstock_floor(&p, &s, &q);
}

}  // namespace

TEST(PenstockFloor, IsWhereTheCorrectionIsLeast) {
  EXPECT_EQ(floor_at(PST_PENSTOCK_LEAST_Q32), PST_FLOOR_CORRECTION);
  EXPECT_EQ(floor_at(PST_Q32_ONE), PST_FLOOR_NONE);
}

// 4,096 segments with 16 fraction bits are 2^28; times 16 with 32 bits, they are 2^64.
TEST(PenstockFloor, IsNotWhereLargeWindowsAreCorrectedUpwards) {
  EXPECT_EQ(floor_at(PST_PENSTOCK_MOST_Q32), PST_FLOOR_NONE);
}
