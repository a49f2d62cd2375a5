// SPDX-License-Identifier: GPL-2.0-only
// A bottleneck further down, whose rate and queue ACKs tell: --rate auto --source passive.
#pragma once

#include "linux/gateway/tool/settings/settings.h"

namespace penstock::gw {

bool is_passive(const Settings& settings);

// Takes the rate that is assumed, and the buffer. Throws Error(kUsage) for settings that contradict
// the source.
void set_passive_rate(const Settings& settings, gw_config& config);

// What is assumed of a queue elsewhere until its rate is known, and of its limit.
void assume_elsewhere(gw_config& config);

// What only a method can tell. Throws Error(kUsage).
void require_passive_method(const Settings& settings, const gw_config& config);

}  // namespace penstock::gw
