// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace penstock::net {
namespace {

TEST(Histogram, HasQuantilesBeyondTheTopItWasMadeFor) {
  Histogram h(1000);
  for (std::uint64_t value = 1; value <= 100'000; ++value) h.add(value, 1);
  for (const double share : {0.01, 0.5, 0.95, 0.99})
    EXPECT_NEAR(h.quantile(share), share * 100'000, 100'000 / 512.0) << share;
  EXPECT_EQ(h.max(), 100'000U);
  EXPECT_DOUBLE_EQ(h.mean(), 50'000.5);
  EXPECT_NEAR(h.deviation(), 100'000 / std::sqrt(12.0), 200);
}

TEST(Histogram, DoesNotDependOnTheOrder) {
  const std::vector<std::uint64_t> values = {3, 70'000, 12, 999, 5'000, 1'000, 69'999, 0};
  Histogram one(1000), other(1000);
  for (auto value = values.begin(); value != values.end(); ++value) one.add(*value, 2);
  for (auto value = values.rbegin(); value != values.rend(); ++value) other.add(*value, 2);
  for (const double share : {0.1, 0.3, 0.5, 0.7, 0.9, 1.0})
    EXPECT_EQ(one.quantile(share), other.quantile(share)) << share;
  EXPECT_EQ(one.deviation(), other.deviation());
}

TEST(Histogram, StaysAsFineAsItWasMadeUpToItsTop) {
  Histogram h(102'400);  // bins of 101
  h.add(101, 1);
  h.add(102'400, 1);
  EXPECT_EQ(h.quantile(0.5), 201);
  EXPECT_EQ(h.quantile(1.0), 102'400);
}

}  // namespace
}  // namespace penstock::net
