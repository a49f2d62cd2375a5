/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * XCP, the eXplicit Control Protocol: the router's part. It tells each sender by how much
 * to change its window, in a header that data packets carry and ACKs return.
 *
 * D. Katabi, M. Handley, C. Rohrs: "Congestion Control for High Bandwidth-Delay
 * Product Networks", SIGCOMM 2002; equations as in nis-2004 section 12.3.2:
 *
 *   phi = alpha * d * (C - y) - beta * Q                      (12.7)
 *   h   = max(0, gamma * y * d - |phi|)                       (12.8)
 *   p_i = xi_p * rtt_i^2 * s_i / cwnd_i                       (12.12)
 *   n_i = xi_n * rtt_i * s_i                                  (12.13)
 *   xi_p = (h + max(phi, 0)) / (d * sum(rtt * s / cwnd))      (12.10)
 *   xi_n = (h + max(-phi, 0)) / (d * sum(s))                  (12.11)
 *   H_feedback = min(H_feedback, p_i - n_i)                   (12.9)
 *
 * The sums are over a control interval, which lasts the mean round trip d of the
 * interval before. In an interval of the length T a flow adds T to the sum of
 * rtt * s / cwnd, so the sum over T is the number of flows: flows_q12.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_XCP_H
#define PENSTOCK_CORE_DISCIPLINE_XCP_H

#include "../queue/queue.h"

#define PST_XCP_TITLE "XCP, explicit control protocol (router)"
#define PST_XCP_SOURCE "nis-2004 section 12.3.2; Katabi et al. 2002"
#define PST_XCP_FORMULA "window_bytes"
#define PST_XCP_FEEDBACK PST_FEEDBACK_XCP

#define PST_XCP_PARAMS(P)                                                  \
	P(alpha_q16, PST_RATIO_Q16, PST_IS(26214), 1, PST_Q16_ONE,         \
	  "fraction of the spare bandwidth allocated per RTT",                \
	  "nis-2004 Table F.3: 0.4")                                       \
	P(beta_q16, PST_RATIO_Q16, PST_IS(14811), 1, PST_Q16_ONE,          \
	  "fraction of the persistent queue drained per RTT",                 \
	  "nis-2004 Table F.3: 0.226")                                     \
	P(gamma_q16, PST_RATIO_Q16, PST_IS(6554), 0, PST_Q16_ONE,          \
	  "fraction of the traffic shuffled between flows",                   \
	  "nis-2004 Table F.3: 0.1")                                       \
	P(interval_ns, PST_NS, PST_IS(100000000), 1000000, 10000000000ULL, \
	  "control interval until an RTT is known",                           \
	  "ours: about the largest usual round trip")

#define PST_XCP_STATE(S)                                                      \
	S(started_ns, PST_TIME, "when the running control interval began")   \
	S(input_bytes, PST_BYTES, "arrived in it, of all traffic")            \
	S(controlled_bytes, PST_BYTES, "arrived in it with a header")         \
	S(weight_q12_us, PST_COUNT, "sum of rtt * s / cwnd over it")          \
	S(moment_q8_us2, PST_COUNT, "sum of rtt^2 * s / cwnd over it")        \
	S(mean_rtt_us, PST_COUNT, "mean round trip of the flows (d)")         \
	S(flows_q12, PST_COUNT, "flows in the last interval")                 \
	S(share_bytes, PST_BYTES, "controlled bytes in a d of it (sum of s)") \
	S(positive_q8_bytes, PST_COUNT, "h + max(phi, 0) for the next d")     \
	S(negative_q8_bytes, PST_COUNT, "h + max(-phi, 0) for the next d")    \
	S(least_bytes, PST_BYTES, "least queue since the last look")          \
	S(persistent_bytes, PST_BYTES, "least queue before that (Q)")         \
	S(look_ns, PST_TIME, "when the least queue is taken next")            \
	S(dither, PST_COUNT, "16 bits that round to whole bytes")

struct pst_xcp_params {
	PST_XCP_PARAMS(PST_PARAM_FIELD)
};

struct pst_xcp_state {
	PST_XCP_STATE(PST_STATE_FIELD)
};

#define PST_XCP_MIN_INTERVAL_NS 1000000ULL
#define PST_XCP_MAX_INTERVAL_NS (10 * PST_NS_PER_S)
#define PST_XCP_MIN_LOOK_NS 2000000ULL
#define PST_XCP_MAX_RTT_US 10000000ULL
#define PST_XCP_MAX_SUM (1ULL << 61)

/* What each event finds and leaves. */
PST_FN bool pst_xcp_invariant(const struct pst_xcp_state *s)
{
	return s->mean_rtt_us >= 1 && s->mean_rtt_us <= PST_XCP_MAX_RTT_US &&
	       s->positive_q8_bytes <= PST_MAX_BYTES &&
	       s->negative_q8_bytes <= PST_MAX_BYTES &&
	       s->flows_q12 <= PST_MAX_BYTES && s->share_bytes <= PST_MAX_BYTES &&
	       s->controlled_bytes <= s->input_bytes && s->dither <= 0xffff;
}

PST_FN u64 pst_xcp_rtt_us(const struct pst_feedback *f)
{
	return pst_min(f->rtt_us, PST_XCP_MAX_RTT_US);
}

/* rtt * s / cwnd, at most 2^36. A window below its own packet counts as one packet. */
PST_FN u64 pst_xcp_weight_q12_us(const struct pst_feedback *f, u32 bytes)
{
	return (pst_xcp_rtt_us(f) * bytes << 12) /
	       pst_max(pst_max(f->cwnd_bytes, bytes), 1);
}

/*
 * Q is the minimum queue that arrivals saw in the last propagation delay, which is the
 * mean RTT less the queueing delay here.
 */
PST_FN void pst_xcp_look(struct pst_xcp_state *s, const struct pst_queue *q)
{
	u64 wait_ns = pst_mul_div(pst_min(q->bytes, PST_MAX_BYTES), PST_NS_PER_S,
				  pst_min(q->rate_bytes_per_s, PST_MAX_BYTES));

	s->least_bytes = pst_min(s->least_bytes, q->bytes);
	if (q->now_ns < s->look_ns)
		return;
	s->persistent_bytes = s->least_bytes;
	s->least_bytes = q->bytes;
	s->look_ns = q->now_ns +
		     pst_max(pst_sub_floor(s->mean_rtt_us * 1000, wait_ns),
			     PST_XCP_MIN_LOOK_NS);
}

PST_FN void pst_xcp_init(const struct pst_xcp_params *p,
			 struct pst_xcp_state *s, const struct pst_queue *q)
{
	s->started_ns = q->now_ns;
	s->mean_rtt_us = p->interval_ns / 1000;
}

PST_FN enum pst_verdict pst_xcp_on_arrive(const struct pst_xcp_params *p,
					  struct pst_xcp_state *s,
					  const struct pst_queue *q,
					  const struct pst_packet *k)
{
	const struct pst_feedback *f = k->feedback;
	u64 weight;

	(void)p;
	PST_REQUIRE(pst_xcp_invariant(s));
	pst_xcp_look(s, q);
	s->input_bytes += k->bytes;
	if (!f || !f->rtt_us || s->moment_q8_us2 > PST_XCP_MAX_SUM)
		return PST_PASS;
	weight = pst_xcp_weight_q12_us(f, k->bytes);
	s->controlled_bytes += k->bytes;
	s->weight_q12_us += weight;
	s->moment_q8_us2 += pst_xcp_rtt_us(f) * (weight >> 4);
	PST_ENSURE(pst_xcp_invariant(s));
	return PST_PASS;
}

/* @sum over an interval of @length_ns, scaled to a mean RTT; at most 2^40. */
PST_FN u64 pst_xcp_per_rtt(const struct pst_xcp_state *s, u64 sum, u64 length_ns)
{
	return pst_min(pst_mul_div(pst_min(sum, PST_MAX_BYTES), s->mean_rtt_us * 1000,
				   length_ns),
		       PST_MAX_BYTES);
}

/* Efficiency and shuffling: the increments and decrements of the next mean RTT. */
PST_FN void pst_xcp_aggregate(const struct pst_xcp_params *p,
			      struct pst_xcp_state *s, u64 capacity_bytes,
			      u64 traffic_bytes)
{
	u64 up = p->alpha_q16 * capacity_bytes >> 8;
	u64 down = (p->alpha_q16 * traffic_bytes >> 8) +
		   (p->beta_q16 * pst_min(s->persistent_bytes, PST_MAX_BYTES) >> 8);
	u64 gain = pst_sub_floor(up, down);
	u64 loss = pst_sub_floor(down, up);
	u64 shuffled = pst_sub_floor(p->gamma_q16 * traffic_bytes >> 8,
				     gain + loss);

	s->positive_q8_bytes = pst_min(shuffled + gain, PST_MAX_BYTES);
	s->negative_q8_bytes = pst_min(shuffled + loss, PST_MAX_BYTES);
}

/* The control interval ends; @target_bytes_per_s is the target rate (C). */
PST_FN u64 pst_xcp_interval(const struct pst_xcp_params *p,
			    struct pst_xcp_state *s, const struct pst_queue *q,
			    u64 target_bytes_per_s)
{
	u64 length_ns = pst_clamp(q->now_ns - s->started_ns, 1000,
				  PST_XCP_MAX_INTERVAL_NS);

	PST_REQUIRE(pst_xcp_invariant(s));
	if (s->weight_q12_us >> 4)
		s->mean_rtt_us = pst_clamp(s->moment_q8_us2 /
						   (s->weight_q12_us >> 4),
					   1, PST_XCP_MAX_RTT_US);
	pst_xcp_look(s, q);
	s->flows_q12 = pst_min(s->weight_q12_us / (length_ns / 1000), PST_MAX_BYTES);
	s->share_bytes = pst_xcp_per_rtt(s, s->controlled_bytes, length_ns);
	pst_xcp_aggregate(p, s,
			  pst_xcp_per_rtt(s, target_bytes_per_s, PST_NS_PER_S),
			  pst_xcp_per_rtt(s, s->input_bytes, length_ns));
	s->input_bytes = 0;
	s->controlled_bytes = 0;
	s->weight_q12_us = 0;
	s->moment_q8_us2 = 0;
	s->started_ns = q->now_ns;
	PST_ENSURE(pst_xcp_invariant(s));
	return pst_clamp(s->mean_rtt_us * 1000, PST_XCP_MIN_INTERVAL_NS,
			 PST_XCP_MAX_INTERVAL_NS);
}

PST_FN u64 pst_xcp_on_tick(const struct pst_xcp_params *p,
			   struct pst_xcp_state *s, const struct pst_queue *q)
{
	return pst_xcp_interval(p, s, q, q->rate_bytes_per_s);
}

/* @amount_q8 * rtt / d, the flow's part for one of its RTTs. */
PST_FN u64 pst_xcp_scaled_q8(const struct pst_xcp_state *s, u64 amount_q8,
			     const struct pst_feedback *f)
{
	return pst_min(pst_mul_div(amount_q8, pst_xcp_rtt_us(f), s->mean_rtt_us),
		       PST_MAX_BYTES);
}

/* p_i - n_i of (12.9), in 2^-16 bytes. */
PST_FN s64 pst_xcp_change_q16(const struct pst_xcp_state *s,
			      const struct pst_feedback *f, u32 bytes)
{
	u64 total = pst_min(s->flows_q12 * s->mean_rtt_us >> 8, PST_MAX_BYTES);
	u64 up = pst_mul_div(pst_xcp_scaled_q8(s, s->positive_q8_bytes, f),
			     pst_xcp_weight_q12_us(f, bytes), total);
	u64 down = pst_mul_div(pst_xcp_scaled_q8(s, s->negative_q8_bytes, f),
			       (u64)bytes << 8, s->share_bytes);

	return (s64)pst_min(up, 1ULL << 46) - (s64)pst_min(down, 1ULL << 46);
}

PST_FN enum pst_verdict pst_xcp_on_leave(const struct pst_xcp_params *p,
					 struct pst_xcp_state *s,
					 const struct pst_queue *q,
					 const struct pst_packet *k)
{
	struct pst_feedback *f = k->feedback;
	s64 change = 0;

	(void)p;
	(void)q;
	PST_REQUIRE(pst_xcp_invariant(s));
	if (!f)
		return PST_PASS;
	if (f->rtt_us) {
		s->dither = (s->dither + PST_GOLDEN_Q16) & 0xffff;
		change = (pst_xcp_change_q16(s, f, k->bytes) +
			  (s64)s->dither) >> 16;
	}
	if (change < f->delta_bytes)
		f->delta_bytes = (s32)change;
	PST_ENSURE(f->delta_bytes <= change || !f->rtt_us);
	return PST_PASS;
}

#endif
