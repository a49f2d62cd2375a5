// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/compare/measures.h"

#include <cmath>

namespace penstock::gw {

namespace {

constexpr std::size_t kLeastForInterval = 2;

MeasureRow row_of(const std::vector<PeriodPair>& pairs, std::size_t place, std::size_t m) {
  MeasureRow row{kMeasures[m], {}};
  for (const PeriodPair& pair : pairs) {
    const double observing = pair.observing[place][m], live = pair.live[place][m];
    if (!std::isnan(observing) && !std::isnan(live)) row.pairs.emplace_back(observing, live);
  }
  return row;
}

}  // namespace

std::optional<Difference> MeasureRow::difference(double unit) const {
  if (pairs.size() < kLeastForInterval) return {};
  std::vector<std::pair<double, double>> scaled;
  for (const auto& [observing, live] : pairs) scaled.emplace_back(unit * observing, unit * live);
  return paired_difference(scaled);
}

std::vector<Section> sections_of(const std::vector<PeriodPair>& pairs,
                                 const std::vector<FlowClass>& classes) {
  std::vector<Section> all(1);
  for (const FlowClass& one : classes) all.push_back({one.name, one.rule, {}});
  for (std::size_t place = 0; place < all.size(); ++place)
    for (std::size_t m = 0; m < std::size(kMeasures); ++m)
      if (!place || !kMeasures[m].of_queue) all[place].rows.push_back(row_of(pairs, place, m));
  return all;
}

}  // namespace penstock::gw
