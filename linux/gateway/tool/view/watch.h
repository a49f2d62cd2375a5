// SPDX-License-Identifier: GPL-2.0-only
// Continuous views: top and monitor.
#pragma once

#include <cstdint>

#include "linux/gateway/tool/attach/device.h"

namespace penstock::gw {

// A screen every `interval_ns`, `count` times, or, if 0, until a signal.
int run_top(const Device& device, std::uint64_t interval_ns, std::uint64_t count);

// A line of JSON per interval.
int run_monitor(const Device& device, std::uint64_t interval_ns, std::uint64_t count);

}  // namespace penstock::gw
