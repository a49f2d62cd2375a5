/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The header between routers and end hosts, which a packet carries along its path and
 * which ACKs return to the sender. Most packets carry none.
 */
#ifndef PENSTOCK_CORE_PACKET_FEEDBACK_H
#define PENSTOCK_CORE_PACKET_FEEDBACK_H

#include "../base.h"

/* The protocol of the header; both ends and each router on the path have to support it. */
enum pst_feedback_kind {
	PST_FEEDBACK_NONE,
	PST_FEEDBACK_XCP,	/* window, round trip, change of the window */
	PST_FEEDBACK_FBA,	/* round trip, and in `label` the rate that is allowed */
	PST_FEEDBACK_ANTIECN,	/* in `label` a bit, which routers without capacity clear */
	PST_FEEDBACK_QUICK_START, /* in a SYN: nonce in `delta_bytes`, rate in `label` */
	/*
	 * In `label` a window: in data the one that its sender was told, which routers lower and
	 * the receiver obeys; in ACKs what the receiver has room for. In data also the bytes in
	 * flight, as `cwnd_bytes`, and the least RTT. Not every router has to support it.
	 */
	PST_FEEDBACK_WINDOW,
};

#define PST_WINDOW_UNLIMITED 0xffffffU /* of a window of so much or more: 16 MiB less one */

#define PST_FBA_UNIT_BYTES_PER_S 125	/* of the label: 1 kbit/s */
#define PST_FBA_UNLIMITED 0xffffffU

/* Quick-Start's rates: 40 kbit/s * 2^N, N from 1; 0 is none (RFC 4782 section 3.1). */
#define PST_QUICK_START_BYTES_PER_S 5000ULL
#define PST_QUICK_START_LARGEST 15

struct pst_feedback {
	u32 cwnd_bytes;		/* the sender's window */
	u32 rtt_us;		/* its RTT; 0 while unknown */
	s32 delta_bytes;	/* requested change of the window; routers lower it */
	u32 label;		/* further data of a method */
};

#endif
