// SPDX-License-Identifier: GPL-2.0-only
// What a comparison measures: the values of its periods, and their differences.
#pragma once

#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linux/common/paired.h"
#include "linux/gateway/tool/compare/flows.h"

namespace penstock::gw {

struct Measure {
  const char* key;
  const char* label;
  const char* unit;
  int places;
  double of_unit;  // the JSON's unit in that of tables
  bool less_is_better;
  bool of_queue;  // of all that passes, not of a class
};
inline constexpr Measure kMeasures[] = {
    {"drops_per_s", "drops", "/s", 1, 1, true, true},
    {"delay_s", "delay, mean", "ms", 1, 1e3, true, true},
    {"delay_95_s", "delay, 95 %", "ms", 1, 1e3, true, true},
    {"round_trip_s", "round trip", "ms", 1, 1e3, true, false},
    {"page_s", "page time, mean", "ms", 0, 1e3, true, false},
    {"page_95_s", "page time, 95 %", "ms", 0, 1e3, true, false},
    {"pages_per_s", "pages", "/s", 2, 1, false, false},
    {"retransmitted_ratio", "retransmitted", "%", 2, 1e2, true, false},
    {"goodput_bps", "goodput", "Mbit/s", 2, 1e-6, false, false},
    {"rpm", "responsiveness", "1/min", 0, 1, false, false},
    {"qoo_percent", "quality", "%", 1, 1, false, false},
};

// In the JSON's units; NaN where there was nothing to measure on.
using Values = std::array<double, std::size(kMeasures)>;

// First those of all that passed, then of each class.
struct PeriodPair {
  std::vector<Values> observing;
  std::vector<Values> live;
};

struct MeasureRow {
  Measure measure;
  std::vector<std::pair<double, double>> pairs;  // observing and live, where both are measured

  // With each value times `unit`; nothing of fewer than two pairs.
  std::optional<Difference> difference(double unit = 1) const;
};

// Of all that passed, without a name; or of a class.
struct Section {
  std::string name;
  std::string rule;
  std::vector<MeasureRow> rows;
};

std::vector<Section> sections_of(const std::vector<PeriodPair>& pairs,
                                 const std::vector<FlowClass>& classes);

}  // namespace penstock::gw
