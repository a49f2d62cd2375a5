// SPDX-License-Identifier: GPL-2.0-only
// Quantiles of values of any size, online: bins that are 1/128 of the value wide.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/base.h"

namespace penstock::net {

class Quantiles {
 public:
  void add(std::uint64_t value) {
    const std::size_t bin = bin_of(value);
    PST_ENSURE(middle(bin) >= value - value / 128 && middle(bin) <= value + value / 128 + 1);
    if (bin >= bins_.size()) bins_.resize(bin + 1);
    ++bins_[bin];
    ++count_;
    sum_ += value;
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }
  const std::vector<std::uint64_t>& bins() const { return bins_; }

  // The middle of a bin, within 0.4 % of any value in it.
  static std::uint64_t middle(std::size_t bin) {
    if (bin < 2 * kSteps) return bin;
    const std::size_t shift = bin / kSteps - 1;
    return ((bin % kSteps + kSteps) << shift) + ((1ULL << shift) >> 1);
  }

 private:
  static constexpr std::uint64_t kStepBits = 7;
  static constexpr std::uint64_t kSteps = 1 << kStepBits;  // bins for each power of two

  static std::size_t bin_of(std::uint64_t value) {
    if (value < 2 * kSteps) return value;
    const auto shift = static_cast<std::uint64_t>(std::bit_width(value)) - 1 - kStepBits;
    return shift * kSteps + (value >> shift);
  }

  std::vector<std::uint64_t> bins_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace penstock::net
