// SPDX-License-Identifier: GPL-2.0-only
// Congestion controls that send at a rate: their rate samples from ACKs, and their pacing, as in
// Linux. The window is theirs alone: recovery, PRR and idle periods leave it as it is. Only for
// blocks that have `rate`.
#pragma once

#include "sim/tcp/tcb.h"

namespace penstock::tcp {

// A segment leaves.
void note_sent(Tcb& t, std::uint64_t start, std::uint64_t end, std::uint64_t now_ns);
void steer(Tcb& t, std::uint64_t now_ns);
void lose_all(Tcb& t);
void lose_first(Tcb& t);  // without SACK
void note_application_limit(Tcb& t);
void restart_at_rate(Tcb& t, std::uint64_t now_ns);
std::uint64_t total_lost_bytes(const Tcb& t);

}  // namespace penstock::tcp
