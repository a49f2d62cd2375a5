// SPDX-License-Identifier: GPL-2.0-only
// The events of an ACK: RFC 9293 section 3.10.7.4 (windows), RFC 5681 section 2 (duplicates), RFC
// 6675 section 5 (SACK), RFC 6298 section 3 and RFC 7323 section 4 (round-trip samples), RFC 7661
// section 4.3 (growth). Each component of the block takes from it what is its own, then output.h
// sends.
#pragma once

#include "sim/tcp/tcb.h"

namespace penstock::tcp {

void on_ack(Tcb& t, const Segment& s, std::uint64_t now_ns, Output& out);

}  // namespace penstock::tcp
