/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One gateway: a discipline and a law on one forward queue, and the flows through it.
 * Each host (simulator, ns-3, kernel) finds the flow, calls the event handler and applies
 * the result; events are implemented here, once.
 *
 * The path of a packet:
 *   pst_gateway_look      before the other events: what has left the queue is its rate
 *   pst_gateway_forward   a segment of a flow passes forward, towards the queue; its parts:
 *     pst_gateway_syn       a SYN passes, in either direction
 *     pst_gateway_opened    the final segment of the handshake passes
 *     pst_gateway_data      data passes
 *     pst_gateway_fin       the flow has sent its last
 *   pst_gateway_other     a packet, or data, that no window steers passes forward
 *   pst_gateway_arrive    a packet, of any flow or none, arrives at the queue
 *   pst_gateway_entered   with auto_rate, its bytes went in
 *   pst_gateway_accepted  it went in
 *   pst_gateway_overflow  it did not fit
 *   pst_gateway_leave     the head of the queue is to leave
 *   pst_gateway_left      it has left
 *   pst_gateway_reverse   a segment of a flow passes back
 *     pst_gateway_ack       and has an ACK
 *   pst_gateway_tick      the time has come that the last tick named
 */
#ifndef PENSTOCK_CORE_GATEWAY_GATEWAY_H
#define PENSTOCK_CORE_GATEWAY_GATEWAY_H

#include "../control/law.h"
#include "../packet/options.h"
#include "../packet/rtt.h"
#include "../queue/departure_rate.h"
#include "../queue/discipline.h"
#include "../queue/flow_count.h"
#include "../rewrite/window.h"

/* The effect of a discipline's early event: S(name, NAME, text). */
#define PST_SIGNALS(S)                                                        \
	S(drop, DROP, "the packet is dropped")                                \
	S(ecn, ECN, "the packet is marked if it is ECN-capable, else dropped") \
	S(window, WINDOW,                                                     \
	  "the packet passes, and the next ACK grants one segment")

#define PST_ENUM(name, NAME, help) PST_SIGNAL_##NAME,
enum pst_signal {
	PST_SIGNALS(PST_ENUM)
	PST_SIGNAL_COUNT,
};
#undef PST_ENUM

/* What is done where more flows come than there is room for: S(name, NAME, what). */
#define PST_BEYONDS(S)                                               \
	S(none, NONE, "nothing: the queue overflows")                \
	S(pace_acks, PACE_ACKS, "ACKs wait for room for what they let out")

#define PST_ENUM(name, NAME, help) PST_BEYOND_##NAME,
enum pst_beyond {
	PST_BEYONDS(PST_ENUM)
	PST_BEYOND_COUNT,
};
#undef PST_ENUM

/* Constant; a changed setting makes a new configuration. */
struct pst_gateway_config {
	u32 discipline;		/* enum pst_discipline */
	u32 law;		/* enum pst_law */
	u32 mode;		/* enum pst_mode */
	u32 signal;		/* enum pst_signal */
	u32 epoch;		/* changes with the law, whose flow state then starts empty */
	bool observe;		/* decide and count, but pass ACKs unchanged */
	u64 flow_interval_ns;	/* time for which a flow counts as active; > 0 */
	u32 share_by;		/* enum pst_share_by: what the host's groups are */
	u32 beyond;		/* enum pst_beyond; see pace.h */
	bool auto_rate;		/* C is measured; see pst_gateway_look() */
	union pst_discipline_params discipline_params;
	union pst_law_params law_params;
};

struct pst_gateway_state {
	union pst_discipline_state discipline;
	union pst_law_state law;
	struct pst_flow_count count;
	struct pst_departure_rate departures;	/* with auto_rate */
	u64 signals_owed;	/* early events that no ACK has carried yet */
	u64 discipline_tick_ns;	/* time of the next; 0 for none */
	u64 law_tick_ns;
};

struct pst_gateway_flow {
	struct pst_flow flow;
	struct pst_rtt rtt;
	struct pst_flow_use use;
	union pst_law_flow law;
	u32 epoch;		/* of the configuration that `law` belongs to */
};

/* True if windows are rewritten; otherwise a gateway needs no flows. */
PST_FN bool pst_gateway_rewrites(const struct pst_gateway_config *c)
{
	return pst_law_is(c->law, PST_TRAIT_LIMITS) || c->signal == PST_SIGNAL_WINDOW;
}

PST_FN bool pst_gateway_sees_packets(const struct pst_gateway_config *c)
{
	return pst_discipline_sees_packets(c->discipline) ||
	       pst_law_is(c->law, PST_TRAIT_PACKETS);
}

/* Sets N in the queue's view. */
PST_FN void pst_gateway_count_flows(const struct pst_gateway_config *c,
				    struct pst_gateway_state *s,
				    struct pst_queue *q)
{
	if (!pst_law_is(c->law, PST_TRAIT_LIMITS))
		return;
	q->flows = pst_flow_count_get(&s->count, q->now_ns);
	q->flows_q16 = pst_flow_count_q16(&s->count);
	q->opening = s->count.opening_last + s->count.opening_running;
	q->others_q16 = (u32)pst_min(pst_flow_count_others_q16(&s->count), 0xffffffff);
	q->others_use_q15 =
		pst_flow_count_others_use_q15(&s->count, q->rate_bytes_per_s);
	q->others_fill = pst_flow_count_others_fill(&s->count);
	q->observed = c->observe;
	q->paced = c->beyond == PST_BEYOND_PACE_ACKS;
}

/* Nanoseconds from @now_ns to the next tick, at least 1; 0 for none. */
PST_FN u64 pst_gateway_next_tick_ns(const struct pst_gateway_state *s, u64 now_ns)
{
	u64 next_ns = s->law_tick_ns;

	if (!next_ns || (s->discipline_tick_ns && s->discipline_tick_ns < next_ns))
		next_ns = s->discipline_tick_ns;
	if (!next_ns)
		return 0;
	return pst_max(pst_sub_floor(next_ns, now_ns), 1);
}

/*
 * Call this before the first event, with the empty queue; *s may be uninitialised.
 * Returns the nanoseconds to the first tick, 0 for none.
 */
PST_FN u64 pst_gateway_init(const struct pst_gateway_config *c,
			    struct pst_gateway_state *s,
			    const struct pst_queue *q)
{
	u64 discipline_ns =
		pst_discipline_interval_ns(c->discipline, &c->discipline_params);
	u64 law_ns = pst_law_interval_ns(c->law, &c->law_params);

	/* In parts: clang inlines no more than 1,024 bytes for BPF. */
	__builtin_memset(&s->discipline, 0, sizeof(s->discipline));
	__builtin_memset(&s->law, 0, sizeof(s->law));
	__builtin_memset(&s->count, 0, sizeof(s->count));
	s->signals_owed = 0;
	s->discipline_tick_ns = 0;
	s->law_tick_ns = 0;
	s->count.interval_ns = c->flow_interval_ns;
	pst_departure_rate_init(&s->departures);
	pst_discipline_init(c->discipline, &c->discipline_params,
			    &s->discipline, q);
	pst_law_init(c->law, &c->law_params, &s->law, q);
	if (discipline_ns)
		s->discipline_tick_ns = q->now_ns + discipline_ns;
	if (law_ns)
		s->law_tick_ns = q->now_ns + law_ns;
	return pst_gateway_next_tick_ns(s, q->now_ns);
}

/*
 * With auto_rate, hosts call this before the other events of a packet that arrives and of
 * a tick, with @q without that packet, and pst_gateway_entered() for one that went in.
 * Sets C in @q.
 */
PST_FN void pst_gateway_look(const struct pst_gateway_config *c,
			     struct pst_gateway_state *s, struct pst_queue *q)
{
	if (!c->auto_rate)
		return;
	pst_departure_rate_look(&s->departures, q->bytes,
				q->mss_bytes + PST_HEADERS_BYTES, q->now_ns);
	q->rate_bytes_per_s = s->departures.bytes_per_s;
}

PST_FN void pst_gateway_entered(const struct pst_gateway_config *c,
				struct pst_gateway_state *s, u64 bytes)
{
	if (c->auto_rate)
		pst_departure_rate_enter(&s->departures, bytes);
}

/* Returns the nanoseconds to the next tick, 0 for none. */
PST_FN u64 pst_gateway_tick(const struct pst_gateway_config *c,
			    struct pst_gateway_state *s, struct pst_queue *q)
{
	u64 ns;

	pst_gateway_count_flows(c, s, q);
	if (s->discipline_tick_ns && s->discipline_tick_ns <= q->now_ns) {
		ns = pst_discipline_tick(c->discipline, &c->discipline_params,
					 &s->discipline, q);
		s->discipline_tick_ns = ns ? q->now_ns + ns : 0;
	}
	if (s->law_tick_ns && s->law_tick_ns <= q->now_ns) {
		ns = pst_law_tick(c->law, &c->law_params, &s->law, q);
		s->law_tick_ns = ns ? q->now_ns + ns : 0;
	}
	return pst_gateway_next_tick_ns(s, q->now_ns);
}

/* The result for a packet on which the discipline returned @verdict. */
PST_FN enum pst_verdict pst_gateway_verdict(const struct pst_gateway_config *c,
					    struct pst_gateway_state *s,
					    const struct pst_packet *k,
					    enum pst_verdict verdict)
{
	if (verdict != PST_SIGNAL)
		return verdict;
	if (c->signal == PST_SIGNAL_WINDOW) {
		s->signals_owed++;
		return PST_SIGNAL;
	}
	if (c->signal == PST_SIGNAL_ECN && pst_packet_ecn_capable(k))
		return PST_MARK;
	return PST_DROP;
}

/* A packet arrives; @q without it. PST_SIGNAL passes it: an ACK will carry the signal. */
PST_FN enum pst_verdict pst_gateway_arrive(const struct pst_gateway_config *c,
					   struct pst_gateway_state *s,
					   struct pst_queue *q,
					   const struct pst_packet *k)
{
	pst_gateway_count_flows(c, s, q);
	return pst_gateway_verdict(
		c, s, k,
		pst_discipline_arrive(c->discipline, &c->discipline_params,
				      &s->discipline, q, k));
}

/* It was enqueued; @q with it. */
PST_FN void pst_gateway_accepted(const struct pst_gateway_config *c,
				 struct pst_gateway_state *s,
				 struct pst_queue *q, const struct pst_packet *k)
{
	pst_gateway_count_flows(c, s, q);
	pst_discipline_accepted(c->discipline, &c->discipline_params,
				&s->discipline, q, k);
	pst_law_accepted(c->law, &c->law_params, &s->law, q, k);
}

/* It did not fit into @q. */
PST_FN void pst_gateway_overflow(const struct pst_gateway_config *c,
				 struct pst_gateway_state *s,
				 struct pst_queue *q, const struct pst_packet *k)
{
	pst_discipline_overflow(c->discipline, &c->discipline_params,
				&s->discipline, q, k);
}

/* The head of the queue is about to leave; @q without it. Only for served queues. */
PST_FN enum pst_verdict pst_gateway_leave(const struct pst_gateway_config *c,
					  struct pst_gateway_state *s,
					  struct pst_queue *q,
					  const struct pst_packet *k)
{
	return pst_gateway_verdict(
		c, s, k,
		pst_discipline_leave(c->discipline, &c->discipline_params,
				     &s->discipline, q, k));
}

/* A packet has left the queue, sent on or dropped at its head; @q without it. */
PST_FN void pst_gateway_left(const struct pst_gateway_config *c,
			     struct pst_gateway_state *s, struct pst_queue *q,
			     const struct pst_packet *k)
{
	pst_gateway_count_flows(c, s, q);
	pst_discipline_left(c->discipline, &c->discipline_params,
			    &s->discipline, q, k);
	pst_law_left(c->law, &c->law_params, &s->law, q, k);
}

#include "flow_events.h"

#endif
