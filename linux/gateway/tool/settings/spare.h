// SPDX-License-Identifier: GPL-2.0-only
// What `fair` spares: a part of the link, for flows that keep their rate.
#pragma once

#include <string>

#include "linux/gateway/tool/settings/settings.h"

namespace penstock::gw {

// Throws Error(kUsage).
void set_spare(const Settings& settings, Plan& plan);

// What is to be spared by `settings` and, later, by `later`: either may say the part, which is a
// parameter of `fair`, too.
SettingLIST spare_of(Settings& settings, const Settings& later);

// "50%": the part of the link that is in force; empty without `fair`.
std::string spare_part_text(const gw_config& config);

// Of an attachment's settings, the parameter as this setting.
void show_spare(const gw_config& config, Settings& settings);

}  // namespace penstock::gw
