/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The layout of the maps, for the programs and the tool. "Forward" is the direction of the data, out
 * of the device; "reverse" that of the ACKs, which arrive at it. With `down` data comes in.
 */
#ifndef PENSTOCK_GATEWAY_SHARED_H
#define PENSTOCK_GATEWAY_SHARED_H

#include "core/gateway/contest.h"
#include "core/gateway/gateway.h"
#include "core/gateway/handshake.h"
#include "core/packet/rule.h"
#include "core/queue/background.h"
#include "core/queue/far_wait.h"
#include "core/queue/overhead.h"
#include "counters.h"
#include "held.h"

#define GW_ABI 50 /* of the pinned maps; a tool with another one leaves them */
#define GW_MAX_FLOWS 65536 /* unless configured */
#define GW_MAX_HALF_OPEN 16384 /* likewise */
#define GW_HALF_OPEN_SLOTS 4096
#define GW_MAX_GROUPS 16384 /* hosts or subscribers among which the link is divided */
#define GW_MAX_HELD 1024
#define GW_MAX_SPARED 256 /* flows that rules spare, for people to see */
#define GW_MAX_SCONE_PATHS 16384
#define GW_RATES 4096
#define GW_MAX_EXEMPTIONS 32
#define GW_MAX_TX_QUEUES 1024
#define GW_POLICED_EACH 8 /* segments beyond every window per dropped one */
#define GW_CGROUP_DEPTHS 32 /* below the root, which has depth 0 */
#define GW_SHAPE_CACHE 4096 /* addresses whose shape each CPU knows */
#define GW_SHAPE_NAME 32
#define GW_FLOWS_PER_TABLE 1024 /* of `fair`, with shapes */

/* A closed flow is kept this long: its remaining packets are still controlled. */
#define GW_OVER_NS (60 * PST_NS_PER_S)
/* A handshake, from its newest SYN on: Linux waits for 64 s before it repeats the last one. */
#define GW_HALF_OPEN_NS (120 * PST_NS_PER_S)
/* An idle one, unless configured: the minimum of RFC 5382 REQ-5 for NATs. */
#define GW_IDLE_NS (7440 * PST_NS_PER_S)

/* A connection without new ACKs of data for so long has ended its first page. */
#define GW_PAGE_GAP_US 1000000U

/* A clock overdue for this long is stale (R25). */
#define GW_STALE_NS (3 * PST_NS_PER_S)

enum gw_queue_source {
	GW_QUEUE_KERNEL,	/* backlog of the device's root qdisc */
	GW_QUEUE_VIRTUAL,	/* leaky bucket at the rate */
	GW_QUEUE_PASSIVE,	/* further down, as ACKs tell (core/queue/hidden_queue.h) */
	GW_QUEUE_UPSTREAM,	/* before this machine, as timestamps tell (upstream_queue.h) */
};

/* Whether what no window controls is held to its share (core/discipline/fair.h). */
enum gw_fair {
	GW_FAIR_AUTO,	/* below a law, unless its method has another discipline */
	GW_FAIR_ON,
	GW_FAIR_OFF,
};

/* Flows with an end like this are bypassed (R34). Network byte order. */
struct gw_exemption {
	u32 address[4];		/* IPv4 as ::ffff:a.b.c.d */
	u32 mask[4];
	u16 port;		/* 0: any */
	u16 zero;
};

/*
 * Constants of one loaded program. The kernel's verifier knows them and removes dead
 * code, including all methods but one; if one changes, a new program is loaded, which
 * replaces the previous one. The program reads what GW_SETTINGS() names from a second copy,
 * which can be written while it runs.
 */
struct gw_config {
	u64 limit_bytes;	/* B */
	u64 rate_bytes_per_s;	/* C, in full packets as the device counts them; see gw_rate() */
	u64 line_bytes_per_s;	/* the rate as configured, with the overhead below */
	struct pst_overhead overhead;
	bool has_overhead;
	u32 max_flows;		/* size of the table; 0: GW_MAX_FLOWS */
	u32 max_shapes;		/* that there is room for; 0: the device is one queue */
	u32 revision;		/* changes with each change of the settings */
	u64 idle_ns;		/* a flow idle for longer is removed */
	u64 now_ns;		/* of time_is_set */
	struct pst_gateway_config gateway;
	u32 variant;		/* enum pst_variant that the gateway was made from */
	u32 fair;		/* enum gw_fair, as requested */
	bool own_discipline;	/* it was requested, in the place of the variant's */
	bool own_signal;	/* likewise */
	u32 queue_source;	/* enum gw_queue_source */
	u32 mss_bytes;		/* usual segment, for what belongs to no flow */
	bool ethernet;		/* the device's packets have a link header */
	bool measures;		/* the rate at which packets leave the device */
	bool sees_packets;	/* pst_gateway_sees_packets() */
	bool sees_departures;	/* it has events for them */
	bool sees_entries;	/* and for packets that go in, or do not fit */
	bool scone;		/* lower the signals of SCONE packets */
	bool names_flows;	/* the discipline tells flows apart */
	bool labels;		/* by the rates of flows, for which there is a map */
	bool rewrites;		/* pst_gateway_rewrites() */
	bool ticks;		/* discipline or law has a clock */
	bool time_is_set;	/* for tests: it is now_ns of gw_changing, not the kernel's */
	bool down;		/* data comes in by the device, and ACKs leave by it */
	bool acks_elsewhere;	/* they leave through another device than the data */
	u32 leaf_handle;	/* the qdisc under leaf_class; 0: the default one */
	u32 leaf_class;		/* 0: the root's backlog */
	bool police;		/* drop some segments beyond every window */
	bool bypass_scalable;	/* R20: the queue marks, and L4S senders respond */
	bool spares;		/* there are rules, and the discipline is fair */
	bool outside;		/* data comes from another network, as a provider's */
	u32 share_mask[4];	/* of IPv6 addresses, by gateway.share_by */
	u32 share_mask_ipv4;	/* and of IPv4's */
	u32 share_bits;		/* of prefix:N; 0 for the others */
	u32 exemption_count;
	struct gw_exemption exemptions[GW_MAX_EXEMPTIONS];
	u32 rule_count;
	struct pst_rule rules[PST_MAX_RULES];	/* what fair spares by */
};

#define GW_SETTINGS(S)              \
	S(limit_bytes)              \
	S(rate_bytes_per_s)         \
	S(line_bytes_per_s)         \
	S(overhead)                 \
	S(idle_ns)                  \
	S(revision)                 \
	S(police)                   \
	S(exemption_count)          \
	S(exemptions)               \
	S(rule_count)               \
	S(rules)                    \
	S(gateway.discipline_params) \
	S(gateway.law_params)

/* C, as configured or as measured. */
PST_FN u64 gw_rate(const struct gw_config *c, const struct pst_gateway_state *s)
{
	return c->gateway.auto_rate ? s->departures.bytes_per_s : c->rate_bytes_per_s;
}

/* What the settings say of the link of one queue. */
struct gw_link {
	u64 limit_bytes;	/* B */
	u64 rate_bytes_per_s;	/* C, as of struct gw_config */
	u64 line_bytes_per_s;
};

/* Of the queue that the device is without shapes; and its parameters, into *@of. */
PST_FN void gw_link_of(const struct gw_config *c, struct gw_link *l,
		       struct pst_gateway_config *of)
{
	l->limit_bytes = c->limit_bytes;
	l->rate_bytes_per_s = c->rate_bytes_per_s;
	l->line_bytes_per_s = c->line_bytes_per_s;
	of->discipline_params = c->gateway.discipline_params;
	of->law_params = c->gateway.law_params;
}

/* Tables of `fair` that the flows of all shapes have together: for a few shapes, one of each. */
PST_FN u32 gw_shape_tables(const struct gw_config *c)
{
	u32 flows = c->max_flows ? c->max_flows : GW_MAX_FLOWS;

	return (u32)pst_min(pst_max(flows / GW_FLOWS_PER_TABLE, 1), c->max_shapes);
}

/* State of the tool that outlives it. */
struct gw_attachment {
	struct gw_config config;
	u64 since_ns;		/* CLOCK_BOOTTIME of the first attach */
	u64 netns_cookie;	/* of the network namespace; its number is reused */
	u64 target_ns;		/* requested as a time; 0: a parameter, or the default */
	u32 abi;		/* GW_ABI */
	u32 ifindex;
	u32 priority;		/* of the filters; 0 with TCX */
	bool tcx;
	bool own_clsact;	/* installed by the tool, which removes it */
	bool own_acks_clsact;
	bool own_qdisc;
	/* The requested settings; defaults of others follow these. */
	bool install_queue;
	bool buffer_given;
	u32 params_given;	/* a bit for each parameter, in the gateway's order */
	u32 source;
	u32 scalable;
	u32 acks_ifindex;	/* 0: ACKs come in by the device itself */
	u32 adopted;		/* connections that are older, and are controlled */
	char acks[16];
};

/* A connection; first the end whose data leaves through the device. */
struct gw_key {
	u32 sender[4];		/* as on the wire; IPv4 as ::ffff:a.b.c.d */
	u32 receiver[4];
	u16 sender_port;
	u16 receiver_port;
	u32 tags;		/* VLAN ids as of struct pst_segment, with one that was stripped */
	u16 session;		/* of PPPoE */
	bool ipv6;		/* addresses of IPv6 may look like those of IPv4 */
	u8 contender;		/* of those with these ends; see core/gateway/contest.h */
};

enum gw_select {
	GW_BY_MARK = 1,		/* of the packet, not 0 */
	GW_BY_CLASS,		/* its priority, as tc's class: major << 16 | minor */
	GW_BY_CGROUP,		/* of the socket here, its id; of 0, the depths of all, a bit each */
};

/* Whose packets belong to a shape; the map's value is the shape's number. */
struct gw_selector {
	u32 by;			/* enum gw_select */
	u32 depth;		/* of the cgroup, below the root; 0 of all others */
	u64 value;
};

/* The same for addresses; the longest one counts. */
struct gw_prefix {
	u32 bits;		/* IPv4: 96 more */
	u32 address[4];		/* as struct gw_key's */
};

struct gw_known_shape {
	struct gw_prefix of;	/* a whole address */
	u32 shape;
	u32 until;		/* this unit of time ends; 0 never */
};

/* Whose flows count as one: an address, masked, or a mark in the first word. */
struct gw_group_key {
	u32 word[4];
	u32 shape;		/* in which they are one */
};

/* Reasons to bypass a flow; each has a counter of this name. */
#define GW_SKIPS(C)                                                     \
	C(authenticated, "TCP-MD5 or TCP-AO signs the window (R16)")    \
	C(multipath, "MPTCP shares the window among paths (R17)")       \
	C(scalable, "L4S sender, and the queue marks for it (R20)")     \
	C(exempt, "the settings leave this end alone (R34)")            \
	C(misread, "contested, and its sender has more to send, but never used half of its window: the scale is wrong (R8)")

#define GW_SKIP_ID(name, help) GW_SKIP_##name,
enum gw_skip {
	GW_CONTROLLED,
	GW_SKIPS(GW_SKIP_ID)
	GW_SKIP_COUNT,
};
#undef GW_SKIP_ID

struct gw_flow {
	struct pst_gateway_flow gateway;
	struct pst_pace_flow pace;
	struct pst_ends ends;
	u64 seen_ns;		/* last segment of either direction */
	u64 far_ns;		/* its least round trip beyond the gateway; 0 unknown */
	u64 name;		/* in the discipline's table; 0: not computed yet */
	u64 sent_bytes;		/* data seen forward */
	u64 again_bytes;	/* of it, seen before */
	u64 beyond_bytes;	/* of it, beyond every window granted */
	u64 beyond_segments;
	u64 acks;		/* ACKs decided by the method */
	u64 rewritten;
	u32 lock;		/* 1 while a CPU holds the flow */
	u32 missed;		/* 1 if data passed while its CPU failed to take the lock */
	u32 missed_end;		/* where it ended */
	u32 mark;		/* of its data */
	u32 shape;		/* of its data; 0: none */
	u32 program_shape;	/* of the cgroup here that answers it; 0: none, or it is elsewhere */
	/* The first page, from the SYN to the last new ACK of data before a pause, and its data. */
	u32 page_us;
	u32 page_bytes;
	u8 limit;		/* enum pst_limit of the newest ACK */
	u8 skip;		/* enum gw_skip */
	bool contested;		/* others with the same ends are known, or their handshake */
};

/* The reason to bypass @f, enum gw_skip. */
PST_FN u32 gw_skip_of(const struct gw_config *c, const struct gw_flow *f)
{
	if (f->skip != GW_CONTROLLED)
		return f->skip;
	if (!f->gateway.flow.scale_known)
		return GW_SKIP_misread;
	return f->gateway.flow.scalable && c->bypass_scalable ? GW_SKIP_scalable :
								GW_CONTROLLED;
}

/*
 * Handshakes to keep with @max_flows flows: a quarter as many, as by default, but no fewer
 * with fewer flows, as a flood of SYNs does not depend on them.
 */
PST_FN u32 gw_max_half_open(u32 max_flows)
{
	return (u32)pst_max(pst_min(max_flows, GW_MAX_HALF_OPEN), max_flows / 4);
}

/* A handshake until its final ACK (R7, R27). */
struct gw_half_open {
	struct pst_gateway_flow gateway;
	struct pst_pace_flow pace;
	struct pst_handshake handshake;
	u8 skip;		/* enum gw_skip, of the settings */
	u32 mark;		/* of the data sender's SYN */
	u32 shape;		/* of the SYNs */
	u32 program_shape;	/* as of struct gw_flow */
};

/* Of the handshakes and contenders that have one hash. */
struct gw_slot {
	u32 waiting;		/* these, and those that were evicted since the last sweep */
	u32 counted;		/* that the running sweep has found, or that came meanwhile */
};

/* What a shape counts, since it is there; single counts may be lost. */
struct gw_shape_counts {
	u64 packets;		/* that belong to it */
	u64 bytes;
	u64 drops;		/* of these, packets that it dropped; observing, would have */
	u64 acks;		/* ACKs of its flows that were decided */
	u64 rewritten;
};

/* One per queue; written without a lock, so single updates may be lost. */
struct gw_shared {
	struct gw_link link;
	struct pst_port port;
	struct gw_shape_counts counts;
	u32 shape;		/* its number; 0: the device's own queue */
	u32 revision;		/* of the settings in `link` and in port.config, */
	u32 serial;		/* of the shape, */
	u32 epoch;		/* and of the law; 0: not ready */
	u64 device;		/* struct net_device, for the timer to read */
	u64 root;		/* its struct Qdisc, of which sums_queues was read; 0: none */
	u32 sums_queues;	/* it is "mq", whose own count is stale */
	u32 background;		/* of a shape: its rate is what others leave */
	u64 shape_count;	/* of the device's own queue: how many shapes there are; the tool's */
	u64 came_bytes;		/* where data comes in and there are shapes */
	u64 followed_ns;	/* of the device's own queue: when a background shape looked at it */
	u64 due_ns;		/* time of the clock's next tick */
	u64 drained_q4;		/* when the virtual queue is empty, ns * 16 */
	u64 queue_bytes;	/* at the last look */
	u64 arrived_ns;		/* when the last packet arrived */
	u64 arrived_bytes;	/* backlog at that time, with that packet */
	u64 rule_due_ns[PST_MAX_RULES];	/* of pst_spared_fits() */
	struct pst_far_wait far;	/* whether data waits beyond this queue */
};

/* What ACKs wait in the queue of one direction of a device: what leaves is 0, what comes in 1. */
struct gw_ack_wait {
	u64 until_ns;		/* when what passes now is through; 0 nothing was told */
	u64 asked_ns;		/* when the attachment of the other direction last asked */
};

/*
 * A shape: a queue of its own for the packets that a selector names. It is the value of the
 * pinned map `shapes`, whose key is the shape's number, 1 and up. To add one, fill in the
 * first fields, zero the rest, and then add the selectors, in `shape_selectors` and
 * `shape_prefixes`. To change one, write it back with other values and another serial. To
 * remove one, delete its selectors, and then write zeros: no shape has a rate of 0.
 */
struct gw_shape {
	u64 rate_bytes_per_s;	/* of full packets, as the device counts them */
	u64 line_bytes_per_s;	/* the same without an overhead */
	u64 limit_bytes;	/* the buffer */
	u64 target_ns;		/* the delay to aim at; 0: as the device's own queue */
	u32 serial;
	u32 background;		/* the rate is the most; what there is, is what others leave */
	char name[GW_SHAPE_NAME];	/* for people; ends with a zero */
	struct gw_shared shared;	/* the programs', as the next */
	struct pst_background lbe;	/* of a background shape (RFC 6297) */
};

#define GW_COUNTER_ID(name, help) GW_COUNT_##name,
#define GW_BYPASS_ID(name, help) GW_PASS_##name,
enum gw_counter {
	GW_COUNTERS(GW_COUNTER_ID)
	GW_BYPASSES(GW_BYPASS_ID)
	GW_BY_LIMIT,		/* one for each enum pst_limit */
	GW_COUNTER_COUNT = GW_BY_LIMIT + PST_LIMIT_COUNT,
};

struct gw_counts {
	u64 value[GW_COUNTER_COUNT];
};

#endif
