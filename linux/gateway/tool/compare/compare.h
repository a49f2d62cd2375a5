// SPDX-License-Identifier: GPL-2.0-only
// Measures the benefit of rewriting on this line, with alternating observing and live periods.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "linux/gateway/tool/attach/device.h"

namespace penstock::gw {

struct CompareOptions {
  std::uint64_t total_ns;
  std::uint64_t period_ns;  // 0: a twentieth of the total, within 10 s .. 60 s
  bool json;
  std::vector<std::string> classes;  // as of flow_class()
  std::string report;  // file for a page; empty: none
};

// Prints the table, and restores the attachment, also when a signal ends it.
int run_compare(const Device& device, const CompareOptions& options);

}  // namespace penstock::gw
