/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BLUE: one probability, raised by losses and lowered by an idle link.
 *
 * W. Feng, K. Shin, D. Kandlur, D. Saha: "The BLUE Active Queue Management
 * Algorithms", IEEE/ACM Transactions on Networking 10(4), 2002, Fig. 5:
 *
 *   on a loss, or q > L:  if now - last_update > freeze_time:
 *                             p_m += d1, last_update = now
 *   on an idle link:      if now - last_update > freeze_time:
 *                             p_m -= d2, last_update = now
 *
 * A signal is sent at each arriving packet with probability p_m. V. V. Govindaswamy, G.
 * Zaruba, G. Balasekaran: "Analyzing the Receiver Window Modification Scheme of TCP
 * Queues", 2006, section II, also raise p_m with each such signal.
 *
 * The link becomes idle when the last packet has been transmitted, after its departure
 * from the queue. While it is idle, p_m falls once per freeze_time; the next arrival
 * applies these steps.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_BLUE_H
#define PENSTOCK_CORE_DISCIPLINE_BLUE_H

#include "../queue/queue.h"

#define PST_BLUE_TITLE "BLUE"
#define PST_BLUE_SOURCE "Feng, Shin, Kandlur and Saha 2002, Fig. 5; rwm-2006 section III.C"
#define PST_BLUE_FORMULA "window_bytes"

#define PST_BLUE_PARAMS(P)                                                     \
	P(raise_q32, PST_RATIO_Q32, PST_IS(85899346), 0, PST_Q32_ONE,          \
	  "increment of the probability (d1)", "rwm-2006 section III.C")      \
	P(lower_q32, PST_RATIO_Q32, PST_IS(8589935), 0, PST_Q32_ONE,           \
	  "decrement of the probability (d2)", "rwm-2006 section III.C")      \
	P(freeze_ns, PST_NS, PST_IS(10000000), 0, PST_MAX_NS,                  \
	  "minimum time between two steps (freeze_time)",                     \
	  "rwm-2006 section III.C")                                            \
	P(threshold_pkts, PST_PKTS, PST_IS(15), 0, PST_MAX_PKTS,               \
	  "queue above which an arrival counts as a loss (L)",                 \
	  "rwm-2006 section III.C")                                            \
	P(signal_raises, PST_FLAG, PST_IS(0), 0, 1,                            \
	  "let each signal raise the probability as a loss does",              \
	  "rwm-2006 section II")

#define PST_BLUE_STATE(S)                                                     \
	S(probability_q32, PST_RATIO_Q32, "probability of a signal (p_m)")    \
	S(updated_ns, PST_TIME, "time of its last step (last_update)")        \
	S(idle_ns, PST_TIME,                                                  \
	  "when the link falls idle unless a packet comes; 0 for none")

struct pst_blue_params {
	PST_BLUE_PARAMS(PST_PARAM_FIELD)
};

struct pst_blue_state {
	PST_BLUE_STATE(PST_STATE_FIELD)
};

/* What each event finds and leaves. */
PST_FN bool pst_blue_invariant(const struct pst_blue_state *s)
{
	return s->probability_q32 <= PST_Q32_ONE;
}

/* True if a step is allowed at @now_ns, which is then recorded. */
PST_FN bool pst_blue_thaws(const struct pst_blue_params *p,
			   struct pst_blue_state *s, u64 now_ns)
{
	if (pst_sub_floor(now_ns, s->updated_ns) <= p->freeze_ns)
		return false;
	s->updated_ns = now_ns;
	return true;
}

PST_FN void pst_blue_raise(const struct pst_blue_params *p,
			   struct pst_blue_state *s, u64 now_ns)
{
	PST_REQUIRE(pst_blue_invariant(s) && p->raise_q32 <= PST_Q32_ONE);
	if (pst_blue_thaws(p, s, now_ns))
		s->probability_q32 = pst_min(s->probability_q32 + p->raise_q32,
					     PST_Q32_ONE);
	PST_ENSURE(pst_blue_invariant(s));
}

/* The steps of the idle time up to now; it lasts until a packet is accepted. */
PST_FN void pst_blue_idle(const struct pst_blue_params *p,
			  struct pst_blue_state *s, u64 now_ns)
{
	u64 apart_ns = p->freeze_ns + 1;
	u64 first_ns = pst_max(s->idle_ns, s->updated_ns + apart_ns);
	u64 steps;

	PST_REQUIRE(pst_blue_invariant(s) && p->lower_q32 <= PST_Q32_ONE);
	if (!s->idle_ns || s->idle_ns >= now_ns)
		return;
	if (first_ns < now_ns) {
		steps = (now_ns - 1 - first_ns) / apart_ns;
		s->updated_ns = first_ns + steps * apart_ns;
		PST_ENSURE(s->updated_ns >= first_ns && s->updated_ns < now_ns);
		steps = pst_min(steps + 1, 0xffffffffULL);
		s->probability_q32 = pst_sub_floor(s->probability_q32,
						   steps * p->lower_q32);
	}
	s->idle_ns = now_ns;
	PST_ENSURE(pst_blue_invariant(s));
}

PST_FN enum pst_verdict pst_blue_on_arrive(const struct pst_blue_params *p,
					   struct pst_blue_state *s,
					   const struct pst_queue *q,
					   const struct pst_packet *k)
{
	(void)k;
	pst_blue_idle(p, s, q->now_ns);
	if (pst_queue_packets(q) > p->threshold_pkts)
		pst_blue_raise(p, s, q->now_ns);
	if (pst_queue_random(q) >= s->probability_q32)
		return PST_PASS;
	if (p->signal_raises)
		pst_blue_raise(p, s, q->now_ns);
	PST_ENSURE(s->probability_q32 > 0);
	return PST_SIGNAL;
}

PST_FN void pst_blue_on_accepted(const struct pst_blue_params *p,
				 struct pst_blue_state *s,
				 const struct pst_queue *q,
				 const struct pst_packet *k)
{
	(void)p;
	(void)q;
	(void)k;
	s->idle_ns = 0;
}

PST_FN void pst_blue_on_overflow(const struct pst_blue_params *p,
				 struct pst_blue_state *s,
				 const struct pst_queue *q,
				 const struct pst_packet *k)
{
	(void)k;
	pst_blue_raise(p, s, q->now_ns);
}

PST_FN void pst_blue_on_left(const struct pst_blue_params *p,
			     struct pst_blue_state *s,
			     const struct pst_queue *q,
			     const struct pst_packet *k)
{
	(void)p;
	if (!q->bytes)
		s->idle_ns = q->now_ns +
			     pst_mul_div(k->bytes, PST_NS_PER_S,
					 pst_min(q->rate_bytes_per_s,
						 PST_MAX_BYTES));
	PST_ENSURE(q->bytes || s->idle_ns >= q->now_ns);
}

#endif
