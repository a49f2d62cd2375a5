/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The law `penstock`: the correction c of the windows, and what its step measures. Equations
 * are those of penstock.h.
 */
#ifndef PENSTOCK_CORE_LAW_PENSTOCK_STEP_H
#define PENSTOCK_CORE_LAW_PENSTOCK_STEP_H

#include "penstock_plan.h"

/* Equation 3, without its sign. */
PST_FN u64 pst_penstock_error_bytes(const struct pst_penstock_state *s,
				    const struct pst_queue *q, u64 pipe_bytes)
{
	u64 idle_q16 = pst_sub_floor(PST_PENSTOCK_FULL_USE_Q16, s->use_q16);
	u64 error_bytes;

	if (q->bytes > s->target_bytes)
		return pst_min(q->bytes - s->target_bytes, pipe_bytes);
	error_bytes = s->target_bytes - q->bytes;
	if (q->bytes < q->mss_bytes)
		error_bytes += pst_mul_div(
			pst_sub_floor(pipe_bytes, s->target_bytes), idle_q16,
			PST_Q16_ONE);
	return pst_min(error_bytes, pipe_bytes);
}

/* True while ACKs are delayed instead of windows reduced. */
PST_FN bool pst_penstock_is_paced(const struct pst_penstock_params *p,
				  const struct pst_penstock_state *s,
				  const struct pst_queue *q)
{
	return q->paced && pst_penstock_is_outnumbered(p, s, q, q->flows_q16,
						       q->mss_bytes);
}

/*
 * True while flows limited by their share have an eighth of the acknowledged bytes or more, and
 * those that still grow into theirs a quarter or less. In a step without an ACK, as most are on
 * slow links, the result of the last ACKs still holds.
 */
PST_FN bool pst_penstock_is_wanted(const struct pst_penstock_state *s,
				   const struct pst_queue *q, u64 response_ns)
{
	u64 part_bytes = s->acked_bytes / PST_PENSTOCK_WANTED_PART;

	return s->acked_bytes && s->filled_bytes >= part_bytes &&
	       s->growing_bytes <= s->acked_bytes / PST_PENSTOCK_GROWING_PART &&
	       q->now_ns < s->acked_ns + response_ns;
}

/* Equation 2. */
PST_FN u64 pst_penstock_step_q32(const struct pst_penstock_params *p,
				 struct pst_penstock_state *s,
				 const struct pst_queue *q)
{
	bool lone = s->segments_q16 && s->segments_q16 < 2 * PST_Q16_ONE;
	u64 rtt_ns = pst_penstock_rtt_ns(p, s, 0);
	u64 pipe_bytes = pst_pipe_bytes(q, rtt_ns, s->target_bytes);
	u64 response_ns = rtt_ns + s->target_ns + (lone ? p->delayed_ack_ns : 0);
	u64 step_q16 = pst_pipe_step_q16(p->interval_ns, response_ns);
	u64 error_bytes = pst_penstock_error_bytes(s, q, pipe_bytes);
	u64 gain_q16 = lone || q->phantom ? p->slow_gain_q16 : p->gain_q16;
	u64 change_q32 = pst_pipe_change_q32(s->factor_q32, gain_q16, step_q16,
					     error_bytes, pipe_bytes);
	bool wanted = pst_penstock_is_wanted(s, q, response_ns);

	if (q->bytes > s->target_bytes)
		return pst_sub_floor(s->factor_q32, change_q32);
	if (wanted)
		return s->factor_q32 + change_q32;
	return s->factor_q32 -
	       pst_mul_q32(pst_sub_floor(s->factor_q32, PST_Q32_ONE),
			   p->slow_gain_q16 * step_q16);
}

/*
 * When N falls, the growth of c since N rose has compensated N's error: c is reduced by the
 * same factor, or the windows would gain twice. It keeps its earlier value: where flows
 * come and go, c would otherwise fall each time and never rise.
 */
PST_FN void pst_penstock_follow_flows(struct pst_penstock_state *s,
				      const struct pst_queue *q)
{
	u64 flows_q16 = pst_clamp(q->flows_q16, 1, PST_MAX_BYTES);

	if (flows_q16 > s->flows_q16)
		s->base_q32 = s->factor_q32;
	if (flows_q16 < s->flows_q16)
		s->factor_q32 = pst_max(pst_min(s->factor_q32,
						pst_max(s->base_q32, PST_Q32_ONE)),
					pst_mul_div(s->factor_q32, flows_q16,
						    s->flows_q16));
	s->flows_q16 = flows_q16;
}

/* True if the queue is empty for a pause, and not because windows are too small. */
PST_FN bool pst_penstock_pauses(const struct pst_penstock_state *s, const struct pst_queue *q)
{
	return q->bytes < q->mss_bytes &&
	       s->mean_bytes >= s->target_bytes * PST_PENSTOCK_STEADY_Q16 >> 16;
}

/*
 * Equation 9. A queue that is inferred seems empty as well where the path is longer than the model
 * says: what it has on top is then taken off, as of one that stands. Where uncontrolled traffic has
 * half of the link, it is what empties the queue, and no window holds it.
 */
PST_FN void pst_penstock_outlast(const struct pst_penstock_params *p,
				 struct pst_penstock_state *s, const struct pst_queue *q)
{
	u64 rtt_ns = pst_penstock_turn_ns(p, s);
	u64 part_q32 = pst_penstock_part_q32(p, PST_PENSTOCK_MEAN_TRIPS * rtt_ns);
	u64 bytes = pst_min(q->bytes, 2 * s->target_bytes);
	u64 held_q15 = pst_sub_floor(PST_Q15_ONE, 2 * q->others_use_q15);
	u64 least_ns = pst_mul_div(s->least_bytes, PST_NS_PER_S,
				   pst_clamp(q->rate_bytes_per_s, 1, PST_MAX_BYTES));

	if (q->observed || q->phantom)
		return;
	if (q->inferred) {
		s->pause_ns = pst_sub_floor(s->pause_ns, p->target_ns / PST_PENSTOCK_PAUSE_STEPS);
		return;
	}
	s->mean_bytes = pst_average_q16(s->mean_bytes << 16, bytes, part_q32) >> 16;
	s->least_bytes = pst_min(bytes, s->least_bytes + s->target_bytes / PST_PENSTOCK_PAUSE_STEPS);
	if (pst_penstock_pauses(s, q) && pst_penstock_is_wanted(s, q, rtt_ns + s->target_ns))
		s->pause_ns += p->target_ns / PST_PENSTOCK_PAUSE_PART * held_q15 >> 15;
	else
		s->pause_ns = pst_sub_floor(s->pause_ns, least_ns / PST_PENSTOCK_PAUSE_STEPS);
	s->pause_ns = pst_min(s->pause_ns,
			      pst_min(PST_PENSTOCK_PAUSE_MOST * p->target_ns, PST_MAX_NS));
}

/* The part of the rate that was in use, over a round trip; up to 16. */
PST_FN void pst_penstock_measure_use(const struct pst_penstock_params *p,
				     struct pst_penstock_state *s,
				     const struct pst_queue *q)
{
	u64 rtt_ns = pst_penstock_turn_ns(p, s);
	u64 full_bytes = pst_pipe_bytes(q, rtt_ns, 0);

	s->use_q16 = pst_min(pst_mul_div(pst_min(s->acked_bytes, PST_MAX_BYTES), PST_Q16_ONE,
					 full_bytes) +
				     2ULL * q->others_use_q15,
			     16 * PST_Q16_ONE);
}

/* After a step: T / RTT of what was acknowledged is a round trip ago. */
PST_FN void pst_penstock_forget(const struct pst_penstock_params *p,
				struct pst_penstock_state *s)
{
	u64 part_q32 = pst_penstock_part_q32(p, pst_penstock_turn_ns(p, s));

	s->acked_bytes -= pst_mul_q32(s->acked_bytes, part_q32);
	s->filled_bytes -= pst_mul_q32(s->filled_bytes, part_q32);
	s->growing_bytes -= pst_mul_q32(s->growing_bytes, part_q32);
}

#endif
