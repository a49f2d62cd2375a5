/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Penstock: the path and a target queue, divided among the flows that can use them.
 *
 * Penstock's own; docs/papers/penstock.md derives it. RTT_i is a flow's round trip without
 * the wait in this queue, RTT the mean of all, P = C * RTT + target, N the flows by what
 * they send, V the bytes promised to flows that have only opened, F those under way, U the
 * queue, high the middle between the target and the limit, L a segment's length on the
 * wire, T the interval between two steps, use the part of C that was acknowledged in a
 * round trip:
 *
 *   S_i = c * free * give * (C * RTT_i + target) / (N * L)      segments  (1)
 *   c   = c + c * gain * min(T / (P / C + D), 1) * e / P                  (2)
 *   e   = target - U, and while the queue is empty                        (3)
 *         target - U + max(0, 7/8 - use) * C * RTT
 *   free = 1 - (V + max(0, U - high)) / P                                 (4)
 *   W_i = floor(S_i + phase_i(t)), at least 1                             (5)
 *   W_0 = P / ((N + 1) * L), no more than what (C * RTT + high - V - F) and
 *         (high - V - U) have room for, in 2 .. 10, for a first flight    (6)
 *
 * (1) is the water-filling: N counts a flow by the part of its window that it uses. (2)
 * takes away what the model has wrong; with gain = 1/e its loop is critically damped. c
 * rises only while flows that use up what they are granted have half of what is
 * acknowledged, or more; else what it has above 1 leaks away. D is 0, but below two
 * segments it is how long a receiver may delay its ACK, and the gain is then slow_gain.
 * (5) gives whole segments that seldom change: the phases are spread evenly and turn once
 * in 2^32 ns. Others, which no window steers, and `give`: pst_penstock_yield().
 */
#ifndef PENSTOCK_CORE_CONTROL_PENSTOCK_H
#define PENSTOCK_CORE_CONTROL_PENSTOCK_H

#include "penstock_model.h"

#define PST_PENSTOCK_TITLE "penstock, path and queue for the flows that use them"
#define PST_PENSTOCK_SOURCE "Penstock; docs/papers/penstock.md"
#define PST_PENSTOCK_FORMULA "min(window_bytes, segments * mss_bytes)"

/* Equation 3, without its sign. */
PST_FN u64 pst_penstock_error_bytes(const struct pst_penstock_params *p,
				    const struct pst_penstock_state *s,
				    const struct pst_queue *q, u64 pipe_bytes)
{
	u64 idle_q16 = pst_sub_floor(PST_PENSTOCK_FULL_USE_Q16, s->use_q16);
	u64 error_bytes;

	if (q->bytes > p->target_bytes)
		return pst_min(q->bytes - p->target_bytes, pipe_bytes);
	error_bytes = p->target_bytes - q->bytes;
	if (q->bytes < q->mss_bytes)
		error_bytes += pst_mul_div(
			pst_sub_floor(pipe_bytes, p->target_bytes), idle_q16,
			PST_Q16_ONE);
	return pst_min(error_bytes, pipe_bytes);
}

/* Equation 2; part_q32 is at most 1, as gain, turn and error are. */
PST_FN u64 pst_penstock_step_q32(const struct pst_penstock_params *p,
				 const struct pst_penstock_state *s,
				 const struct pst_queue *q)
{
	bool lone = s->segments_q16 && s->segments_q16 < 2 * PST_Q16_ONE;
	u64 rtt_ns = pst_penstock_rtt_ns(p, s, 0);
	u64 pipe_bytes = pst_pipe_bytes(q, rtt_ns, p->target_bytes);
	u64 wait_ns = pst_mul_div(p->target_bytes, PST_NS_PER_S,
				  pst_min(q->rate_bytes_per_s, PST_MAX_BYTES));
	u64 response_ns = rtt_ns + pst_min(wait_ns, PST_MAX_NS) +
			  (lone ? p->delayed_ack_ns : 0);
	u64 turn_q16 = p->interval_ns < response_ns ?
			       (p->interval_ns << 16) / response_ns :
			       PST_Q16_ONE;
	u64 error_bytes = pst_penstock_error_bytes(p, s, q, pipe_bytes);
	u64 gain_q16 = lone ? p->slow_gain_q16 : p->gain_q16;
	u64 part_q32 = pst_mul_q32(gain_q16 * turn_q16,
				   (error_bytes << 20) / pipe_bytes << 12);
	u64 step_q32 = pst_mul_q32(s->factor_q32, part_q32);

	if (q->bytes > p->target_bytes)
		return pst_sub_floor(s->factor_q32, step_q32);
	if (s->acked_bytes && 2 * s->filled_bytes >= s->acked_bytes)
		return s->factor_q32 + step_q32;
	return s->factor_q32 -
	       pst_mul_q32(pst_sub_floor(s->factor_q32, PST_Q32_ONE),
			   p->slow_gain_q16 * turn_q16);
}

/*
 * Where N has come down, what c had put on top of the windows was N's error first: it is
 * taken back as far, not given twice.
 */
PST_FN void pst_penstock_follow_flows(struct pst_penstock_state *s,
				      const struct pst_queue *q)
{
	u64 flows_q16 = pst_clamp(q->flows_q16, 1, PST_MAX_BYTES);

	if (flows_q16 < s->flows_q16 && s->factor_q32 > PST_Q32_ONE)
		s->factor_q32 = pst_max(PST_Q32_ONE,
					pst_mul_div(s->factor_q32, flows_q16,
						    s->flows_q16));
	s->flows_q16 = flows_q16;
}

/* The part of the rate that was in use, averaged over a round trip; up to 16. */
PST_FN void pst_penstock_measure_use(const struct pst_penstock_params *p,
				     struct pst_penstock_state *s,
				     const struct pst_queue *q)
{
	u64 full_bytes = pst_clamp(pst_mul_div(pst_min(q->rate_bytes_per_s,
						       PST_MAX_BYTES),
					       p->interval_ns, PST_NS_PER_S),
				   1, PST_MAX_BYTES);
	u64 bytes = s->acked_bytes + pst_mul_div(pst_penstock_others(q),
						 p->interval_ns, PST_NS_PER_S);
	u64 rtt_ns = pst_max(pst_penstock_rtt_ns(p, s, 0), p->interval_ns);
	u64 now_q16 = pst_mul_div(pst_min(bytes, PST_MAX_BYTES), PST_Q16_ONE,
				  full_bytes);

	s->use_q16 = pst_average_q16(s->use_q16 << 16,
				     pst_min(now_q16, 16 * PST_Q16_ONE),
				     (p->interval_ns << 16) / rtt_ns << 16) >> 16;
}

/*
 * With c below this the mean window is half a segment, and the sender has one: less
 * changes nothing but the time that it takes to come back.
 */
PST_FN u64 pst_penstock_bottom_q32(const struct pst_penstock_params *p,
				   const struct pst_penstock_state *s,
				   const struct pst_queue *q)
{
	return pst_clamp((PST_Q32_ONE << 15) / pst_penstock_each_q16(p, s, q),
			 PST_PENSTOCK_LEAST_Q32, PST_Q32_ONE);
}

/*
 * Beside others that keep the queue above the target, c is at least 1 until the excess is
 * left to them.
 */
PST_FN u64 pst_penstock_least_q32(const struct pst_penstock_params *p,
				  const struct pst_penstock_state *s,
				  const struct pst_queue *q)
{
	u64 bottom_q32 = pst_penstock_bottom_q32(p, s, q);

	if (q->others_fill)
		return pst_max(bottom_q32, (PST_Q16_ONE - s->yield_q16) << 16);
	return bottom_q32;
}

/*
 * The queue is above its target, and c at the bottom. N and RTT have changed since the last
 * step, so an eighth more counts as the bottom too. Windows that are delayed still respond.
 */
PST_FN enum pst_floor pst_penstock_floor(const struct pst_penstock_params *p,
					 const struct pst_penstock_state *s,
					 const struct pst_queue *q)
{
	u64 bottom_q32 = pst_penstock_bottom_q32(p, s, q);

	if (q->bytes <= p->target_bytes || s->factor_q32 > bottom_q32 + bottom_q32 / 8 ||
	    (q->paced && pst_penstock_is_outnumbered(p, s, q, 0, q->mss_bytes)))
		return PST_FLOOR_NONE;
	return pst_penstock_each_q16(p, s, q) < PST_Q16_ONE ? PST_FLOOR_SEGMENT :
							      PST_FLOOR_CORRECTION;
}

PST_FN void pst_penstock_init(const struct pst_penstock_params *p,
			      struct pst_penstock_state *s,
			      const struct pst_queue *q)
{
	(void)q;
	s->factor_q32 = PST_Q32_ONE;
	s->scale_q16 = PST_Q16_ONE;
	s->target_bytes = p->target_bytes;
}

/* Data of @f passes; what was promised to it has come. */
PST_FN void pst_penstock_on_data(const struct pst_penstock_params *p,
				 struct pst_penstock_state *s,
				 struct pst_penstock_flow *f,
				 const struct pst_queue *q, u32 bytes)
{
	u64 came_bytes = pst_min(f->promised_bytes, bytes + p->header_bytes);

	f->promised_bytes -= (u32)came_bytes;
	s->promised_bytes = pst_sub_floor(s->promised_bytes, came_bytes);
	pst_penstock_count_flight(s, f, f->flight_bytes + bytes + p->header_bytes,
				  q->now_ns);
}

PST_FN u64 pst_penstock_on_tick(const struct pst_penstock_params *p,
				struct pst_penstock_state *s,
				const struct pst_queue *q)
{
	u64 life_ns = pst_max(4 * pst_penstock_rtt_ns(p, s, 0), p->interval_ns);

	/* Flows that opened and send nothing lose what they were promised. */
	s->promised_bytes -= pst_mul_div(s->promised_bytes, p->interval_ns, life_ns);
	pst_penstock_yield(p, s, q);
	pst_penstock_follow_flows(s, q);
	pst_penstock_measure_use(p, s, q);
	/* Windows of a segment each are delayed, not corrected. */
	s->factor_q32 = q->observed ||
					(q->paced && pst_penstock_is_outnumbered(
							     p, s, q, 0,
							     q->mss_bytes)) ?
				PST_Q32_ONE :
				pst_clamp(pst_penstock_step_q32(p, s, q),
					  pst_penstock_least_q32(p, s, q),
					  PST_PENSTOCK_MOST_Q32);
	s->acked_bytes = 0;
	s->filled_bytes = 0;
	pst_penstock_plan(p, s, q);
	return p->interval_ns;
}

/* Takes in what the ACK says of the flow. */
PST_FN void pst_penstock_learn(const struct pst_penstock_params *p,
			       struct pst_penstock_state *s,
			       struct pst_penstock_flow *f,
			       const struct pst_queue *q, const struct pst_ack *a)
{
	u64 acked_bytes = pst_penstock_wire_bytes(p, a->acked_bytes, a->mss_bytes);

	s->rtt_ns_q16 = pst_pipe_mean_rtt_q16(s->rtt_ns_q16, a->rtt_ns);
	s->acked_bytes += acked_bytes;
	if (a->fills && a->flight_bytes >= a->mss_bytes)
		s->filled_bytes += acked_bytes;
	if (a->granted_bytes)
		pst_penstock_count_flight(
			s, f,
			pst_penstock_wire_bytes(p, a->flight_bytes - a->acked_bytes,
						a->mss_bytes),
			q->now_ns);
}

PST_FN u64 pst_penstock_on_ack(const struct pst_penstock_params *p,
			       struct pst_penstock_state *s,
			       struct pst_penstock_flow *f,
			       const struct pst_queue *q, const struct pst_ack *a)
{
	u64 phase_q16;

	if (!f->known) {
		f->known = 1;
		s->phase_q16 = (s->phase_q16 + PST_PENSTOCK_PHASE_STEP) & 0xffff;
		f->phase_q16 = (u16)s->phase_q16;
	}
	if (a->opens)
		return pst_min(a->window_bytes,
			       pst_penstock_first_bytes(p, s, f, q, a));
	pst_penstock_learn(p, s, f, q, a);
	s->segments_q16 = pst_penstock_segments_q16(p, s, q, a);
	phase_q16 = (f->phase_q16 + (q->now_ns >> 16)) & 0xffff;
	return pst_min(a->window_bytes,
		       pst_max((s->segments_q16 + phase_q16) >> 16, 1) *
			       pst_max(a->mss_bytes, 1));
}

#endif
