/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a packet of a flow carries for the routers on its way, and back to its sender:
 * the header between router and end host. A packet without one has none of this.
 */
#ifndef PENSTOCK_CORE_PACKET_FEEDBACK_H
#define PENSTOCK_CORE_PACKET_FEEDBACK_H

#include "../base.h"

/* Whose header it is; both ends and each router on the way have to know it. */
enum pst_feedback_kind {
	PST_FEEDBACK_NONE,
	PST_FEEDBACK_XCP,	/* window, round trip, change of the window */
	PST_FEEDBACK_FBA,	/* round trip, and in `label` the rate that is allowed */
	PST_FEEDBACK_ANTIECN,	/* in `label` a bit, which routers without room clear */
	PST_FEEDBACK_QUICK_START, /* in a SYN: nonce in `delta_bytes`, rate in `label` */
};

#define PST_FBA_UNIT_BYTES_PER_S 125	/* of the label: 1 kbit/s */
#define PST_FBA_UNLIMITED 0xffffffU

/* Quick-Start's rates: 40 kbit/s * 2^N, N from 1; 0 is none (RFC 4782 section 3.1). */
#define PST_QUICK_START_BYTES_PER_S 5000ULL
#define PST_QUICK_START_LARGEST 15

struct pst_feedback {
	u32 cwnd_bytes;		/* the sender's window */
	u32 rtt_us;		/* its round trip; 0 while it is not known */
	s32 delta_bytes;	/* change of the window that the sender asks for; routers lower it */
	u32 label;		/* what else a method carries */
};

#endif
