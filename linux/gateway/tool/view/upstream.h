// SPDX-License-Identifier: GPL-2.0-only
// What is known of a queue before the device, of what comes in by it (attach --down).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

// "known" and why not; rate, queue, and what data waits there. Also beside a rate that is told.
nlohmann::ordered_json upstream_json(const Snapshot& s);

// The same in words, where the rate is not told.
std::string upstream_rate_text(const Snapshot& s);
std::string upstream_queue_text(const Snapshot& s);

// Why nothing can be held here, or why a told rate holds nothing; empty if neither is seen.
std::string down_warning(const Snapshot& s);

}  // namespace penstock::gw
