/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DualPI2: a low-latency queue for senders whose window is proportional to 1/p, and a
 * Classic one for those of 1/sqrt(p), coupled so that both get the same rate.
 *
 * K. De Schepper, B. Briscoe, G. White: "Dual-Queue Coupled Active Queue Management (AQM)
 * for Low Latency, Low Loss, and Scalable Throughput (L4S)", RFC 9332, 2023, sections 2
 * and 4, and appendix A.2:
 *
 *   classify   ECT(1) and CE to the L queue, all others to the C queue
 *   update     p' += alpha (delay - target) + beta (delay - delay before), in [0, 1],
 *              of the queue that has waited longer
 *   C queue    p_C = p'^2: drops, or marks ECT(0)
 *   L queue    p_L = max(k p', ramp of its own delay): marks
 *   overload   k p' >= 1: L drops with p_C, too; p_C >= 1 / k^2: C drops only
 *   scheduler  L first, but the C queue has a share while both wait
 *
 * As a scheduler it needs a host that keeps the packets in two FIFOs: the simulator.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_DUALPI2_H
#define PENSTOCK_CORE_DISCIPLINE_DUALPI2_H

#include "../queue/queue.h"

#define PST_DUALPI2_TITLE "DualPI2, dual-queue coupled AQM"
#define PST_DUALPI2_SOURCE "RFC 9332 appendix A"
#define PST_DUALPI2_FORMULA "window_bytes"

#define PST_DUALPI2_PARAMS(P)                                                 \
	P(target_ns, PST_NS, PST_IS(15000000), 0, PST_MAX_NS,                 \
	  "queueing delay that the Classic queue is to keep (target)",        \
	  "RFC 9332 appendix A.1")                                            \
	P(interval_ns, PST_NS, PST_IS(15000000), 1000000, PST_MAX_NS,         \
	  "interval between updates of the base probability (Tupdate)",       \
	  "RFC 9332 appendix A.1: min(target, RTT_max / 3)")                  \
	P(alpha_q16, PST_RATIO_Q16, PST_IS(9830), 0, 2097152,                 \
	  "weight of the distance to the target, per second (alpha)",         \
	  "RFC 9332 appendix A.1: 0.1 Tupdate / RTT_max^2")                   \
	P(beta_q16, PST_RATIO_Q16, PST_IS(196608), 0, 2097152,                \
	  "weight of the change of the delay, per second (beta)",             \
	  "RFC 9332 appendix A.1: 0.3 / RTT_max")                             \
	P(coupling_q16, PST_RATIO_Q16, PST_IS(131072), PST_Q16_ONE, 2097152,  \
	  "mark probability of the low-latency queue over the base "          \
	  "probability (k)",                                                  \
	  "RFC 9332 appendix A.1")                                            \
	P(mark_from_ns, PST_NS, PST_IS(800000), 0, PST_MAX_NS,                \
	  "delay from which the low-latency queue marks by itself (minTh)",   \
	  "RFC 9332 appendix A.1")                                            \
	P(mark_range_ns, PST_NS, PST_IS(400000), 0, PST_MAX_NS,               \
	  "further delay at which it marks all; 0: a step (range)",           \
	  "RFC 9332 appendix A.1")                                            \
	P(mark_least_pkts, PST_PKTS, PST_IS(1), 0, PST_MAX_PKTS,              \
	  "packets left in the low-latency queue up to which it does not "    \
	  "mark by itself (Th_len)",                                          \
	  "RFC 9332 appendix A.1")                                            \
	P(classic_share_q16, PST_RATIO_Q16, PST_IS(4096), 0, 58982,           \
	  "share of the bytes that the Classic queue sends while both wait",  \
	  "our choice: 1/16; Linux: 0.1")

#define PST_DUALPI2_STATE(S)                                                  \
	S(probability_q32, PST_RATIO_Q32, "base probability (p')")            \
	S(delay_old_ns, PST_NS, "delay at the last update (prevq)")           \
	S(low_pkts, PST_PKTS, "packets in the low-latency queue")             \
	S(classic_pkts, PST_PKTS, "packets in the Classic queue")             \
	S(low_head_ns, PST_TIME, "when the first of the low-latency queue came") \
	S(classic_head_ns, PST_TIME, "when the first of the Classic queue came") \
	S(due_bytes_q16, PST_BYTES, "what the Classic queue is owed")         \
	S(classic_sum_q32, PST_RATIO_Q32,                                     \
	  "probabilities added up since the last drop or mark (count)")       \
	S(low_sum_q32, PST_RATIO_Q32, "the same of low-latency marks")        \
	S(overload_sum_q32, PST_RATIO_Q32, "the same of low-latency drops")

struct pst_dualpi2_params {
	PST_DUALPI2_PARAMS(PST_PARAM_FIELD)
};

struct pst_dualpi2_state {
	PST_DUALPI2_STATE(PST_STATE_FIELD)
};

enum pst_dual_queue {
	PST_DUAL_LOW,
	PST_DUAL_CLASSIC,
	PST_DUAL_COUNT,
};

/* RFC 9331 section 5.1: by the codepoint alone. */
PST_FN enum pst_dual_queue pst_dualpi2_classify(u8 tos)
{
	return tos & PST_ECT1 ? PST_DUAL_LOW : PST_DUAL_CLASSIC;
}

/* What each event finds and leaves. */
PST_FN bool pst_dualpi2_invariant(const struct pst_dualpi2_state *s)
{
	return s->probability_q32 <= PST_Q32_ONE && s->delay_old_ns <= PST_MAX_NS &&
	       s->low_sum_q32 <= PST_Q32_ONE && s->classic_sum_q32 <= PST_Q32_ONE &&
	       s->overload_sum_q32 <= PST_Q32_ONE;
}

PST_FN u64 pst_dualpi2_waited_ns(u64 pkts, u64 head_ns, u64 now_ns)
{
	return pkts ? pst_min(pst_sub_floor(now_ns, head_ns), PST_MAX_NS) : 0;
}

/* @gain_q16_ns / 10^9 as q32: 2^16 / 10^9 = 2^7 / 5^9. */
PST_FN u64 pst_dualpi2_step_q32(u64 gain_q16_ns)
{
	u64 whole = gain_q16_ns / 1953125;

	return (whole << 7) + ((gain_q16_ns - whole * 1953125) << 7) / 1953125;
}

PST_FN u64 pst_dualpi2_on_tick(const struct pst_dualpi2_params *p,
			       struct pst_dualpi2_state *s, const struct pst_queue *q)
{
	u64 low_ns = pst_dualpi2_waited_ns(s->low_pkts, s->low_head_ns, q->now_ns);
	u64 classic_ns = pst_dualpi2_waited_ns(s->classic_pkts, s->classic_head_ns, q->now_ns);
	u64 delay_ns = pst_max(low_ns, classic_ns);
	/* Each product is at most 2^21 * 2^40. */
	u64 up = p->alpha_q16 * delay_ns + p->beta_q16 * delay_ns;
	u64 down = p->alpha_q16 * p->target_ns + p->beta_q16 * s->delay_old_ns;

	PST_REQUIRE(pst_dualpi2_invariant(s));
	if (up < down)
		s->probability_q32 = pst_sub_floor(s->probability_q32,
						   pst_dualpi2_step_q32(down - up));
	else
		s->probability_q32 = pst_min(s->probability_q32 +
						     pst_dualpi2_step_q32(up - down),
					     PST_Q32_ONE);
	s->delay_old_ns = delay_ns;
	PST_ENSURE(pst_dualpi2_invariant(s));
	return p->interval_ns;
}

/* The queue to serve, of which one is not empty; the Classic one's head has @head_bytes. */
PST_FN enum pst_dual_queue pst_dualpi2_select(struct pst_dualpi2_state *s, u32 head_bytes)
{
	PST_REQUIRE(s->low_pkts || s->classic_pkts);
	if (!s->classic_pkts)
		return PST_DUAL_LOW;
	if (!s->low_pkts)
		return PST_DUAL_CLASSIC;
	if (s->due_bytes_q16 < (u64)head_bytes << 16)
		return PST_DUAL_LOW;
	s->due_bytes_q16 -= (u64)head_bytes << 16;
	return PST_DUAL_CLASSIC;
}

/* The selected @queue has sent @bytes; the counts are without them. */
PST_FN void pst_dualpi2_sent(const struct pst_dualpi2_params *p, struct pst_dualpi2_state *s,
			     enum pst_dual_queue queue, u32 bytes)
{
	PST_REQUIRE(p->classic_share_q16 < PST_Q16_ONE);
	if (!s->classic_pkts)
		s->due_bytes_q16 = 0;
	else if (queue == PST_DUAL_LOW)
		s->due_bytes_q16 += ((u64)bytes << 16) * p->classic_share_q16 /
				    (PST_Q16_ONE - p->classic_share_q16);
}

/* recur() of the RFC: true once for each whole that the probabilities add up to. */
PST_FN bool pst_dualpi2_hits(u64 *sum_q32, u64 probability_q32)
{
	PST_REQUIRE(probability_q32 <= PST_Q32_ONE && *sum_q32 <= PST_Q32_ONE);
	*sum_q32 += probability_q32;
	if (*sum_q32 <= PST_Q32_ONE)
		return false;
	*sum_q32 -= PST_Q32_ONE;
	PST_ENSURE(*sum_q32 <= PST_Q32_ONE);
	return true;
}

/* p_C = p'^2 */
PST_FN u64 pst_dualpi2_classic_q32(const struct pst_dualpi2_state *s)
{
	PST_REQUIRE(s->probability_q32 <= PST_Q32_ONE);
	return pst_mul_div(s->probability_q32, s->probability_q32, PST_Q32_ONE);
}

/* p_CL = k p', at most 1. */
PST_FN u64 pst_dualpi2_coupled_q32(const struct pst_dualpi2_params *p,
				   const struct pst_dualpi2_state *s)
{
	return pst_min(p->coupling_q16 * s->probability_q32 >> 16, PST_Q32_ONE);
}

/* The low-latency queue's own p'_L, of a packet that has waited for @delay_ns. */
PST_FN u64 pst_dualpi2_ramp_q32(const struct pst_dualpi2_params *p,
				const struct pst_dualpi2_state *s, u64 delay_ns)
{
	u64 above_ns = pst_sub_floor(delay_ns, p->mark_from_ns);

	PST_REQUIRE(delay_ns <= PST_MAX_NS);
	if (s->low_pkts <= p->mark_least_pkts)
		return 0;
	if (above_ns >= p->mark_range_ns)
		return delay_ns >= p->mark_from_ns ? PST_Q32_ONE : 0;
	return pst_mul_div(above_ns, PST_Q32_ONE, p->mark_range_ns);
}

PST_FN enum pst_verdict pst_dualpi2_low(const struct pst_dualpi2_params *p,
					struct pst_dualpi2_state *s, u64 delay_ns)
{
	u64 coupled_q32 = pst_dualpi2_coupled_q32(p, s);
	u64 mark_q32 = pst_max(coupled_q32, pst_dualpi2_ramp_q32(p, s, delay_ns));

	PST_REQUIRE(pst_dualpi2_invariant(s));
	if (coupled_q32 == PST_Q32_ONE &&
	    pst_dualpi2_hits(&s->overload_sum_q32, pst_dualpi2_classic_q32(s)))
		return PST_DROP;
	PST_ENSURE(mark_q32 <= PST_Q32_ONE);
	return pst_dualpi2_hits(&s->low_sum_q32, mark_q32) ? PST_MARK : PST_PASS;
}

PST_FN enum pst_verdict pst_dualpi2_classic(const struct pst_dualpi2_params *p,
					    struct pst_dualpi2_state *s,
					    const struct pst_packet *k)
{
	bool overload = pst_dualpi2_coupled_q32(p, s) == PST_Q32_ONE;

	PST_REQUIRE(pst_dualpi2_invariant(s));
	if (!pst_dualpi2_hits(&s->classic_sum_q32, pst_dualpi2_classic_q32(s)))
		return PST_PASS;
	return pst_packet_ecn_capable(k) && !overload ? PST_MARK : PST_DROP;
}

/* The verdict on @k, the head of @queue, which is about to leave; the counts are without it. */
PST_FN enum pst_verdict pst_dualpi2_on_leave(const struct pst_dualpi2_params *p,
					     struct pst_dualpi2_state *s,
					     enum pst_dual_queue queue,
					     const struct pst_queue *q,
					     const struct pst_packet *k)
{
	if (queue == PST_DUAL_LOW)
		return pst_dualpi2_low(p, s, pst_min(pst_sub_floor(q->now_ns, k->queued_ns),
						     PST_MAX_NS));
	return pst_dualpi2_classic(p, s, k);
}

#endif
