// SPDX-License-Identifier: GPL-2.0-only
// The mean difference of pairs, with Student's t interval.
#pragma once

#include <utility>
#include <vector>

namespace penstock {

struct Difference {
  double first = 0;      // mean of the first ones
  double second = 0;     // and of the second ones
  double mean = 0;       // of second - first
  double half_width = 0; // of its 95 % interval
  double one_sided = 0;  // to the bound that it is beyond with 5 %
  bool is_shown() const { return mean > half_width || mean < -half_width; }
};

// Of two pairs or more.
Difference paired_difference(const std::vector<std::pair<double, double>>& pairs);

}  // namespace penstock
