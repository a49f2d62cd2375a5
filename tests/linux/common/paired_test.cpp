// SPDX-License-Identifier: GPL-2.0-only
#include "linux/common/paired.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

// By R: t.test(c(2, 4, 9), c(1, 2, 3), paired = TRUE) and the like.
TEST(Paired, HasStudentsInterval) {
  const Difference d = paired_difference({{1, 2}, {2, 4}, {3, 9}});
  EXPECT_DOUBLE_EQ(d.first, 2);
  EXPECT_DOUBLE_EQ(d.second, 5);
  EXPECT_DOUBLE_EQ(d.mean, 3);
  EXPECT_NEAR(d.half_width, 4.303 * 2.6457513110645907 / 1.7320508075688772, 1e-9);
  EXPECT_NEAR(d.one_sided, 2.920 * 2.6457513110645907 / 1.7320508075688772, 1e-9);
  EXPECT_FALSE(d.is_shown());
}

TEST(Paired, ShowsWhatEveryPairShows) {
  EXPECT_TRUE(paired_difference({{10, 1}, {12, 2}, {11, 1}, {10, 2}}).is_shown());
  std::vector<std::pair<double, double>> many;
  for (int i = 0; i < 50; ++i) many.emplace_back(i % 2, (i + 1) % 2);
  const Difference none = paired_difference(many);
  EXPECT_NEAR(none.mean, 0, 1e-12);
  EXPECT_NEAR(none.half_width, 2.042 * 1.0101525445522107 / 7.0710678118654755, 1e-9);
}

}  // namespace
}  // namespace penstock
