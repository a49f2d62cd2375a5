// SPDX-License-Identifier: GPL-2.0-only
// The TOML file: one table for each device, with the keys of the command line.
#pragma once

#include <map>
#include <string>

#include "gateway/tool/settings.h"

namespace penstock::gw {

// All devices of the file. Throws Error(kConfig) with "file:line: key: what is right".
std::map<std::string, Settings> read_config(const std::string& path);

// The settings of one device, checked to the last value.
Settings configured(const std::string& path, const std::string& device);

}  // namespace penstock::gw
