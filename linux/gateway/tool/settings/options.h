// SPDX-License-Identifier: GPL-2.0-only
// Settings on the command line.
#pragma once

#include <CLI/CLI.hpp>

#include "linux/gateway/tool/settings/table.h"

namespace penstock::gw {

enum class SettingOptions { kAttach, kSet };  // `set` lacks those of attach alone

void add_settings(CLI::App* command, Settings& settings, SettingOptions which);

// KEY=VALUE of a method.
void add_params(CLI::App* command, Settings& settings);

}  // namespace penstock::gw
