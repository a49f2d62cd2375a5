// SPDX-License-Identifier: GPL-2.0-only
// The command lines of the live page and of other views of an attachment over time.
#pragma once

#include <cstdint>
#include <string_view>

#include "linux/common/command_line.h"

namespace penstock::gw {

struct Options;

void add_views(CLI::App& app, Options& o);

// A time between two looks that a gateway can afford. Throws std::invalid_argument.
std::uint64_t parse_interval_ns(std::string_view text);

}  // namespace penstock::gw
