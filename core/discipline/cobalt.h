/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * COBALT, CoDel and BLUE alternate: the AQM of each of CAKE's queues.
 *
 * T. Hoeiland-Joergensen, D. Taht, J. Morton: "Piece of CAKE: A Comprehensive Queue
 * Management Solution for Home Gateways", IEEE LANMAN, 2018, section III; details from
 * J. Palmei, S. Gupta, P. Imputato, J. Morton, M. Tahiliani, S. Avallone, D. Taht: "Design
 * and Evaluation of COBALT Queue Discipline", IEEE LANMAN, 2019, and from Linux:
 *
 *   over      the packet has waited for more than the target, and than four packets take
 *   due       count > 0, and the time of the next signal has come
 *   signal    over and due: count += 1, the next one interval / sqrt(count) later
 *   relief    due, but not over: count -= 1, and the next one as late, until none is due
 *   full      p += raise, at most once per target
 *   empty     p -= lower, likewise; and one step of relief
 *
 * A signal is a mark where the sender speaks ECN. With probability p a packet is dropped
 * whether it does or not. Unlike CoDel, COBALT forgets its count step by step.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_COBALT_H
#define PENSTOCK_CORE_DISCIPLINE_COBALT_H

#include "../queue/queue.h"
#include "cobalt_relief.h"

#define PST_COBALT_LEAST_PACKETS 4 /* whose time no queue can be kept below */

/* True if a step of the probability is allowed at @now_ns, which is then recorded. */
PST_FN bool pst_cobalt_steps(const struct pst_cobalt_params *p,
			     struct pst_cobalt_state *s, u64 now_ns)
{
	if (pst_sub_floor(now_ns, s->stepped_ns) <= p->target_ns)
		return false;
	s->stepped_ns = now_ns;
	return true;
}

/* A packet of this queue was dropped, as all queues together were full. */
PST_FN void pst_cobalt_full(const struct pst_cobalt_params *p,
			    struct pst_cobalt_state *s, u64 now_ns)
{
	PST_REQUIRE(pst_cobalt_invariant(s));
	if (pst_cobalt_steps(p, s, now_ns))
		s->probability_q32 = pst_min(s->probability_q32 + p->raise_q32, PST_Q32_ONE);
	s->dropping = true;
	s->next_ns = now_ns;
	if (!s->count)
		s->count = 1;
	PST_ENSURE(pst_cobalt_invariant(s));
}

/* The queue had its turn and was empty. */
PST_FN void pst_cobalt_empty(const struct pst_cobalt_params *p,
			     struct pst_cobalt_state *s, u64 now_ns)
{
	PST_REQUIRE(pst_cobalt_invariant(s));
	if (s->probability_q32 && pst_cobalt_steps(p, s, now_ns))
		s->probability_q32 = pst_sub_floor(s->probability_q32, p->lower_q32);
	s->dropping = false;
	if (pst_cobalt_due(s, now_ns))
		pst_cobalt_relieve(p, s);
	PST_ENSURE(pst_cobalt_invariant(s));
}

/* True if nothing is left of earlier congestion. */
PST_FN bool pst_cobalt_rests(const struct pst_cobalt_state *s, u64 now_ns)
{
	return !s->probability_q32 && !s->count && now_ns >= s->next_ns;
}

/* A packet leaves that was @over. The count of the first is taken before its interval. */
PST_FN void pst_cobalt_note(const struct pst_cobalt_params *p, struct pst_cobalt_state *s,
			    bool over, u64 now_ns)
{
	if (over && !s->dropping)
		s->next_ns = pst_cobalt_law(p, s->count, now_ns);
	if (over && !s->count)
		s->count = 1;
	s->dropping = over;
	PST_ENSURE(s->count || !over);
}

/* A signal was due and the packet over. */
PST_FN enum pst_verdict pst_cobalt_signal(const struct pst_cobalt_params *p,
					  struct pst_cobalt_state *s,
					  const struct pst_packet *k)
{
	PST_REQUIRE(s->count);
	if (s->count < PST_COBALT_MAX_COUNT)
		s->count++;
	s->next_ns = pst_cobalt_law(p, s->count, s->next_ns);
	PST_ENSURE(pst_cobalt_invariant(s));
	return pst_packet_ecn_capable(k) ? PST_MARK : PST_DROP;
}

/* Packet @k leaves @q; @q.random is for it alone. PST_MARK only for what is ECN-capable. */
PST_FN enum pst_verdict pst_cobalt_on_leave(const struct pst_cobalt_params *p,
					    struct pst_cobalt_state *s,
					    const struct pst_queue *q,
					    const struct pst_packet *k)
{
	u64 waited_ns = pst_sub_floor(q->now_ns, k->queued_ns);
	bool over = waited_ns > p->target_ns &&
		    waited_ns > PST_COBALT_LEAST_PACKETS * p->packet_ns;
	bool due = pst_cobalt_due(s, q->now_ns);
	bool late = q->now_ns > s->next_ns;
	enum pst_verdict verdict = PST_PASS;

	PST_REQUIRE(pst_cobalt_invariant(s));
	pst_cobalt_note(p, s, over, q->now_ns);
	if (due && over)
		verdict = pst_cobalt_signal(p, s, k);
	while (!over && pst_cobalt_due(s, q->now_ns))
		pst_cobalt_relieve(p, s);
	if (due)
		late = q->now_ns > s->next_ns;
	if (pst_queue_random(q) < s->probability_q32)
		verdict = PST_DROP;
	if (!s->count)
		s->next_ns = q->now_ns + p->interval_ns;
	else if (late && verdict != PST_DROP)
		s->next_ns = q->now_ns;
	PST_ENSURE(pst_cobalt_invariant(s) && s->dropping == over);
	PST_ENSURE(verdict != PST_MARK || pst_packet_ecn_capable(k));
	return verdict;
}

#endif
