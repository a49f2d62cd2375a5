// SPDX-License-Identifier: GPL-2.0-only
// penstock-gw auto DEVICE: holds the queue of each direction where that helps, as it proves itself.
#pragma once

#include "linux/gateway/tool/attach/device.h"
#include "linux/gateway/tool/settings/settings.h"

namespace penstock::gw {

// Until a signal; prints each decision, as text or as JSON.
int run_auto(const Device& device, const Settings& base, bool json);

}  // namespace penstock::gw
