// SPDX-License-Identifier: GPL-2.0-only
// Explains the window of a flow.
#pragma once

#include <string>

#include "gateway/tool/snapshot.h"

namespace penstock::gw {

// The method's formula, its values, and its current result.
std::string explain_gateway(const Snapshot& s);

// The effect of the rules for one flow.
std::string explain_flow(const gw_config& config, const gw_key& key, const gw_flow& flow);

}  // namespace penstock::gw
