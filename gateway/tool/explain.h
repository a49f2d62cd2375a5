// SPDX-License-Identifier: GPL-2.0-only
// Explains the window of a flow.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "gateway/tool/snapshot.h"

namespace penstock::gw {

// The method's formula, its values, and its current result.
std::string explain_gateway(const Snapshot& s);
// The same, with values as they are kept: `params` and `method_state` are those of `status`.
nlohmann::ordered_json explain_gateway_json(const Snapshot& s);

// One end of a flow as `flows` prints it. Throws Error(kUsage) if the text is no ADDRESS:PORT.
std::string end_of(const std::string& text);

// The effect of the rules for one flow.
std::string explain_flow(const gw_config& config, const gw_key& key, const gw_flow& flow);
// As in `flows`, with the reason in words.
nlohmann::ordered_json explain_flow_json(const gw_config& config, const gw_key& key,
                                         const gw_flow& flow);

}  // namespace penstock::gw
