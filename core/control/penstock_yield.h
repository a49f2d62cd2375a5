/* SPDX-License-Identifier: GPL-2.0-only */
/* The law `penstock`: what it leaves to traffic that no window controls (others). */
#ifndef PENSTOCK_CORE_CONTROL_PENSTOCK_YIELD_H
#define PENSTOCK_CORE_CONTROL_PENSTOCK_YIELD_H

#include "penstock_model.h"

/* For how long others that took what was yielded, or backed off, are not tested again. */
#define PST_PENSTOCK_HOLD_NS (10 * PST_NS_PER_S)
/* For how long others are watched, pressed, before anything is yielded to them. */
#define PST_PENSTOCK_WATCH_NS PST_NS_PER_S

/* The rate of others, bytes per second. */
PST_FN u64 pst_penstock_others(const struct pst_queue *q)
{
	return pst_mul_div(pst_min(q->rate_bytes_per_s, PST_MAX_BYTES),
			   q->others_use_q15, PST_Q15_ONE);
}

/* C, or what is in use where C is told too small. */
PST_FN u64 pst_penstock_capacity(const struct pst_penstock_state *s,
				 const struct pst_queue *q)
{
	u64 rate = pst_clamp(q->rate_bytes_per_s, 1, PST_MAX_BYTES);

	return pst_min(pst_mul_div(rate, pst_max(s->use_q16, PST_Q16_ONE), PST_Q16_ONE),
		       PST_MAX_BYTES);
}

/* What others have beyond their fair part of the link, bytes per second. */
PST_FN u64 pst_penstock_excess(const struct pst_penstock_state *s,
			       const struct pst_queue *q)
{
	u64 fair = pst_mul_div(pst_penstock_capacity(s, q), q->others_q16,
			       pst_clamp(q->flows_q16, 1, PST_MAX_BYTES));

	return pst_sub_floor(pst_penstock_others(q), fair);
}

/*
 * True if the others, while pressed, have lost a quarter of their largest excess, of which
 * @excess is left: a CUBIC sender reduces its window by 0.3.
 */
PST_FN bool pst_penstock_backed_off(struct pst_penstock_state *s, u64 others,
				  u64 excess)
{
	if (!s->others_bytes_per_s)
		return false;
	s->others_bytes_per_s = pst_max(s->others_bytes_per_s, others);
	return 3 * (s->others_bytes_per_s - others) > excess;
}

/* Others are pressed for the next @for_ns, and watched for whether they back off. */
PST_FN void pst_penstock_press(struct pst_penstock_state *s,
			       const struct pst_queue *q, u64 for_ns)
{
	s->yield_q16 = 0;
	s->others_bytes_per_s = pst_max(pst_penstock_others(q), 1);
	s->yield_ns = q->now_ns + for_ns;
}

/*
 * True if all is yielded, windows are below a segment, and others still fill the queue: for
 * all of the last second, as windows may be below a segment because flows are many.
 */
PST_FN bool pst_penstock_yields_in_vain(const struct pst_penstock_params *p,
					const struct pst_penstock_state *s,
					const struct pst_queue *q)
{
	u64 each_q16 = pst_penstock_each_q16(p, s, q);

	return s->yield_q16 == PST_Q16_ONE && s->lowest_bytes > p->target_bytes &&
	       (pst_min(each_q16, PST_MAX_BYTES) * s->scale_q16 >> 16) <
		       PST_Q16_ONE / 2;
}

/*
 * Others above their fair share are of two kinds. Those that back off when controlled
 * flows compete are pressed to their share (R36); those that keep their rate, however full
 * the queue is, are left it. To tell them apart, they are pressed and watched first. If
 * none backs off, half of the excess is yielded for a second, then all of it: if the others
 * then take more, by half of what was yielded, or still fill the queue when all of it is,
 * they are of the first kind, for as long as they back off.
 */
PST_FN void pst_penstock_yield(const struct pst_penstock_params *p,
			       struct pst_penstock_state *s,
			       const struct pst_queue *q)
{
	u64 others = pst_penstock_others(q);
	u64 excess = pst_penstock_excess(s, q);
	/* Others at their fair share are told apart too; their rate varies by some. */
	u64 given = pst_mul_div(excess, s->yield_q16, PST_Q16_ONE) + others / 4;
	u64 taken = pst_sub_floor(others, s->others_bytes_per_s);

	s->lowest_bytes = pst_min(s->lowest_bytes, q->bytes);
	if (q->now_ns < s->yield_ns) {
		if (!s->yield_q16 &&
		    pst_penstock_backed_off(s, others, pst_max(excess, others / 4)))
			pst_penstock_press(s, q, PST_PENSTOCK_HOLD_NS);
		return;
	}
	s->yield_ns = q->now_ns + PST_NS_PER_S;
	if (q->observed || !q->others_fill || !others) {
		s->yield_q16 = 0;
		s->others_bytes_per_s = 0;
	} else if (!s->others_bytes_per_s) {
		pst_penstock_press(s, q, PST_PENSTOCK_WATCH_NS);
	} else if (!s->yield_q16) {
		s->others_bytes_per_s = others;
		s->yield_q16 = PST_Q16_ONE / 2;
	} else if (2 * taken > given || pst_penstock_yields_in_vain(p, s, q)) {
		pst_penstock_press(s, q, PST_PENSTOCK_HOLD_NS);
	} else {
		s->yield_q16 = PST_Q16_ONE;
	}
	s->lowest_bytes = PST_MAX_BYTES;
}

/* What the yield leaves of the controlled flows' fair share. */
PST_FN u64 pst_penstock_give_q16(const struct pst_penstock_state *s,
				 const struct pst_queue *q)
{
	u64 flows_q16 = pst_clamp(q->flows_q16, 1, PST_MAX_BYTES);
	u64 controlled_q16 = pst_max(pst_sub_floor(flows_q16, q->others_q16), 1);
	u64 rate = pst_penstock_capacity(s, q);
	u64 yielded = pst_mul_div(pst_penstock_excess(s, q), s->yield_q16,
				  PST_Q16_ONE);
	u64 theirs = pst_max(pst_mul_div(rate, controlled_q16, flows_q16), 1);

	return pst_mul_div(pst_sub_floor(theirs, yielded), PST_Q16_ONE, theirs);
}

#endif
