// SPDX-License-Identifier: GPL-2.0-only
// What happened between two looks at an attachment, and why, in words.
#pragma once

#include <string>
#include <vector>

#include "linux/gateway/tool/snapshot.h"

namespace penstock::gw {

struct Event {
  const char* name;  // attach, detach, set, live, observe, degraded, recovered, floor, floor_left
  std::string reason;
};

std::vector<Event> events_between(const Snapshot& before, const Snapshot& after);

}  // namespace penstock::gw
