// SPDX-License-Identifier: GPL-2.0-only
#include "linux/common/paired.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace penstock {
namespace {

// Student's t, 97.5 %, for 1, 2, ... degrees of freedom; beyond, the value at a lower number.
constexpr double kStudent[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                               2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                               2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                               2.060,  2.056, 2.052, 2.048, 2.045, 2.042};

// And 95 %.
constexpr double kOneSided[] = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860,
                                1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753, 1.746,
                                1.740, 1.734, 1.729, 1.725, 1.721, 1.717, 1.714, 1.711,
                                1.708, 1.706, 1.703, 1.701, 1.699, 1.697};

}  // namespace

Difference paired_difference(const std::vector<std::pair<double, double>>& pairs) {
  Difference d;
  const auto count = static_cast<double>(pairs.size());
  for (const auto& [first, second] : pairs) {
    d.first += first / count;
    d.second += second / count;
  }
  d.mean = d.second - d.first;
  double squares = 0;
  for (const auto& [first, second] : pairs) squares += std::pow(second - first - d.mean, 2);
  const std::size_t freedom = pairs.size() - 1;
  const std::size_t row = std::min(freedom, std::size(kStudent)) - 1;
  const double error = std::sqrt(squares / static_cast<double>(freedom) / count);
  d.half_width = kStudent[row] * error;
  d.one_sided = kOneSided[row] * error;
  return d;
}

}  // namespace penstock
