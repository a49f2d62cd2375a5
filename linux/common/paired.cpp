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
  const double student = kStudent[std::min(freedom, std::size(kStudent)) - 1];
  d.half_width = student * std::sqrt(squares / static_cast<double>(freedom) / count);
  return d;
}

}  // namespace penstock
