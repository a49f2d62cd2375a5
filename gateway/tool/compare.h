// SPDX-License-Identifier: GPL-2.0-only
// What the rewriting gains on this line: periods of observing and live in turn.
#pragma once

#include <cstdint>

#include "gateway/tool/device.h"

namespace penstock::gw {

struct CompareOptions {
  std::uint64_t total_ns;
  std::uint64_t period_ns;  // 0: a twentieth of the total, within 10 s .. 60 s
  bool json;
};

// Prints the table, and leaves the attachment as it was, also when a signal ends it.
int run_compare(const Device& device, const CompareOptions& options);

}  // namespace penstock::gw
