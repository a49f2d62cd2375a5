// SPDX-License-Identifier: GPL-2.0-only
// What changes while one looks: top and monitor.
#pragma once

#include <cstdint>

#include "gateway/tool/device.h"

namespace penstock::gw {

// A screen each `interval_ns`, `count` times, or until a key (q) or a signal if 0.
int run_top(const Device& device, std::uint64_t interval_ns, std::uint64_t count);

// A line of JSON for each interval.
int run_monitor(const Device& device, std::uint64_t interval_ns, std::uint64_t count);

}  // namespace penstock::gw
