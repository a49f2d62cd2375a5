// SPDX-License-Identifier: GPL-2.0-only
// The method of a gateway, from its settings: the law, and the discipline below it.
#pragma once

#include <string>

#include "linux/gateway/tool/settings/settings.h"

namespace penstock::gw {

// Law and discipline. A discipline that is given without a method has no law above it.
void set_method(const Settings& settings, gw_config& config);

// True if `key` is a parameter of `fair`, and not of the law of `method`.
bool is_of_fair(const std::string& key, const std::optional<std::string>& method);

}  // namespace penstock::gw
