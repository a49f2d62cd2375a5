// SPDX-License-Identifier: GPL-2.0-only
// Statistics of a link, for people and as JSON.
#pragma once

#include "gateway/link/direction.h"

namespace penstock::link {

// One line on stdout: JSON, or text. `realtime`: both threads run under SCHED_FIFO.
void print_report(const Counters& forward, const Counters& back, bool realtime, bool as_json);

}  // namespace penstock::link
