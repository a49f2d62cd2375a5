// SPDX-License-Identifier: GPL-2.0-only
// Replaces the running program; maps, and thus flows, are kept.
#pragma once

#include "linux/gateway/tool/attach/device.h"
#include "linux/gateway/tool/attach/program.h"

namespace penstock::gw {

// `a` is then in force. `fresh`: the method starts with a cleared state.
void swap_program(const Device& device, const gw_attachment& a, const Program& program, bool fresh);

// Lets reduced windows open by the ramp (R26), and waits until those of active flows are open,
// for at most a few seconds. True if there were any; drop-tail is then in force, so a signal must
// not end the command (stop_on_signals()).
bool release_windows(const Device& device, gw_attachment a);

}  // namespace penstock::gw
