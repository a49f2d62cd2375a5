// SPDX-License-Identifier: GPL-2.0-only
// Statistics of a link, for people and as JSON.
#pragma once

#include <string>

#include "linux/lab/link/direction.h"

namespace penstock::link {

// `realtime`: both threads run under SCHED_FIFO. Without the newline at the end.
std::string report_json(const Counters& forward, const Counters& back, bool realtime);
std::string report_text(const Counters& forward, const Counters& back, bool realtime);

}  // namespace penstock::link
