// SPDX-License-Identifier: GPL-2.0-only
// Another program in the place of the one that runs; maps, and so flows, stay.
#pragma once

#include "gateway/tool/device.h"
#include "gateway/tool/program.h"

namespace penstock::gw {

// `a` is what is then in force. `fresh`: the method starts anew.
void swap_program(const Device& device, const gw_attachment& a, const Program& program, bool fresh);

// Lets windows that are reduced open by the ramp (R26), and waits until those of active
// flows are open, at most some seconds. True if it had to; drop-tail is then in force.
bool release_windows(const Device& device, gw_attachment a);

}  // namespace penstock::gw
