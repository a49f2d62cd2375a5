// SPDX-License-Identifier: GPL-2.0-only
// attach, set and detach.
#pragma once

#include "linux/gateway/tool/attach/device.h"
#include "linux/gateway/tool/settings/settings.h"

namespace penstock::gw {

class LoadedPrograms;

// The plan for this device: settings without a buffer take that of the device's queue.
Plan plan_on(const Device& device, const Settings& settings);

// Throws Error, and leaves the device unchanged. `programs`: as of change().
void attach(const Device& device, const Plan& plan, LoadedPrograms* programs = nullptr);

// Applies another plan to an attached device. Flow state is kept; each hook gets its new program
// in one step. From live to observe, windows first open by the ramp. Throws Error, and leaves the
// old plan in force. `programs`: those of this attachment, for a caller that alternates.
void change(const Device& device, const Plan& plan, LoadedPrograms* programs = nullptr);

enum class Release { kRamp, kAtOnce };

// Removes all that attach() has installed, after reduced windows have opened by the ramp (R26; a
// few round trips). Throws Error(kNotAttached).
void detach(const Device& device, Release release);

}  // namespace penstock::gw
