// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace penstock::net {
namespace {

constexpr std::uint64_t kLargest = (1ULL << 53) - 1;  // that doubles have

TEST(Bins, AreInOrderAndWithoutGaps) {
  const std::size_t all = Bins::of(kLargest) + 1;
  EXPECT_LT(Bins::of((1ULL << 63) - 1), 8'192U);  // 64 kB for any value
  EXPECT_EQ(Bins::top(all - 1), kLargest);
  for (std::size_t bin = 0; bin + 1 < all; ++bin) {
    const std::uint64_t top = Bins::top(bin);
    ASSERT_EQ(Bins::of(top), bin);
    ASSERT_EQ(Bins::of(top + 1), bin + 1);
    ASSERT_EQ(Bins::of(Bins::middle(bin)), bin);
  }
}

// As the sorted values have it, at scales from a byte to an hour in nanoseconds.
TEST(Histogram, HasQuantilesWithinAPercentAtAnyScale) {
  std::mt19937_64 random(1);
  for (const std::uint64_t scale :
       {1ULL, 1'000ULL, 84'000ULL, 10'000'000'000ULL, 3'600'000'000'000ULL}) {
    std::vector<std::uint64_t> values;
    Histogram h;
    for (int i = 0; i < 10'000; ++i) {
      values.push_back(random() % (scale + 1));
      h.add(values.back(), 3);
    }
    std::sort(values.begin(), values.end());
    for (const double share : {0.001, 0.01, 0.5, 0.95, 0.99, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(share * 10'000)) - 1;
      const auto exact = static_cast<double>(values[rank]);
      EXPECT_GE(h.quantile(share), exact) << scale << ' ' << share;
      EXPECT_LE(h.quantile(share), exact * (1 + 1.0 / 128)) << scale << ' ' << share;
    }
    EXPECT_EQ(h.max(), values.back());
  }
}

TEST(Histogram, OfOneValueIsThatValue) {
  Histogram h;
  h.add(84'001, 5);
  EXPECT_EQ(h.quantile(0.5), 84'001);
  EXPECT_EQ(h.quantile(0.99), 84'001);
  EXPECT_EQ(h.mean(), 84'001);
  h.clear();
  EXPECT_EQ(h.quantile(0.5), 0);
  EXPECT_EQ(h.mean(), 0);
  EXPECT_EQ(h.max(), 0U);
}

TEST(Histogram, IgnoresWhatHasNoWeightInItsQuantiles) {
  Histogram h;
  h.add(0, 0);
  h.add(7, 2);
  EXPECT_EQ(h.quantile(0.0), 7);
}

TEST(Sample, DoesNotDependOnTheOrder) {
  const std::vector<std::uint64_t> values = {3, 70'000, 12, 999, 5'000, 1'000, 69'999, 0};
  Sample one, other;
  for (auto value = values.begin(); value != values.end(); ++value) one.add(*value);
  for (auto value = values.rbegin(); value != values.rend(); ++value) other.add(*value);
  for (const double share : {0.1, 0.3, 0.5, 0.7, 0.9, 1.0})
    EXPECT_EQ(one.quantile(share), other.quantile(share)) << share;
  EXPECT_EQ(one.deviation(), other.deviation());
  EXPECT_EQ(one.mean(), other.mean());
}

// A nanosecond beside twenty minutes: squares of doubles would leave nothing.
TEST(Sample, HasTheDeviationOfSmallDifferencesOfLargeValues) {
  constexpr std::uint64_t kBase = 1'200'000'000'000;
  Sample s;
  for (std::uint64_t i = 0; i < 1'000; ++i) s.add(kBase + i % 2);
  EXPECT_DOUBLE_EQ(s.deviation(), 0.5);
  EXPECT_DOUBLE_EQ(s.mean(), static_cast<double>(kBase) + 0.5);
  Sample same;
  for (int i = 0; i < 1'000; ++i) same.add(kBase);
  EXPECT_EQ(same.deviation(), 0.0);
  EXPECT_EQ(Sample{}.deviation(), 0.0);
}

TEST(Sample, HasTheDeviationOfAUniformDistribution) {
  Sample s;
  for (std::uint64_t value = 1; value <= 100'000; ++value) s.add(value);
  EXPECT_NEAR(s.deviation(), std::sqrt((1e10 - 1) / 12.0), 1e-6);
}

}  // namespace
}  // namespace penstock::net
