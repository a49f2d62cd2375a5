// SPDX-License-Identifier: GPL-2.0-only
// What the routes say of devices: whether ACKs can leave by one, and where it leads.
#pragma once

#include "linux/gateway/tool/attach/device.h"

namespace penstock::gw {

// Throws Error if no route leaves by the interface, which is no port of another one (a bridge, a
// VRF) and carries no other one (a VLAN). The link-local addresses of IPv6 make none.
void require_route(const Device& device);

// Throws Error if what leaves by the device has come in by another one from the provider, so that
// its queue is not further down.
void require_downstream(const Device& device);

// Whether the interface leads to the own network: it has a route, and another one has the default.
bool leads_inside(const Device& device);

// The device of the default route. Throws Error(kUsage) without one.
std::string default_device();

}  // namespace penstock::gw
