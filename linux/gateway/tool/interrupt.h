// SPDX-License-Identifier: GPL-2.0-only
// Waiting that SIGINT, SIGTERM and SIGHUP interrupt, so that a command can clean up.
#pragma once

#include <cstdint>

namespace penstock::gw {

void stop_on_signals();
bool is_stopped();

// Less if a signal comes.
void wait_ns(std::uint64_t ns);

}  // namespace penstock::gw
