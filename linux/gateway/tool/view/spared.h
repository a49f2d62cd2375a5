// SPDX-License-Identifier: GPL-2.0-only
// What rules spare of `fair`: by which rule, whom, how much.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

// Reads it into the snapshot, of an attachment with rules.
void read_spared(Snapshot& s);

// Lines of `status`; empty without `fair`.
std::string spared_text(const Snapshot& s);

// An object for each rule.
nlohmann::ordered_json spared_json(const Snapshot& s);

}  // namespace penstock::gw
