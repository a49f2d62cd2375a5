// SPDX-License-Identifier: GPL-2.0-only
// Commands in groups: what shows an attachment over time, and `penstock-gw shape`.
#pragma once

#include <cstdint>
#include <string_view>

#include "linux/common/command_line.h"

namespace penstock::gw {

struct Options;

// The flag that names the attachment to what comes in by the device.
void add_down(CLI::App* command, Options& o);

void add_views(CLI::App& app, Options& o);

// A time between two looks that a gateway can afford. Throws std::invalid_argument.
std::uint64_t parse_interval_ns(std::string_view text);

void add_shapes(CLI::App& app, Options& options);

}  // namespace penstock::gw
