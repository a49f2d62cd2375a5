// SPDX-License-Identifier: GPL-2.0-only
// Settings of `auto`, which finds rate and queue itself.
#pragma once

#include <string>

#include "linux/gateway/tool/settings/settings.h"

namespace penstock::gw {

// Those of one of its attachments: to what comes in (`down`), or to what leaves. Throws
// Error(kUsage) that names a setting which auto finds itself.
Settings automatic_settings(const Settings& base, bool down);

// Throws Error(kUsage) unless it could attach to both with these.
void require_automatic(const Settings& base);

// Throws Error(kConfig) if the table of the device says `auto = true`, as nothing but auto runs it.
void refuse_automatic(const Settings& settings, const std::string& path, const std::string& device);

}  // namespace penstock::gw
