// SPDX-License-Identifier: GPL-2.0-only
// A network from text: one item per line, `link src=0 dst=2 rate_bps=10000000`. The keys are the
// fields of the simulator's specifications; those of endpoints and parameters follow a prefix.
#pragma once

#include <memory>
#include <string_view>

#include "sim/net/network.h"

namespace penstock::browser {

std::unique_ptr<net::Network> read_network(std::string_view text);

}  // namespace penstock::browser
