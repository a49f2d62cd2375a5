// SPDX-License-Identifier: GPL-2.0-only
// A weighted distribution in equal bins, with exact mean and max. The bins are over 0 .. top, and
// twice as wide whenever a value lies beyond them: a link that became slower delays for longer
// than its buffer once did.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base.h"

namespace penstock::net {

class Histogram {
 public:
  explicit Histogram(std::uint64_t top) : width_(top / kBins + 1), bins_(kBins + 1) {}

  void add(std::uint64_t value, std::uint64_t weight) {
    while (value / width_ > kBins) widen();
    bins_[value / width_] += weight;
    weight_ += weight;
    sum_ += real(value) * real(weight);
    max_ = std::max(max_, value);
    PST_ENSURE(weight_ >= weight);
    PST_ENSURE(bins_[value / width_] >= weight && bins_[value / width_] <= weight_);
  }

  void clear() {
    bins_.assign(bins_.size(), 0);
    weight_ = max_ = 0;
    sum_ = 0.0;
  }

  double mean() const { return weight_ ? sum_ / static_cast<double>(weight_) : 0.0; }
  double sum() const { return sum_; }  // of the values, each times its weight
  std::uint64_t max() const { return max_; }

  // Standard deviation, with each value at the middle of its bin.
  double deviation() const {
    if (!weight_) return 0.0;
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      const double weight = static_cast<double>(bins_[i]);
      sum += weight * static_cast<double>(i);
      squares += weight * static_cast<double>(i) * static_cast<double>(i);
    }
    const double mean = sum / static_cast<double>(weight_);
    const double variance = squares / static_cast<double>(weight_) - mean * mean;
    return std::sqrt(std::max(variance, 0.0)) * static_cast<double>(width_);
  }

  // Smallest bin edge below which at least `share` of the weight lies; exact to one bin, which is
  // 1/1024 of the top, or at most 1/512 of a maximum beyond it.
  double quantile(double share) const {
    PST_REQUIRE(share >= 0.0 && share <= 1.0);
    const double wanted = share * static_cast<double>(weight_);
    double seen = 0.0;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      seen += static_cast<double>(bins_[i]);
      if (weight_ && seen >= wanted)
        return i ? static_cast<double>(std::min((i + 1) * width_ - 1, max_)) : 0.0;
    }
    return 0.0;
  }

 private:
  static constexpr std::uint64_t kBins = 1024;

  // Which values share a bin then does not depend on the order in which they came.
  void widen() {
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      const std::uint64_t weight = std::exchange(bins_[i], 0);
      bins_[i / 2] += weight;
    }
    width_ *= 2;
  }

  // Exact below 2^63, and a single instruction, unlike the conversion of an unsigned value.
  static double real(std::uint64_t value) {
    return static_cast<double>(static_cast<std::int64_t>(value));
  }

  std::uint64_t width_;
  std::vector<std::uint64_t> bins_;
  std::uint64_t weight_ = 0;
  std::uint64_t max_ = 0;
  double sum_ = 0.0;
};

}  // namespace penstock::net
