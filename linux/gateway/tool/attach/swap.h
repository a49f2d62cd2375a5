// SPDX-License-Identifier: GPL-2.0-only
// Replaces the running program; maps, and thus flows, are kept.
#pragma once

#include "linux/gateway/tool/attach/device.h"
#include "linux/gateway/tool/attach/program.h"

namespace penstock::gw {

// `a` is then in force. `fresh`: the method starts with a cleared state.
void swap_program(const Device& device, const gw_attachment& a, const Program& program, bool fresh);

// For what windows open again.
enum class Before {
  kObserving,  // shapes beside a queue upstream have rates of their own, and hold on
  kDetaching,
};

// Lets reduced windows open by the ramp (R26), and waits until those of active flows are open,
// for at most a few seconds. True if there were any; a program that writes none is then in force,
// so a signal must not end the command (stop_on_signals()).
bool release_windows(const Device& device, gw_attachment a, Before what, LoadedPrograms& programs);

// Whether what is known of the queue outlives that.
inline bool keeps_queue(const gw_attachment& a, Before what) {
  return what == Before::kObserving && a.config.gateway.upstream;
}

}  // namespace penstock::gw
