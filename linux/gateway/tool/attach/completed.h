// SPDX-License-Identifier: GPL-2.0-only
// What device and kernel decide of a program's constants.
#pragma once

#include "linux/gateway/tool/attach/device.h"
#include "linux/gateway/tool/settings/settings.h"

namespace penstock::gw {

// The plan's constants, completed for this kernel and device. `own_queue`: attach() installs it.
// Throws Error.
gw_config completed(const Device& device, const Plan& plan, bool own_queue);

}  // namespace penstock::gw
