/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CoDel, controlled delay: decides about each packet at dequeue, by its queueing delay.
 *
 * K. Nichols, V. Jacobson, A. McGregor, J. Iyengar: "Controlled Delay Active
 * Queue Management", RFC 8289, 2018, section 5:
 *
 *   waited < target, or at most maxpacket bytes left   the queue is good
 *   not good for a whole interval                      drop, and go on dropping:
 *   next drop                                          interval / sqrt(count) later
 *
 * until the queue is good again. A dropping state that begins less than 16
 * intervals after the last one starts with the count that one had gained.
 *
 * RFC 8289 drops in a loop over the head of the queue. Here the host runs that loop: it
 * offers the head until one passes. A head offered at the time of the last drop is
 * therefore the next one in that loop, and a later head shows that the packet of the last
 * decision was marked and sent.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_CODEL_H
#define PENSTOCK_CORE_DISCIPLINE_CODEL_H

#include "../queue/queue.h"
#include "../math/sqrt.h"

#define PST_CODEL_TITLE "CoDel, controlled delay"
#define PST_CODEL_SOURCE "RFC 8289 section 5"
#define PST_CODEL_FORMULA "window_bytes"

#define PST_CODEL_PARAMS(P)                                                   \
	P(target_ns, PST_NS, PST_IS(5000000), 1000, PST_MAX_NS,               \
	  "acceptable standing queueing delay (TARGET)",                      \
	  "RFC 8289 section 4.3")                                             \
	P(interval_ns, PST_NS, PST_IS(100000000), 1000, PST_MAX_NS,           \
	  "time within which a good queue falls below the target at "         \
	  "least once; about the largest common RTT (INTERVAL)",              \
	  "RFC 8289 section 4.3")                                             \
	P(maxpacket_bytes, PST_BYTES, PST_IS(PST_FULL_PACKET_BYTES), 0,         \
	  PST_MAX_BYTES,                                                          \
	  "queue at or below which nothing is dropped (maxpacket)",           \
	  "RFC 8289 section 5.4")                                             \
	P(newton, PST_FLAG, PST_IS(0), 0, 1,                                  \
	  "approximate the square root of the count by one Newton step "      \
	  "per drop, as Linux and ns-3 do, instead of computing it",          \
	  "Linux include/net/codel_impl.h")

#define PST_CODEL_STATE(S)                                                    \
	S(first_above_ns, PST_TIME,                                           \
	  "when the delay will have been above the target for an interval; "  \
	  "0 while it is below")                                              \
	S(drop_next_ns, PST_TIME, "time of the next drop")                    \
	S(count_pkts, PST_PKTS, "drops since the dropping state began")       \
	S(last_count_pkts, PST_PKTS, "count with which it began")             \
	S(dropping, PST_FLAG, "dropping state")                               \
	S(inverse_root_q16, PST_RATIO_Q16,                                    \
	  "1 / sqrt(count) by Newton's steps")                                \
	S(pending_ns, PST_TIME,                                               \
	  "time of a drop whose successor is not yet scheduled; 0 for none")

struct pst_codel_params {
	PST_CODEL_PARAMS(PST_PARAM_FIELD)
};

struct pst_codel_state {
	PST_CODEL_STATE(PST_STATE_FIELD)
};

#define PST_CODEL_MAX_COUNT 0xffffffffULL

/*
 * x * (3 - count * x^2) / 2, a step from x towards 1 / sqrt(count). That is below 1 from
 * count 2 on, and x is never so far above it that the difference is negative.
 */
PST_FN u64 pst_codel_newton_q16(u64 x_q16, u64 count)
{
	u64 square_q32 = x_q16 * x_q16;
	u64 rest_q32 = pst_sub_floor(3 * PST_Q32_ONE, count * square_q32);

	return ((rest_q32 >> 2) * x_q16) >> 31;
}

/* The root of a new count, which is one more than the last or starts over. */
PST_FN void pst_codel_root(struct pst_codel_state *s)
{
	PST_REQUIRE(s->count_pkts >= 1);
	if (s->count_pkts == 1)
		s->inverse_root_q16 = PST_Q16_ONE - 1;
	else
		s->inverse_root_q16 = pst_codel_newton_q16(s->inverse_root_q16,
							   s->count_pkts);
	PST_ENSURE(s->inverse_root_q16 < PST_Q16_ONE);
}

/* What each event finds and leaves: a dropping state counts its drops. */
PST_FN bool pst_codel_invariant(const struct pst_codel_state *s)
{
	return s->count_pkts <= PST_CODEL_MAX_COUNT &&
	       s->last_count_pkts <= PST_CODEL_MAX_COUNT &&
	       s->inverse_root_q16 < PST_Q16_ONE &&
	       (!s->dropping || s->count_pkts >= 1) &&
	       (!s->pending_ns || s->count_pkts >= 1);
}

/* @interval_ns / sqrt(@count); count >= 1. */
PST_FN u64 pst_codel_spacing(u64 interval_ns, u64 count)
{
	PST_REQUIRE(count >= 1);
	return (interval_ns << 16) / pst_sqrt(count << 32);
}

/* @t_ns + interval / sqrt(count); count >= 1. */
PST_FN u64 pst_codel_control_law(const struct pst_codel_params *p,
				 const struct pst_codel_state *s, u64 t_ns)
{
	if (p->newton)
		return t_ns + ((p->interval_ns * s->inverse_root_q16) >> 16);
	return t_ns + pst_codel_spacing(p->interval_ns, s->count_pkts);
}

/* True if @k, which leaves @q behind, may be dropped: dodequeue of the RFC. */
PST_FN bool pst_codel_ok_to_drop(const struct pst_codel_params *p,
				 struct pst_codel_state *s,
				 const struct pst_queue *q,
				 const struct pst_packet *k)
{
	u64 sojourn_ns = pst_sub_floor(q->now_ns, k->queued_ns);

	if (sojourn_ns < p->target_ns || q->bytes <= p->maxpacket_bytes) {
		s->first_above_ns = 0;
		return false;
	}
	if (!s->first_above_ns) {
		s->first_above_ns = q->now_ns + p->interval_ns;
		return false;
	}
	return q->now_ns >= s->first_above_ns;
}

/* The first drop of a dropping state. */
PST_FN void pst_codel_enter(const struct pst_codel_params *p,
			    struct pst_codel_state *s, u64 now_ns)
{
	u64 gained = pst_sub_floor(s->count_pkts, s->last_count_pkts);
	bool recent = pst_sub_floor(now_ns, s->drop_next_ns) <
		      16 * p->interval_ns;

	PST_REQUIRE(!s->dropping);
	s->dropping = 1;
	s->count_pkts = gained > 1 && recent ? gained : 1;
	s->last_count_pkts = s->count_pkts;
	pst_codel_root(s);
	s->drop_next_ns = pst_codel_control_law(p, s, now_ns);
	PST_ENSURE(pst_codel_invariant(s) && s->drop_next_ns >= now_ns);
}

/* Settles the last drop of the dropping state, now that @ok is known. */
PST_FN void pst_codel_settle(const struct pst_codel_params *p,
			     struct pst_codel_state *s, u64 now_ns, bool ok)
{
	PST_REQUIRE(pst_codel_invariant(s));
	if (s->pending_ns && (ok || s->pending_ns != now_ns))
		s->drop_next_ns = pst_codel_control_law(p, s, s->drop_next_ns);
	s->pending_ns = 0;
	PST_ENSURE(pst_codel_invariant(s));
}

/* Packet @k is the head and about to leave; @q without it. */
PST_FN enum pst_verdict pst_codel_on_leave(const struct pst_codel_params *p,
					   struct pst_codel_state *s,
					   const struct pst_queue *q,
					   const struct pst_packet *k)
{
	bool ok = pst_codel_ok_to_drop(p, s, q, k);

	pst_codel_settle(p, s, q->now_ns, ok);
	if (!ok) {
		s->dropping = 0;
		return PST_PASS;
	}
	if (!s->dropping) {
		pst_codel_enter(p, s, q->now_ns);
		return PST_SIGNAL;
	}
	if (q->now_ns < s->drop_next_ns)
		return PST_PASS;
	s->count_pkts = pst_min(s->count_pkts + 1, PST_CODEL_MAX_COUNT);
	pst_codel_root(s);
	s->pending_ns = q->now_ns;
	PST_ENSURE(pst_codel_invariant(s) && q->bytes > p->maxpacket_bytes);
	return PST_SIGNAL;
}

#endif
