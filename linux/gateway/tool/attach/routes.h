// SPDX-License-Identifier: GPL-2.0-only
// Whether ACKs can leave by the device that their data comes in by.
#pragma once

#include "linux/gateway/tool/attach/device.h"

namespace penstock::gw {

// Throws Error if no route leaves by the interface, which is no port of another one (a bridge, a
// VRF) and carries no other one (a VLAN). The link-local addresses of IPv6 make none.
void require_route(const Device& device);

}  // namespace penstock::gw
