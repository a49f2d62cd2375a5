// SPDX-License-Identifier: GPL-2.0-only
// Evidence that an attachment is not where data queues.
#pragma once

#include <cstdint>
#include <string>

#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

// How long data waits beyond the attachment's own queue, where that is to be here; 0 if no queue
// is known to stand there.
std::uint64_t far_wait_ns(const Snapshot& s);
// What waits in its own queue.
std::uint64_t own_wait_ns(const Snapshot& s);

// That data queues elsewhere, and what to do; empty if nothing says so.
std::string elsewhere_warning(const Snapshot& s);

// That the data which fills the line comes in by the device, and is not held; empty if nothing
// says so.
std::string not_held_text(const Snapshot& s);

}  // namespace penstock::gw
