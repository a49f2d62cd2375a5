// SPDX-License-Identifier: GPL-2.0-only
// attach, set and detach.
#pragma once

#include "gateway/tool/device.h"
#include "gateway/tool/settings.h"

namespace penstock::gw {

// Throws Error; then the device is as it was.
void attach(const Device& device, const Plan& plan);

// Another plan for a device that is attached. Flow state stays; each hook gets
// its new program in one step. From live to observe, windows first open by the ramp.
// Throws Error; then the old plan is in force.
void change(const Device& device, const Plan& plan);

enum class Release { kRamp, kAtOnce };

// Takes away all that attach() has put there, after the windows that are reduced have
// opened by the ramp (R26; some round trips). Throws Error(kNotAttached).
void detach(const Device& device, Release release);

}  // namespace penstock::gw
