/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slow start with appropriate byte counting (RFC 5681 eq. 2, RFC 3465), as all
 * loss-based senders use it.
 */
#ifndef PENSTOCK_CORE_SENDER_SLOW_START_H
#define PENSTOCK_CORE_SENDER_SLOW_START_H

#include "sender.h"

#define PST_SLOW_START_PARAMS(P)                                         \
	P(abc_limit, PST_COUNT, PST_IS(2), 1, 1024,                      \
	  "segments that one ACK may add in slow start (L)",             \
	  "RFC 3465 section 2.2")

/* Slow start; returns the acknowledged bytes left for congestion avoidance. */
PST_FN u64 pst_slow_start(struct pst_cwnd *w, const struct pst_sender_view *v,
			  u64 abc_limit)
{
	u64 room = pst_sub_floor(w->ssthresh_bytes, w->bytes);
	u64 step = pst_min(v->acked_bytes, abc_limit * v->mss_bytes);

	PST_REQUIRE(abc_limit >= 1);
	step = pst_min(step, room);
	w->bytes += step;
	PST_ENSURE(step <= v->acked_bytes);
	return step < room ? 0 : v->acked_bytes - step;
}

#endif
