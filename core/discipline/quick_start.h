/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Quick-Start: the router's part. A FIFO that approves, in a connection's SYN, the rate
 * at which it may start, as far as the link has spare capacity.
 *
 * S. Floyd, M. Allman, A. Jain, P. Sarolahti: "Quick-Start for TCP and IP", RFC 4782,
 * 2007; nis-2004 section 12.6.
 *
 *   used = peak of the last rates + recent approvals
 *   approved = 40 kbit/s * 2^N, the largest not above the request
 *              nor above threshold * C - used; none below N = 1
 *
 * Lowering a request from step R to A replaces the two nonce bits of each step from R
 * down to A + 1 (RFC 4782 section 3.4), so a receiver that claims more than was approved
 * has to guess them. Bits 2N - 2 and 2N - 1 belong to the step from N.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_QUICK_START_H
#define PENSTOCK_CORE_DISCIPLINE_QUICK_START_H

#include "../queue/queue.h"

#define PST_QUICK_START_TITLE "Quick-Start (router)"
#define PST_QUICK_START_SOURCE "RFC 4782; nis-2004 section 12.6"
#define PST_QUICK_START_FORMULA "window_bytes"
#define PST_QUICK_START_FEEDBACK PST_FEEDBACK_QUICK_START

#define PST_QUICK_START_PARAMS(P)                                            \
	P(threshold_q16, PST_RATIO_Q16, PST_IS(58982), 1, PST_Q16_ONE,       \
	  "fraction of the link's rate that approvals may use",               \
	  "RFC 4782 section 3.3 leaves it to the router; ours: 0.9")         \
	P(interval_ns, PST_NS, PST_IS(150000000), 1000000, 10000000000ULL,   \
	  "measurement interval of rates; an approval counts for one to "     \
	  "two intervals",                                                    \
	  "RFC 4782 section 3.3: about a round trip; ours")

#define PST_QUICK_START_STATE(S)                                              \
	S(began_ns, PST_TIME, "when the interval began")                      \
	S(arrived_bytes, PST_BYTES, "arrived in it")                          \
	S(approved_bytes_per_s, PST_COUNT, "approved in it")                  \
	S(last_bytes_per_s, PST_COUNT, "rate in the interval before")         \
	S(earlier_bytes_per_s, PST_COUNT, "rate in the one before that")      \
	S(approved_last_bytes_per_s, PST_COUNT, "approved in the interval before")

struct pst_quick_start_params {
	PST_QUICK_START_PARAMS(PST_PARAM_FIELD)
};

struct pst_quick_start_state {
	PST_QUICK_START_STATE(PST_STATE_FIELD)
};

PST_FN void pst_quick_start_init(const struct pst_quick_start_params *p,
				 struct pst_quick_start_state *s,
				 const struct pst_queue *q)
{
	(void)p;
	s->began_ns = q->now_ns;
}

/* The nonce bits of the steps above @low, up to @high. */
PST_FN u32 pst_quick_start_steps(u32 low, u32 high)
{
	return (u32)((1ULL << (2 * high)) - (1ULL << (2 * low)));
}

/* The link's spare capacity for new connections. */
PST_FN u64 pst_quick_start_room_bytes_per_s(const struct pst_quick_start_params *p,
					    const struct pst_quick_start_state *s,
					    const struct pst_queue *q)
{
	u64 most = pst_mul_div(pst_min(q->rate_bytes_per_s, PST_MAX_BYTES),
			       p->threshold_q16, PST_Q16_ONE);
	u64 peak = pst_max(s->last_bytes_per_s, s->earlier_bytes_per_s);

	return pst_sub_floor(most, peak + s->approved_bytes_per_s +
					   s->approved_last_bytes_per_s);
}

PST_FN void pst_quick_start_approve(const struct pst_quick_start_params *p,
				    struct pst_quick_start_state *s,
				    const struct pst_queue *q,
				    struct pst_feedback *f)
{
	u64 room = pst_quick_start_room_bytes_per_s(p, s, q);
	u32 asked = (u32)pst_min(f->label, PST_QUICK_START_LARGEST);
	u32 step = asked;
	u32 scrambled;
	int i;

	for (i = 0; i < PST_QUICK_START_LARGEST; i++)
		if (step && PST_QUICK_START_BYTES_PER_S << step > room)
			step--;
	if (step)
		s->approved_bytes_per_s += PST_QUICK_START_BYTES_PER_S << step;
	scrambled = pst_quick_start_steps(step, asked);
	f->delta_bytes = (s32)(((u32)f->delta_bytes & ~scrambled) |
			       (pst_queue_random(q) & scrambled));
	f->label = step;
}

PST_FN enum pst_verdict
pst_quick_start_on_arrive(const struct pst_quick_start_params *p,
			  struct pst_quick_start_state *s,
			  const struct pst_queue *q, const struct pst_packet *k)
{
	s->arrived_bytes += k->bytes;
	if (k->feedback && k->feedback->label)
		pst_quick_start_approve(p, s, q, k->feedback);
	return PST_PASS;
}

PST_FN u64 pst_quick_start_on_tick(const struct pst_quick_start_params *p,
				   struct pst_quick_start_state *s,
				   const struct pst_queue *q)
{
	u64 length_ns = pst_clamp(pst_sub_floor(q->now_ns, s->began_ns), 1000, PST_MAX_NS);

	s->earlier_bytes_per_s = s->last_bytes_per_s;
	s->last_bytes_per_s = pst_min(pst_mul_div(pst_min(s->arrived_bytes, PST_MAX_BYTES),
						  PST_NS_PER_S, length_ns),
				      PST_MAX_BYTES);
	s->approved_last_bytes_per_s = s->approved_bytes_per_s;
	s->approved_bytes_per_s = 0;
	s->arrived_bytes = 0;
	s->began_ns = q->now_ns;
	return p->interval_ns;
}

#endif
