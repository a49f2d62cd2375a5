// SPDX-License-Identifier: GPL-2.0-only
// Distributions of whole numbers of any size, in log-linear bins: 128 for each power of two, and
// one for each value below 256, as in HdrHistogram. A value is known to 1/128 at any scale.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base.h"

namespace penstock::net {

struct Bins {
  static constexpr std::size_t kStepBits = 7;
  static constexpr std::size_t kSteps = 1 << kStepBits;  // for each power of two

  static std::size_t of(std::uint64_t value) {
    if (value < 2 * kSteps) return value;
    PST_REQUIRE(value < 1ULL << 63);
    // A double's exponent and the first bits behind the point, in two instructions.
    const auto real = static_cast<double>(static_cast<std::int64_t>(value));
    return (std::bit_cast<std::uint64_t>(real) >> (kMantissaBits - kStepBits)) - kFirst;
  }

  static constexpr std::uint64_t kMantissaBits = 52;
  static constexpr std::uint64_t kFirst = (1023 + kStepBits - 1) << kStepBits;

  // The largest value in a bin.
  static std::uint64_t top(std::size_t bin) {
    if (bin < 2 * kSteps) return bin;
    const std::size_t shift = bin / kSteps - 1;
    return ((bin % kSteps + kSteps) << shift) + ((1ULL << shift) - 1);
  }

  // Within 0.4 % of any value in the bin.
  static std::uint64_t middle(std::size_t bin) {
    if (bin < 2 * kSteps) return bin;
    const std::size_t shift = bin / kSteps - 1;
    return ((bin % kSteps + kSteps) << shift) + ((1ULL << shift) >> 1);
  }
};

// Values with weights. Mean and maximum are exact, and nothing depends on the order of values.
class Histogram {
 public:
  void add(std::uint64_t value, std::uint64_t weight) {
    const std::size_t bin = Bins::of(value);
    if (bin >= size_) grow(bin + 1);
    bins_[bin] += weight;
    sum_ += static_cast<Wide>(value) * weight;
    if (value > max_) max_ = value;
    PST_ENSURE(bins_[bin] >= weight);
    PST_ENSURE(value <= Bins::top(bin) && Bins::top(bin) - value <= value / Bins::kSteps + 1);
  }

  void clear() { *this = {}; }

  double mean() const {
    const std::uint64_t all = weight();
    return all ? static_cast<double>(sum_) / static_cast<double>(all) : 0.0;
  }
  std::uint64_t max() const { return max_; }

  // The smallest value that at least `share` of the weight does not exceed, or at most 1/128 above.
  double quantile(double share) const {
    PST_REQUIRE(share >= 0.0 && share <= 1.0);
    const double wanted = share * static_cast<double>(weight());
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      seen += bins_[i];
      if (bins_[i] && static_cast<double>(seen) >= wanted)
        return static_cast<double>(std::min(Bins::top(i), max_));
    }
    return 0.0;
  }

 protected:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t weight() const {
    std::uint64_t all = 0;
    for (const std::uint64_t each : bins_) all += each;
    return all;
  }
  Wide sum() const { return sum_; }  // of the values, each times its weight

 private:
  [[gnu::noinline]] void grow(std::size_t size) {
    bins_.resize(size);
    size_ = size;
  }

  std::vector<std::uint64_t> bins_;
  std::size_t size_ = 0;  // of bins_
  std::uint64_t max_ = 0;
  Wide sum_ = 0;
};

// Values of the same weight, with their exact deviation.
class Sample : private Histogram {
 public:
  using Histogram::max;
  using Histogram::mean;
  using Histogram::quantile;
  using Histogram::weight;

  void add(std::uint64_t value) {
    Histogram::add(value, 1);
    squares_ += static_cast<Wide>(value) * value;
  }

  void clear() { *this = {}; }

  // Standard deviation: from the squares about the whole part of the mean, which are integers.
  double deviation() const {
    const std::uint64_t count = weight();
    if (!count) return 0.0;
    const Wide whole = sum() / count;
    const double rest = static_cast<double>(sum() - whole * count) / static_cast<double>(count);
    const Wide about = squares_ - 2 * whole * sum() + whole * whole * count;
    const double variance = static_cast<double>(about) / static_cast<double>(count) - rest * rest;
    return std::sqrt(std::max(variance, 0.0));
  }

 private:
  Wide squares_ = 0;
};

}  // namespace penstock::net
