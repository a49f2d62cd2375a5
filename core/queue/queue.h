/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a method may know of the forward queue: the queue in which the data of
 * the flows waits. The host fills it at each event; nothing here is remembered.
 */
#ifndef PENSTOCK_CORE_QUEUE_QUEUE_H
#define PENSTOCK_CORE_QUEUE_QUEUE_H

#include "../base.h"

struct pst_queue {
	u64 now_ns;
	u64 bytes;		/* waiting; the packet on the wire is not counted */
	u64 packets;		/* waiting, likewise */
	u64 limit_bytes;	/* B, by pst_queue_limit_bytes(); 1 .. PST_MAX_BYTES */
	u64 limit_packets;	/* B in packets; 0 where the limit is bytes only */
	u64 rate_bytes_per_s;	/* C */
	u64 flows;		/* N, flows with data of late; >= 1 */
	u32 mss_bytes;		/* usual segment, payload bytes */
	u32 random;		/* 32 fresh random bits for this event */
};

#define PST_HEADERS_BYTES 40 /* IPv4 and TCP, without options */

/*
 * B in bytes of a queue that holds at most @bytes and at most @packets, where 0
 * means no such limit: a packet counts as a full one, of @mss_bytes (1 .. 65495)
 * and its headers. 0 where the queue has neither limit.
 */
PST_FN u64 pst_queue_limit_bytes(u64 bytes, u64 packets, u32 mss_bytes)
{
	u64 packet_bytes = (u64)mss_bytes + PST_HEADERS_BYTES;
	u64 room_bytes = packets > PST_MAX_BYTES / packet_bytes ?
				 PST_MAX_BYTES :
				 packets * packet_bytes;

	if (!bytes || !packets)
		return bytes + room_bytes;
	return pst_min(bytes, room_bytes);
}

/* A data packet that arrives at the queue or leaves it. */
struct pst_packet {
	u32 bytes;		/* IP packet length */
	bool ecn_capable;	/* ECT(0) or ECT(1), RFC 3168 section 5 */
	u64 queued_ns;		/* when it was accepted; set as it leaves */
};

enum pst_verdict {
	PST_PASS,
	PST_DROP,
	PST_MARK,		/* set CE; only for an ecn_capable packet */
	PST_SIGNAL,		/* congestion: the gateway's setting says how */
};

#endif
