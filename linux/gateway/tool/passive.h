// SPDX-License-Identifier: GPL-2.0-only
// A bottleneck further down, whose rate and queue ACKs tell: --rate auto --source passive.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "linux/gateway/tool/settings.h"
#include "linux/gateway/tool/snapshot.h"

namespace penstock::gw {

bool is_passive(const Settings& settings);

// Takes the rate that is assumed, and the buffer. Throws Error(kUsage) for settings that contradict
// the source.
void set_passive_rate(const Settings& settings, gw_config& config);

// What only a method can tell. Throws Error(kUsage).
void require_passive_method(const Settings& settings, const gw_config& config);

// True if the rate further down is to be measured and is not known.
bool lacks_rate(const Snapshot& s);

// "known" and why not, rate and queue.
nlohmann::ordered_json passive_json(const Snapshot& s);

// The same in words.
std::string passive_rate_text(const Snapshot& s);
std::string passive_queue_text(const Snapshot& s);

}  // namespace penstock::gw
