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
};

#endif
