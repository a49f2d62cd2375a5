// SPDX-License-Identifier: GPL-2.0-only
// The queue that a method aims at, as a size or as the time in which it leaves.
#pragma once

#include <cstdint>
#include <optional>

#include "linux/gateway/tool/settings/settings.h"

namespace penstock::gw {

// Takes the settings' target, if there is one: "12500B" is the queue whatever the rate, "5ms"
// as many bytes as leave in that time. Throws Error(kUsage).
void set_target(const Settings& settings, Plan& plan);

// If `settings` give the target only as the parameter in bytes, no time limits it.
void settle_target(const Settings& settings, gw_config& config);

// A target is a parameter too: the later of both counts.
void override_target(Settings& settings, const Settings& later);

// The largest target that is configured; none if the method has no such parameter.
std::optional<std::uint64_t> target_bytes_of(const pst_gateway_config& config);

// The target now, at the rate and with the flows that there are.
std::optional<std::uint64_t> target_of(const gw_config& config, const pst_gateway_state& state);

// Makes the target as many bytes as leave in `time_ns`, at the configured rate if the method does
// not follow the rate itself.
void set_timed_target(gw_config& config, std::uint64_t time_ns);

// The time in which the target leaves at a rate, in bytes per second.
std::uint64_t target_ns_at(std::uint64_t target_bytes, std::uint64_t rate_bytes_per_s);

}  // namespace penstock::gw
