/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A discipline's or law's view of the forward queue, which holds the data of the flows.
 * The host fills it at each event; it is not kept.
 */
#ifndef PENSTOCK_CORE_QUEUE_QUEUE_H
#define PENSTOCK_CORE_QUEUE_QUEUE_H

#include "../base.h"
#include "../packet/feedback.h"
#include "../sizes.h"
#include "../flow/fair_table.h"
#include "../flow/flow_group.h"
#include "../math/rate.h"

struct pst_queue {
	u64 now_ns;
	u64 bytes;		/* queued, without the packet in transmission */
	u64 packets;		/* waiting, likewise; 0 where bytes alone are known */
	u64 limit_bytes;	/* B, by pst_queue_limit_bytes(); 1 .. PST_MAX_BYTES */
	u64 limit_packets;	/* B in packets; 0 where the limit is bytes only */
	u64 rate_bytes_per_s;	/* C */
	u64 measured_bytes_per_s;	/* C by what leaves, for a discipline that divides it; or 0 */
	u64 flows;		/* N, flows that sent data recently; >= 1 */
	u32 mss_bytes;		/* usual segment, payload bytes */
	u32 random;		/* 32 fresh random bits for this event */
	/*
	 * What an ACK waits elsewhere, where another gateway knows it, else 0: with passive what one
	 * that comes back has waited, otherwise what one that passes is to wait.
	 */
	u64 acks_wait_ns;
	u64 pause_ns;		/* what its target has on top, to outlast pauses; 0 .. PST_MAX_NS */
	u64 flows_q16;		/* N by use, with uncontrolled traffic; >= 1 */
	u64 controlled_q16;	/* of these, controlled ones, if it is further down; else 0 */
	u32 opening;		/* of a SYN-ACK: connections whose first data is to come */
	u16 others_use_q15;	/* the share of C that uncontrolled traffic used */
	u16 silent_q15;		/* the part of connections that open and send nothing; 0 .. 1 */
	bool others_fill;	/* it has its fair share, or more */
	bool observed;		/* no window is written, so the queue does not respond */
	bool paced;		/* ACKs can be delayed where flows are too many */
	bool inferred;		/* it is elsewhere, and where it seems empty the path may be longer */
	bool phantom;		/* a count that drains at C; packets do not wait in it */
	struct pst_fair_table *table;	/* of all flows, for a discipline that has one; or null */
};

/* The random bits; a host where they are cheaper to make than to keep makes them here. */
#ifndef PST_RANDOM_ELSEWHERE
PST_FN u32 pst_queue_random(const struct pst_queue *q)
{
	return q->random;
}
#endif

/* What a host keeps to at each event, so that no method overflows. */
PST_FN bool pst_queue_fits(const struct pst_queue *q)
{
	return q->bytes <= PST_MAX_BYTES && q->packets <= PST_MAX_PKTS &&
	       q->limit_bytes <= PST_MAX_BYTES && q->limit_packets <= PST_MAX_PKTS &&
	       q->acks_wait_ns <= PST_MAX_NS && q->pause_ns <= PST_MAX_NS &&
	       q->now_ns <= 1ULL << 63;
}

#define PST_HEADERS_BYTES 40 /* IPv4 and TCP, without options */

/*
 * B in bytes for a queue of at most @bytes and at most @packets, where 0 means no limit.
 * A packet counts as a full one, of @mss_bytes (1 .. 65495) and its headers. 0 if the
 * queue has neither limit.
 */
PST_FN u64 pst_queue_limit_bytes(u64 bytes, u64 packets, u32 mss_bytes)
{
	u64 packet_bytes = (u64)mss_bytes + PST_HEADERS_BYTES;
	u64 room_bytes = packets > PST_MAX_BYTES / packet_bytes ?
				 PST_MAX_BYTES :
				 packets * packet_bytes;

	PST_REQUIRE(bytes <= PST_MAX_BYTES);
	if (!bytes || !packets)
		return bytes + room_bytes;
	return pst_min(bytes, room_bytes);
}

/* Packets that wait, as full ones where only their bytes are known: Linux' backlog. */
PST_FN u64 pst_queue_packets(const struct pst_queue *q)
{
	return q->packets ? q->packets :
			    q->bytes / ((u64)q->mss_bytes + PST_HEADERS_BYTES);
}

/* The gateway's classification of a packet, by gateway/kind.h. */
enum pst_kind {
	PST_KIND_OTHER,		/* not TCP, or of a flow that its windows do not hold */
	PST_KIND_CONTROLLED,	/* of a TCP flow whose windows the gateway may rewrite */
	PST_KIND_SPARED,	/* what the link itself is run by, as ARP: always passes */
	PST_KIND_BY_RULE,	/* what a rule spares (packet/rule.h): passes, and counts */
	PST_KIND_SMALL,		/* a segment without data, ICMP: passes while these are few */
};

/* A data packet that arrives at the queue or leaves it. */
struct pst_packet {
	u64 queued_ns;		/* when it arrived; of one that arrives, now */
	u32 bytes;		/* of IP; in the kernel with its link header, and of all GSO segments */
	u8 kind;		/* enum pst_kind */
	u8 tos;			/* IPv4 TOS or IPv6 traffic class octet */
	bool restrained;	/* controlled, and its window is all that limits it */
	bool answered;		/* its flow's packets are known to be answered */
	bool elastic;		/* TCP: it is not spared for keeping its rate */
	u16 stream;		/* place of its flow among those that go on, from 1; or 0 (places.h) */
	u16 pair;		/* and of its pair of hosts, likewise */
	struct pst_feedback *feedback;	/* its header for routers, or null */
	struct pst_rate *flow_rate;	/* of its flow, kept for the discipline; or null */
	u8 *label;		/* its TOS octet, for a discipline that labels; or null */
	u64 flow;		/* hash of its flow, the same for both directions */
};

#define PST_ECN_MASK 3U
#define PST_NOT_ECT 0U		/* codepoints of RFC 3168 section 5 */
#define PST_ECT1 1U
#define PST_ECT0 2U
#define PST_CE 3U

PST_FN bool pst_packet_ecn_capable(const struct pst_packet *k)
{
	return (k->tos & PST_ECN_MASK) != PST_NOT_ECT;
}

/* The verdict on a packet. A discipline returns no MARK for what is not ECN-capable. */
enum pst_verdict {
	PST_PASS,
	PST_DROP,
	PST_MARK,		/* set CE */
	PST_SIGNAL,		/* early event; from a gateway: a window is pending */
};

#endif
