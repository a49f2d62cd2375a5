/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PIE, proportional integral controller enhanced: a drop probability computed from the
 * queueing delay every t_update.
 *
 * R. Pan, P. Natarajan, F. Baker, G. White: "Proportional Integral Controller
 * Enhanced (PIE): A Lightweight Control Scheme to Address the Bufferbloat
 * Problem", RFC 8033, 2017, sections 4 and 5 and Appendix A:
 *
 *   p    = alpha * (delay - target) + beta * (delay - delay_old)
 *   p   /= 2048, 512, 128, 32, 8, 2 or 1, as drop_prob is below 1e-6, ... 0.1
 *   p    = 0.02 at most, where drop_prob >= 0.1
 *   drop_prob += p; *= 0.98 if both delays are 0; kept within 0 and 1
 *
 * The delay is that of the last packet dequeued, or 0 if it left the queue empty (section
 * 5.2: timestamps instead of a departure rate).
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_PIE_H
#define PENSTOCK_CORE_DISCIPLINE_PIE_H

#include "../math/average.h"
#include "../queue/queue.h"

#define PST_PIE_TITLE "PIE, proportional integral controller enhanced"
#define PST_PIE_SOURCE "RFC 8033 sections 4 and 5"
#define PST_PIE_FORMULA "window_bytes"

#define PST_PIE_PARAMS(P)                                                     \
	P(target_ns, PST_NS, PST_IS(15000000), 0, PST_MAX_NS,                 \
	  "queueing delay to keep (QDELAY_REF)", "RFC 8033 section 4.2")      \
	P(interval_ns, PST_NS, PST_IS(15000000), 1000000, PST_MAX_NS,         \
	  "interval between updates of the probability (T_UPDATE)",           \
	  "RFC 8033 section 4.2")                                             \
	P(alpha_q16, PST_RATIO_Q16, PST_IS(8192), 0, 2097152,                 \
	  "weight of the distance to the target, per second (alpha)",         \
	  "RFC 8033 section 4.2")                                             \
	P(beta_q16, PST_RATIO_Q16, PST_IS(81920), 0, 2097152,                 \
	  "weight of the change of the delay, per second (beta)",             \
	  "RFC 8033 section 4.2")                                             \
	P(max_burst_ns, PST_NS, PST_IS(150000000), 0, PST_MAX_NS,             \
	  "burst allowed without drops after a period without congestion "    \
	  "(MAX_BURST)",                                                      \
	  "RFC 8033 section 4.4")                                             \
	P(mean_packet_bytes, PST_BYTES, PST_IS(PST_FULL_PACKET_BYTES), 1,       \
	  65535,                                                                \
	  "mean packet size; nothing is dropped from a queue of two or "      \
	  "fewer (MEAN_PKTSIZE)",                                             \
	  "RFC 8033 section 4.1")                                             \
	P(mark_top_q32, PST_RATIO_Q32, PST_IS(429496730), 0, PST_Q32_ONE,     \
	  "probability above which ECT packets are dropped instead of "       \
	  "marked (mark_ecnth)",                                              \
	  "RFC 8033 section 5.1")                                             \
	P(derandomize, PST_FLAG, PST_IS(1), 0, 1,                             \
	  "space drops: none before the accumulated probability reaches "     \
	  "0.85, one at 8.5 at the latest",                                   \
	  "RFC 8033 section 5.4")

#define PST_PIE_STATE(S)                                                      \
	S(probability_q32, PST_RATIO_Q32, "drop probability (drop_prob)")     \
	S(delay_ns, PST_NS, "delay of the last packet that left")             \
	S(delay_old_ns, PST_NS, "delay at the last computation (qdelay_old)") \
	S(burst_ns, PST_NS, "burst that still passes (burst_allowance)")      \
	S(sum_q32, PST_RATIO_Q32,                                             \
	  "probabilities added up since the last drop (accu_prob)")

struct pst_pie_params {
	PST_PIE_PARAMS(PST_PARAM_FIELD)
};

struct pst_pie_state {
	PST_PIE_STATE(PST_STATE_FIELD)
};

#define PST_PIE_Q32(thousandths) ((PST_Q32_ONE * (thousandths) + 500) / 1000)
#define PST_PIE_DECAY_Q32 PST_PIE_Q32(980)
#define PST_PIE_CAP_Q32 PST_PIE_Q32(20)

/* What each event finds and leaves. */
PST_FN bool pst_pie_invariant(const struct pst_pie_params *p,
			      const struct pst_pie_state *s)
{
	return s->probability_q32 <= PST_Q32_ONE && s->delay_old_ns <= PST_MAX_NS &&
	       s->burst_ns <= p->max_burst_ns && s->sum_q32 < PST_PIE_Q32(8500);
}

PST_FN void pst_pie_init(const struct pst_pie_params *p,
			 struct pst_pie_state *s, const struct pst_queue *q)
{
	(void)q;
	s->burst_ns = p->max_burst_ns;
	PST_ENSURE(pst_pie_invariant(p, s));
}

/* The power of two by which a small @probability_q32 divides the step. */
PST_FN u32 pst_pie_scale_shift(u64 probability_q32)
{
	PST_REQUIRE(probability_q32 <= PST_Q32_ONE);
	if (probability_q32 < 4295) /* 1e-6 */
		return 11;
	if (probability_q32 < 42950)
		return 9;
	if (probability_q32 < 429497)
		return 7;
	if (probability_q32 < 4294967)
		return 5;
	if (probability_q32 < PST_PIE_Q32(10))
		return 3;
	return probability_q32 < PST_PIE_Q32(100) ? 1 : 0;
}

/* @gain_q16_ns / 10^9 / 2^@shift as q32, to the nearest. 2^16 / 10^9 = 2^7 / 5^9. */
PST_FN u64 pst_pie_step_q32(u64 gain_q16_ns, u32 shift)
{
	u64 divisor = 1953125ULL << shift;
	u64 rest = gain_q16_ns % divisor;

	return ((gain_q16_ns / divisor) << 7) +
	       ((rest << 7) + divisor / 2) / divisor;
}

/* drop_prob including this step. */
PST_FN u64 pst_pie_moved_q32(const struct pst_pie_params *p,
			     const struct pst_pie_state *s, u64 delay_ns)
{
	PST_REQUIRE(delay_ns <= PST_MAX_NS && s->delay_old_ns <= PST_MAX_NS);
	/* Each product is at most 2^21 * 2^40. */
	u64 up = p->alpha_q16 * delay_ns + p->beta_q16 * delay_ns;
	u64 down = p->alpha_q16 * p->target_ns + p->beta_q16 * s->delay_old_ns;
	u32 shift = pst_pie_scale_shift(s->probability_q32);
	u64 step_q32;

	if (up < down)
		return pst_sub_floor(s->probability_q32,
				     pst_pie_step_q32(down - up, shift));
	step_q32 = pst_pie_step_q32(up - down, shift);
	if (!shift)
		step_q32 = pst_min(step_q32, PST_PIE_CAP_Q32);
	return s->probability_q32 + step_q32;
}

PST_FN u64 pst_pie_on_tick(const struct pst_pie_params *p,
			   struct pst_pie_state *s, const struct pst_queue *q)
{
	u64 delay_ns = pst_min(s->delay_ns, PST_MAX_NS);

	PST_REQUIRE(pst_pie_invariant(p, s));
	(void)q;
	s->probability_q32 = pst_pie_moved_q32(p, s, delay_ns);
	if (!delay_ns && !s->delay_old_ns)
		s->probability_q32 = pst_mul_q32(s->probability_q32,
						 PST_PIE_DECAY_Q32);
	s->probability_q32 = pst_min(s->probability_q32, PST_Q32_ONE);
	s->burst_ns = pst_sub_floor(s->burst_ns, p->interval_ns);
	if (!s->probability_q32 && 2 * delay_ns < p->target_ns &&
	    2 * s->delay_old_ns < p->target_ns)
		s->burst_ns = p->max_burst_ns;
	s->delay_old_ns = delay_ns;
	PST_ENSURE(pst_pie_invariant(p, s));
	return p->interval_ns;
}

/* True if the accumulated probability permits a random decision or forces a drop. */
PST_FN bool pst_pie_hits(const struct pst_pie_params *p,
			 struct pst_pie_state *s, u32 random)
{
	PST_REQUIRE(pst_pie_invariant(p, s));
	if (p->derandomize) {
		if (!s->probability_q32)
			s->sum_q32 = 0;
		s->sum_q32 += s->probability_q32;
		if (s->sum_q32 < PST_PIE_Q32(850))
			return false;
		if (s->sum_q32 >= PST_PIE_Q32(8500))
			return true;
	}
	return random < s->probability_q32;
}

PST_FN enum pst_verdict pst_pie_on_arrive(const struct pst_pie_params *p,
					  struct pst_pie_state *s,
					  const struct pst_queue *q,
					  const struct pst_packet *k)
{
	bool calm = 2 * s->delay_old_ns < p->target_ns &&
		    s->probability_q32 < PST_PIE_Q32(200);

	PST_REQUIRE(pst_pie_invariant(p, s));
	(void)k;
	if (s->burst_ns || calm || q->bytes <= 2 * p->mean_packet_bytes)
		return PST_PASS;
	if (!pst_pie_hits(p, s, pst_queue_random(q)))
		return PST_PASS;
	s->sum_q32 = 0;
	PST_ENSURE(pst_pie_invariant(p, s));
	return s->probability_q32 < p->mark_top_q32 ? PST_SIGNAL : PST_DROP;
}

PST_FN void pst_pie_on_overflow(const struct pst_pie_params *p,
				struct pst_pie_state *s,
				const struct pst_queue *q,
				const struct pst_packet *k)
{
	(void)p;
	(void)q;
	(void)k;
	s->sum_q32 = 0;
}

PST_FN void pst_pie_on_left(const struct pst_pie_params *p,
			    struct pst_pie_state *s,
			    const struct pst_queue *q,
			    const struct pst_packet *k)
{
	(void)p;
	PST_REQUIRE(pst_pie_invariant(p, s));
	s->delay_ns = q->bytes ? pst_sub_floor(q->now_ns, k->queued_ns) : 0;
}

#endif
