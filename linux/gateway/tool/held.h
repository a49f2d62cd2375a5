// SPDX-License-Identifier: GPL-2.0-only
// The flows of which the discipline dropped or marked packets, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "linux/gateway/bpf/shared.h"

namespace penstock::gw {

using HeldFlows = std::vector<std::pair<gw_held_key, gw_held>>;

// A line each, of the first ones; empty if there are none.
std::string held_text(const HeldFlows& flows);
nlohmann::ordered_json held_json(const HeldFlows& flows);

}  // namespace penstock::gw
