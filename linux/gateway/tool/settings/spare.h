// SPDX-License-Identifier: GPL-2.0-only
// What `fair` spares: a part of the link, for flows that keep their rate, and what rules name.
#pragma once

#include <string>
#include <vector>

#include "linux/gateway/tool/settings/settings.h"

namespace penstock::gw {

// Throws Error(kUsage).
void set_spare(const Settings& settings, Plan& plan);

// What is to be spared by `settings` and, later, by `later`: a part replaces the part, which is a
// parameter of `fair`, too, and rules the rules. A method that has `fair` keeps the rules.
SettingLIST spare_of(Settings& settings, const Settings& later);

// "50%": the part of the link that is in force; empty without `fair`.
std::string spare_part_text(const gw_config& config);

// The part and the rules that are in force; nothing without `fair`.
std::vector<std::string> spare_texts(const gw_config& config);

// Of an attachment's settings, the parameter as this setting; and with it the rules.
void show_spare_part(const gw_config& config, Settings& settings);
void show_spare(const gw_config& config, Settings& settings);

}  // namespace penstock::gw
