// SPDX-License-Identifier: GPL-2.0-only
// The TOML file: one table per device, with the keys of the command line.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "linux/gateway/tool/settings/settings.h"

namespace penstock::gw {

// All devices of the file. Throws Error(kConfig) with "file:line: key: what would be right".
std::map<std::string, Settings> read_config(const std::string& path);

// The settings of one device, all validated.
Settings configured(const std::string& path, const std::string& device);

// One table of such a file, as read_config() expects it.
std::string to_toml(const std::string& device, const Settings& settings);

// Adds the settings that are given, without parameters.
void put_settings(const Settings& settings, nlohmann::ordered_json& json);

}  // namespace penstock::gw
