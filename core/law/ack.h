/* SPDX-License-Identifier: GPL-2.0-only */
/* A method's view of an ACK that passes the gateway, and of its flow. */
#ifndef PENSTOCK_CORE_LAW_ACK_H
#define PENSTOCK_CORE_LAW_ACK_H

#include "../base.h"

/* The largest window there is (RFC 7323 section 2.3). */
#define PST_MOST_WINDOW_BYTES (65535ULL << 14)

/* The parameter of laws that need a round trip. */
#define PST_RTT_PARAM(P)                                                       \
	P(rtt_ns, PST_NS, PST_IS(100000000), 1000, PST_MAX_NS,                 \
	  "RTT assumed until one has been measured",                          \
	  "our choice: a path across a continent")

struct pst_ack {
	u64 window_bytes;	/* Wr = field << scale; at most the largest */
	u64 rtt_ns;		/* the flow's RTT; 0 if unknown */
	u32 mss_bytes;		/* payload of a whole segment of this flow; >= 1 */
	u32 granule_bytes;	/* 1 << scale: the window's smallest step; >= 1 */
	u32 flight_bytes;	/* data seen beyond the previous ACK */
	u32 acked_bytes;	/* that this ACK newly acknowledges; <= flight_bytes */
	u32 granted_bytes;	/* window sent with the previous ACK; 0 for the first,
				 * unless the law set the SYN-ACK's */
	bool fills;		/* the sender used the last edge that it had time to reach */
	bool more;		/* its newest data was not marked as the last (PSH) */
	bool opens;		/* says the window of the first flight, none of which has come */
};

/* True if the sender used its whole window: no further segment fits. */
PST_FN bool pst_ack_fills_window(const struct pst_ack *a)
{
	return (u64)a->flight_bytes + a->mss_bytes > a->granted_bytes;
}

/* What a host keeps to, so that no law overflows. */
PST_FN bool pst_ack_fits(const struct pst_ack *a)
{
	return a->window_bytes <= PST_MOST_WINDOW_BYTES && a->rtt_ns <= PST_MAX_NS &&
	       a->acked_bytes <= a->flight_bytes;
}

#endif
