/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adaptive RED.
 *
 * S. Floyd, R. Gummadi, S. Shenker: "Adaptive RED: An Algorithm for Increasing
 * the Robustness of RED's Active Queue Management", 2001, Fig. 1. RED whose
 * max_p follows the average, every interval:
 *
 *   avg > target and max_p <= 0.5   max_p += alpha, alpha = min(0.01, max_p/4)
 *   avg < target and max_p >= 0.01  max_p *= beta
 *
 * target is the band from min_th + 0.4 (max_th - min_th) to 0.6 of it.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_ARED_H
#define PENSTOCK_CORE_DISCIPLINE_ARED_H

#include "red.h"

#define PST_ARED_TITLE "Adaptive RED"
#define PST_ARED_SOURCE "Floyd, Gummadi and Shenker 2001, Fig. 1"
#define PST_ARED_FORMULA "window_bytes"

#define PST_ARED_OWN_PARAMS(P)                                                \
	P(interval_ns, PST_NS, PST_IS(500000000), 1000000, PST_MAX_NS,        \
	  "interval between changes of max_p",                                \
	  "Floyd, Gummadi and Shenker 2001, Fig. 1")                          \
	P(alpha_q32, PST_RATIO_Q32, PST_IS(42949673), 0, PST_Q32_ONE,         \
	  "largest increase of max_p per interval, at most max_p/4 (alpha)",  \
	  "Floyd, Gummadi and Shenker 2001, Fig. 1")                          \
	P(beta_q32, PST_RATIO_Q32, PST_IS(3865470566), 0, PST_Q32_ONE,        \
	  "factor by which max_p decreases (beta)",                           \
	  "Floyd, Gummadi and Shenker 2001, Fig. 1")                          \
	P(top_q32, PST_RATIO_Q32, PST_IS(2147483648), 0, PST_Q32_ONE,         \
	  "upper bound of max_p",                                             \
	  "Floyd, Gummadi and Shenker 2001, Fig. 1")                          \
	P(bottom_q32, PST_RATIO_Q32, PST_IS(42949673), 0, PST_Q32_ONE,        \
	  "lower bound of max_p",                                             \
	  "Floyd, Gummadi and Shenker 2001, Fig. 1")

#define PST_ARED_OWN_STATE(S) \
	S(max_p_q32, PST_RATIO_Q32, "drop probability at max_th, as adapted")

#define PST_ARED_PARAMS(P) PST_RED_PARAMS(P) PST_ARED_OWN_PARAMS(P)
#define PST_ARED_STATE(S) PST_RED_STATE(S) PST_ARED_OWN_STATE(S)

struct pst_ared_params {
	struct pst_red_params red;
	PST_ARED_OWN_PARAMS(PST_PARAM_FIELD)
};

struct pst_ared_state {
	struct pst_red_state red;
	PST_ARED_OWN_STATE(PST_STATE_FIELD)
};

/* What each event finds and leaves. */
PST_FN bool pst_ared_invariant(const struct pst_ared_state *s)
{
	return pst_red_invariant(&s->red) && s->max_p_q32 <= PST_Q32_ONE;
}

PST_FN void pst_ared_init(const struct pst_ared_params *p,
			  struct pst_ared_state *s, const struct pst_queue *q)
{
	(void)q;
	s->max_p_q32 = p->red.max_p_q32;
	PST_ENSURE(pst_ared_invariant(s));
}

PST_FN enum pst_verdict pst_ared_on_arrive(const struct pst_ared_params *p,
					   struct pst_ared_state *s,
					   const struct pst_queue *q,
					   const struct pst_packet *k)
{
	PST_REQUIRE(pst_ared_invariant(s));
	pst_red_average(&p->red, &s->red, q);
	return pst_red_decide(&p->red, &s->red, s->max_p_q32, q, k);
}

PST_FN void pst_ared_on_left(const struct pst_ared_params *p,
			     struct pst_ared_state *s, const struct pst_queue *q,
			     const struct pst_packet *k)
{
	(void)p;
	(void)k;
	pst_red_left(&s->red, q);
}

/* Averages are compared in tenths of a byte, so that the band is whole. */
PST_FN u64 pst_ared_on_tick(const struct pst_ared_params *p,
			    struct pst_ared_state *s, const struct pst_queue *q)
{
	u64 avg = 10 * (s->red.avg_bytes_q16 >> 16);
	u64 base = 10 * p->red.min_th_bytes;
	u64 width = pst_sub_floor(p->red.max_th_bytes, p->red.min_th_bytes);

	PST_REQUIRE(pst_ared_invariant(s));
	(void)q;
	if (avg > base + 6 * width && s->max_p_q32 <= p->top_q32)
		s->max_p_q32 += pst_min(p->alpha_q32, s->max_p_q32 / 4);
	else if (avg < base + 4 * width && s->max_p_q32 >= p->bottom_q32)
		s->max_p_q32 = pst_mul_q32(s->max_p_q32, p->beta_q32);
	s->max_p_q32 = pst_min(s->max_p_q32, PST_Q32_ONE);
	PST_ENSURE(pst_ared_invariant(s));
	return p->interval_ns;
}

#endif
