/* SPDX-License-Identifier: GPL-2.0-only */
/* What a method may know of an ACK that passes the gateway, and of its flow. */
#ifndef PENSTOCK_CORE_CONTROL_ACK_H
#define PENSTOCK_CORE_CONTROL_ACK_H

#include "../base.h"

struct pst_ack {
	u64 window_bytes;	/* Wr = field << scale; <= 65535 << 14 */
	u64 rtt_ns;		/* the flow's RTT as far as known, else 0 */
	u32 mss_bytes;		/* payload of a whole segment of this flow; >= 1 */
	u32 granule_bytes;	/* 1 << scale: the window's smallest step */
	u32 flight_bytes;	/* seen sent beyond the ACK before this one */
	u32 acked_bytes;	/* that this ACK newly acknowledges; <= flight_bytes */
	u32 granted_bytes;	/* window sent on with the ACK before; 0 for the first */
	bool fills;		/* the sender used all of the edge that it last had time to */
	bool opens;		/* it answers the sender's SYN: the first flight's window */
};

/* True if the sender used all of the window that it had: no room for a segment more. */
PST_FN bool pst_ack_fills_window(const struct pst_ack *a)
{
	return (u64)a->flight_bytes + a->mss_bytes > a->granted_bytes;
}

#endif
