/* SPDX-License-Identifier: GPL-2.0-only */
/* A queue in packets, for the laws of nis-2004, whose B and Q are in packets. */
#ifndef PENSTOCK_CORE_LAW_PACKETS_H
#define PENSTOCK_CORE_LAW_PACKETS_H

#include "../queue/queue.h"

#define PST_PACKET_PARAM(P, table)                                           \
	P(packet_bytes, PST_BYTES, PST_IS(PST_FULL_PACKET_BYTES), 1, 65535,  \
	  "packet size that converts a queue limit in bytes to packets",     \
	  "nis-2004 Table " table ": B is in packets")

/* Q, rounded up. */
PST_FN u64 pst_packets_queued(const struct pst_queue *q, u64 packet_bytes)
{
	if (q->limit_packets)
		return pst_min(q->packets, PST_MAX_PKTS);
	return pst_min(pst_round_up(q->bytes, packet_bytes) / packet_bytes, PST_MAX_PKTS);
}

#endif
