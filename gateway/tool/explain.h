// SPDX-License-Identifier: GPL-2.0-only
// Why a flow has the window that it has.
#pragma once

#include <string>

#include "gateway/tool/snapshot.h"

namespace penstock::gw {

// The method's formula, its values, and what it gives at the moment.
std::string explain_gateway(const Snapshot& s);

// What the rules made of it for one flow.
std::string explain_flow(const gw_config& config, const gw_key& key, const gw_flow& flow);

}  // namespace penstock::gw
