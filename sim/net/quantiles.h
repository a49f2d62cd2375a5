// SPDX-License-Identifier: GPL-2.0-only
// Counts of values of any size, in bins that are 1/128 of the value wide.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base.h"
#include "sim/net/histogram.h"

namespace penstock::net {

class Quantiles {
 public:
  void add(std::uint64_t value) {
    const std::size_t bin = Bins::of(value);
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
  static std::uint64_t middle(std::size_t bin) { return Bins::middle(bin); }

 private:
  std::vector<std::uint64_t> bins_;
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace penstock::net
