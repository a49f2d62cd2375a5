// SPDX-License-Identifier: GPL-2.0-only
// Packets that another program takes before ours see them.
#pragma once

#include <string>

#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

// Why the programs do not see what passes, by its bytes while a filter of others stands before
// them; empty if they see it, or nothing passes. Looks for a tenth of a second at most, and only if
// there is such a filter.
std::string unseen_because(const Snapshot& s);

}  // namespace penstock::gw
