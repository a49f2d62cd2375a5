// SPDX-License-Identifier: GPL-2.0-only
// The events between two samples of an attachment, with their reasons as text.
#pragma once

#include <string>
#include <vector>

#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

struct Event {
  const char* name;  // attach, detach, set, live, observe, degraded, recovered, floor, floor_left
  std::string reason;
};

std::vector<Event> events_between(const Snapshot& before, const Snapshot& after);

}  // namespace penstock::gw
