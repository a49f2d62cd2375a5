// SPDX-License-Identifier: GPL-2.0-only
// The root without branches against the one bit by bit.
#include <gtest/gtest.h>

#include <random>

#include "core/math/sqrt.h"

TEST(Sqrt, NewtonsIsTheRootOrOneMore) {
  std::mt19937_64 bits(1);
  for (int i = 0; i < 1'000'000; ++i) {
    const u64 v = 1 + (bits() >> (24 + bits() % 40));
    const u64 more = pst_sqrt_newton(v) - pst_sqrt(v);
    ASSERT_LE(more, 1U) << v;
  }
}
