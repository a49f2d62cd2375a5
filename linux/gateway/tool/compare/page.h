// SPDX-License-Identifier: GPL-2.0-only
// A comparison as a page to print.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "linux/gateway/tool/compare/measures.h"

namespace penstock::gw {

struct ComparePage {
  std::string device;
  std::string settings;  // as TOML
  std::uint64_t period_ns;
  std::size_t pairs;
  std::uint64_t end_ns;  // CLOCK_REALTIME
  std::vector<Section> sections;
  bool own_shaper;  // it stands in both
  bool modelled;    // what drops is a model
};

std::string compare_page(const ComparePage& page);

}  // namespace penstock::gw
