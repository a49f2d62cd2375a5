// SPDX-License-Identifier: GPL-2.0-only
// Explains the window of a flow.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "linux/gateway/bpf/shared.h"
#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

using HeldFlows = std::vector<std::pair<gw_held_key, gw_held>>;

// "UDP 192.0.2.1:5004 -> 198.51.100.1:5004"
std::string ends_text(const gw_held_key& key);

inline constexpr std::size_t kHeldFlows = 16;

// Two lines each, of the first ones; empty if there are none.
std::string held_text(const HeldFlows& flows, std::size_t most = kHeldFlows);
nlohmann::ordered_json held_json(const HeldFlows& flows);

using KnownFlows = std::vector<std::pair<gw_key, gw_flow>>;

enum class Detail { kBrief, kAll };

// What holds the queue and by which rules, about ten lines; the effect of the rules for `flows`;
// and flows that the discipline dropped or marked. kAll: also the formula, all parameters and the
// state.
std::string explain_text(const Snapshot& s, const KnownFlows& flows, const HeldFlows& held,
                         Detail detail);
// The same, with internal values: `params` and `method_state` as in `status`, and `flows` as in
// `flows`, with the reason as text.
nlohmann::ordered_json explain_json(const Snapshot& s, const KnownFlows& flows,
                                    const HeldFlows& held);

// One end of a flow as `flows` prints it. Throws Error(kUsage) if the text is no ADDRESS:PORT.
std::string end_of(const std::string& text);

}  // namespace penstock::gw
