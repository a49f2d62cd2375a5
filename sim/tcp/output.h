// SPDX-License-Identifier: GPL-2.0-only
// What a sender may send, and when: RFC 9293 sections 3.8.6 (windows, silly window, probes) and
// 3.7.4 (Nagle), RFC 6675 section 4 (NextSeg), RFC 3042 (limited transmit), RFC 5681 section 4.1
// (idle), RFC 6298 section 5 and RFC 8985 section 7 (timers). Is told that something has changed;
// sends what the components of the block allow, and sets the timer.
#pragma once

#include "sim/tcp/tcb.h"

namespace penstock::tcp {

// All that may leave now.
void send(Tcb& t, std::uint64_t now_ns, Output& out);
// The first segment that is lost, whatever the windows say.
void resend_first(Tcb& t, std::uint64_t now_ns, Output& out);
// A segment without data.
void transmit_control(Tcb& t, std::uint64_t seq, std::uint64_t now_ns, Output& out);
void acknowledge_syn(Tcb& t, const Segment& syn_ack, std::uint64_t seq, std::uint64_t now_ns,
                     Output& out);
// The window blocks what remains, and the timer has expired.
void probe(Tcb& t, std::uint64_t now_ns, Output& out);
// The tail of the data is not acknowledged, and its timer has expired.
void probe_tail(Tcb& t, std::uint64_t now_ns, Output& out);
void set_timer(Tcb& t, std::uint64_t now_ns, bool restart);
std::uint64_t new_segment_end(const Tcb& t);

}  // namespace penstock::tcp
