// SPDX-License-Identifier: GPL-2.0-only
// Watches what passes an attached device, to say where data waits if not in the attachment's queue.
#pragma once

#include <vector>

#include "linux/gateway/tool/view/doctor.h"

namespace penstock::gw {

// For three seconds, if data passes. Empty where nothing is wrong, or the rights are missing.
std::vector<Finding> examine_waits(const Device& device);

}  // namespace penstock::gw
