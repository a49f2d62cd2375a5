// SPDX-License-Identifier: GPL-2.0-only
// attach, set and detach.
#pragma once

#include "gateway/tool/device.h"
#include "gateway/tool/settings.h"

namespace penstock::gw {

// Throws Error; then the device is as it was.
void attach(const Device& device, const Plan& plan);

// Another plan for a device that is attached. Flow state stays; each hook gets
// its new program in one step. Throws Error; then the old plan is in force.
void change(const Device& device, const Plan& plan);

// Takes away all that attach() has put there. Throws Error(kNotAttached).
void detach(const Device& device);

}  // namespace penstock::gw
