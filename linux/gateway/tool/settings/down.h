// SPDX-License-Identifier: GPL-2.0-only
// What comes in by a device (attach --down): the queue is before this machine, or a virtual one in
// which nothing waits.
#pragma once

#include <string>
#include <string_view>

#include "linux/gateway/tool/settings/settings.h"

namespace penstock::gw {

// Of an attachment's name: "wan0.down" is what comes in by wan0.
inline constexpr const char* kDownSuffix = ".down";

inline std::string attachment_name(const std::string& interface, bool down) {
  return down ? interface + kDownSuffix : interface;
}

// The name without it.
inline std::string without_down(const std::string& name) {
  return name.substr(
      0, name.size() - (name.ends_with(kDownSuffix) ? std::string_view(kDownSuffix).size() : 0));
}

// Whether rate and queue are those that timestamps tell; else the rate is told.
bool is_upstream(const Settings& settings);

// Throws Error(kUsage) for settings of a queue that packets leave by.
void require_down(const Settings& settings);

// Takes the rate that is assumed, and the buffer. Throws Error(kUsage) for settings of a told rate.
void set_upstream_rate(const Settings& settings, gw_config& config);

// The source without --down.
[[noreturn]] void refuse_upstream();

}  // namespace penstock::gw
