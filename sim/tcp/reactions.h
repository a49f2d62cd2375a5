// SPDX-License-Identifier: GPL-2.0-only
// A sender's reactions to loss and congestion: RFC 5681 section 3.2, RFC 6582 section 3 (no SACK),
// RFC 6675 section 5 (SACK), RFC 8985 section 6 (time), RFC 6298 section 5 (timeout), RFC 3168
// section 6.1.2 (ECN). Is told what an ACK or a timer says of losses; begins and ends recoveries,
// and reduces the window. The method of core/sender decides ssthresh.
#pragma once

#include "sim/tcp/tcb.h"

namespace penstock::tcp {

void on_duplicate(Tcb& t, bool echoes, std::uint64_t now_ns, Output& out);
void on_ecn_echo(Tcb& t, std::uint64_t ack, std::uint64_t now_ns);
// New data is acknowledged in fast recovery.
void on_recovery_ack(Tcb& t, std::uint64_t acked, std::uint64_t now_ns, Output& out);
// Steps 4 and 5 of RACK, and what the ACK says of a probe. `bare_duplicate`: without any block.
void on_rack_ack(Tcb& t, const Segment& s, std::uint64_t ack, bool bare_duplicate,
                 std::uint64_t now_ns, Output& out);
void on_reorder_timer(Tcb& t, std::uint64_t now_ns, Output& out);
void on_timeout(Tcb& t, std::uint64_t now_ns, Output& out);
void leave_recovery(Tcb& t, std::uint64_t now_ns);
void reduce_in_proportion(Tcb& t, std::uint64_t delivered);  // in fast recovery, RFC 6937
// The method sees an ACK, in recovery too.
void sample(Tcb& t, std::uint64_t acked, std::uint64_t flight, std::uint64_t rtt_ns, bool echoes,
            std::uint64_t now_ns);

}  // namespace penstock::tcp
