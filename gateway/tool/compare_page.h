// SPDX-License-Identifier: GPL-2.0-only
// A comparison as a page to print.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace penstock::gw {

struct MeasureRow {
  std::string key;
  std::string label;
  std::string unit;
  int places;
  bool less_is_better;
  std::vector<std::pair<double, double>> pairs;  // observing and live, in the unit
};

struct ComparePage {
  std::string device;
  std::string settings;  // as TOML
  std::uint64_t period_ns;
  std::uint64_t end_ns;  // CLOCK_REALTIME
  std::vector<MeasureRow> rows;
};

std::string compare_page(const ComparePage& page);

}  // namespace penstock::gw
