/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Integral: a common factor of all flows' windows, which drives the queue to a target.
 *
 * Penstock's own. RTT_i is a flow's RTT without the delay in this queue, RTT the mean of
 * all, P = C * RTT + target, N the flows by what they send, L a segment's length on the
 * wire, T the interval between two steps:
 *
 *   W  = c * (C * RTT_i + target) / (N * L)    segments                   (1)
 *   c  = c + c * gain * min(T / (RTT + D), 1) * (target - U) / P          (2)
 *   W' = min(Wr, floor(W) or floor(W) + 1 segments, W on the mean)        (3)
 *   c >= (C * RTT + U) / P   where uncontrolled traffic has a fair share   (4)
 *
 * D is 0; with W < 2 segments it is the time for which a receiver may delay its ACK, as
 * it does for a lone segment: a faster loop would oscillate.
 *
 * Flows with equal RTTs have equal windows, others equal rates. If all N flows fill their
 * windows, c is 1 and the queue is at the target. If some have less to send, the queue is
 * shorter, and c rises (up to N) until the others use the free capacity; a wrong rate or
 * RTT is corrected likewise. A queue filled by uncontrolled traffic carries no such
 * information: by (4) each controlled flow keeps the window for an equal rate. All
 * windows in use add up to C * RTT + U, about P. Because a step is divided by P and
 * scaled by T / RTT, the fraction `gain` of the queue's error is removed per RTT, at any
 * rate, RTT, buffer size and number of flows.
 */
#ifndef PENSTOCK_CORE_LAW_INTEGRAL_H
#define PENSTOCK_CORE_LAW_INTEGRAL_H

#include "pipe.h"

#define PST_INTEGRAL_TITLE "integral, windows driven by the queue"
#define PST_INTEGRAL_SOURCE "Penstock; docs/methods/integral.md"
#define PST_INTEGRAL_FORMULA "min(window_bytes, whole_segments * mss_bytes)"

#define PST_INTEGRAL_PARAMS(P)                                                 \
	P(interval_ns, PST_NS, PST_IS(10000000), 100000, PST_MAX_NS,           \
	  "interval between steps (T)", "our choice: EWA's interval")         \
	P(gain_q16, PST_RATIO_Q16, PST_IS(8192), 0, PST_Q16_ONE,               \
	  "fraction of the queue's error corrected per RTT",                  \
	  "our choice; docs/methods/integral.md")                              \
	PST_PIPE_PARAMS(P)

#define PST_INTEGRAL_STATE(S)                                                \
	S(factor_q32, PST_RATIO_Q32, "correction of the flows' windows (c)") \
	S(segments_q16, PST_RATIO_Q16, "W of the last ACK")                  \
	S(credit_q16, PST_RATIO_Q16, "part of a segment that is owed")       \
	S(rtt_ns_q16, PST_NS, "mean round trip of the ACKs that had one")

struct pst_integral_params {
	PST_INTEGRAL_PARAMS(PST_PARAM_FIELD)
};

struct pst_integral_state {
	PST_INTEGRAL_STATE(PST_STATE_FIELD)
};

/* c stays in 1/16 .. N, and N below 2^16 for it. */
#define PST_INTEGRAL_LEAST_Q32 268435456ULL
#define PST_INTEGRAL_MOST_FLOWS 65536ULL

/* Equation 1; the factor is below 2^48, and pst_mul_div() takes up to 2^40. */
PST_FN u64 pst_integral_segments_q16(const struct pst_integral_params *p,
				     const struct pst_integral_state *s,
				     const struct pst_queue *q,
				     const struct pst_ack *a)
{
	u64 rtt_ns = pst_pipe_rtt_ns(a->rtt_ns, s->rtt_ns_q16, p->rtt_ns);
	u64 each_q16 = pst_pipe_segments_q16(
		q, pst_pipe_bytes(q, rtt_ns, p->target_bytes),
		a->mss_bytes + p->header_bytes);

	return pst_clamp(pst_mul_div(pst_min(each_q16, PST_MAX_BYTES),
				     s->factor_q32 >> 16, PST_Q16_ONE),
			 1, PST_PIPE_MAX_SEGMENTS << 16);
}

/* Time until a change of window affects the queue; @rtt_ns is the mean. */
PST_FN u64 pst_integral_response_ns(const struct pst_integral_params *p,
				    const struct pst_integral_state *s,
				    u64 rtt_ns)
{
	bool lone = s->segments_q16 && s->segments_q16 < 2 * PST_Q16_ONE;

	return lone ? rtt_ns + p->delayed_ack_ns : rtt_ns;
}

/* Equation 2. */
PST_FN u64 pst_integral_step_q32(const struct pst_integral_params *p,
				 const struct pst_integral_state *s,
				 const struct pst_queue *q)
{
	u64 rtt_ns = pst_pipe_rtt_ns(0, s->rtt_ns_q16, p->rtt_ns);
	u64 pipe_bytes = pst_pipe_bytes(q, rtt_ns, p->target_bytes);
	u64 response_ns = pst_integral_response_ns(p, s, rtt_ns);
	u64 error_bytes = pst_min(q->bytes > p->target_bytes ?
					  q->bytes - p->target_bytes :
					  p->target_bytes - q->bytes,
				  pipe_bytes);
	u64 change_q32 = pst_pipe_change_q32(
		s->factor_q32, p->gain_q16,
		pst_pipe_step_q16(p->interval_ns, response_ns), error_bytes,
		pipe_bytes);

	if (q->bytes > p->target_bytes)
		return pst_sub_floor(s->factor_q32, change_q32);
	return s->factor_q32 + change_q32;
}

/* Equation 4. */
PST_FN u64 pst_integral_least_q32(const struct pst_integral_params *p,
				  const struct pst_integral_state *s,
				  const struct pst_queue *q)
{
	u64 rtt_ns = pst_pipe_rtt_ns(0, s->rtt_ns_q16, p->rtt_ns);
	u64 pipe_bytes = pst_pipe_bytes(q, rtt_ns, p->target_bytes);
	u64 held_bytes = pst_pipe_bytes(
		q, rtt_ns, pst_pipe_target_bytes(q, p->target_bytes));

	if (!q->others_fill)
		return PST_INTEGRAL_LEAST_Q32;
	return pst_min(pst_mul_div(held_bytes, PST_Q32_ONE, pipe_bytes),
		       PST_INTEGRAL_MOST_FLOWS << 32);
}

/* The queue is above its target, and c at its minimum. */
PST_FN enum pst_floor pst_integral_floor(const struct pst_integral_params *p,
					 const struct pst_integral_state *s,
					 const struct pst_queue *q)
{
	return q->bytes > p->target_bytes && s->factor_q32 <= PST_INTEGRAL_LEAST_Q32 ?
		       PST_FLOOR_CORRECTION :
		       PST_FLOOR_NONE;
}

PST_FN void pst_integral_init(const struct pst_integral_params *p,
			      struct pst_integral_state *s,
			      const struct pst_queue *q)
{
	(void)p;
	(void)q;
	s->factor_q32 = PST_Q32_ONE;
}

PST_FN u64 pst_integral_on_tick(const struct pst_integral_params *p,
				struct pst_integral_state *s,
				const struct pst_queue *q)
{
	u64 least_q32 = pst_integral_least_q32(p, s, q);
	u64 most_q32 = pst_clamp(q->flows_q16, PST_Q16_ONE,
				 PST_INTEGRAL_MOST_FLOWS << 16) << 16;

	if (q->observed) {
		s->factor_q32 = PST_Q32_ONE;
		return p->interval_ns;
	}
	s->factor_q32 = pst_clamp(pst_integral_step_q32(p, s, q), least_q32,
				  pst_max(least_q32, most_q32));
	return p->interval_ns;
}

PST_FN u64 pst_integral_on_ack(const struct pst_integral_params *p,
			       struct pst_integral_state *s,
			       const struct pst_queue *q,
			       const struct pst_ack *a)
{
	s->rtt_ns_q16 = pst_pipe_mean_rtt_q16(s->rtt_ns_q16, a->rtt_ns);
	s->segments_q16 = pst_integral_segments_q16(p, s, q, a);
	return pst_min(a->window_bytes,
		       pst_pipe_round(&s->credit_q16, s->segments_q16,
				      q->now_ns) *
			       pst_max(a->mss_bytes, 1));
}

#endif
