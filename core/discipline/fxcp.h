/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * FXCP: XCP whose efficiency controller tracks a rate that FEWA's fuzzy controller
 * derives from the queue and its growth. nis-2004 sections 14.4 and 17.5 propose the
 * combination; the design is ours:
 *
 *   phi = alpha * d * (f * C - y)                 in the place of XCP's (12.7)
 *   f   = sum of w(f_k) * f_k / sum of w(f_k)     (13.11), over the rules of section E.1
 *   x   = Q_i / QT, QT = target * B;  g = (Q_i - Q_(i-1)) / B
 *
 * once per control interval, with XCP's persistent queue Q. All else is as in XCP.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_FXCP_H
#define PENSTOCK_CORE_DISCIPLINE_FXCP_H

#include "../math/fuzzy.h"
#include "xcp.h"

#define PST_FXCP_TITLE "FXCP, XCP with a fuzzy efficiency controller (router)"
#define PST_FXCP_SOURCE "ours, after nis-2004 sections 13.2, 14.4 and 17.5"
#define PST_FXCP_FORMULA "window_bytes"
#define PST_FXCP_FEEDBACK PST_FEEDBACK_XCP

#define PST_FXCP_MAX_AIM_Q16 262144ULL /* 4 */
#define PST_FXCP_AIM(P, k, value, help)                                     \
	P(aim_##k##_q16, PST_RATIO_Q16, PST_IS(value), 1, PST_FXCP_MAX_AIM_Q16, \
	  "rate aimed at over the link's, " help, "ours; docs/methods/fxcp.md")

#define PST_FXCP_PARAMS(P)                                                   \
	P(alpha_q16, PST_RATIO_Q16, PST_IS(26214), 1, PST_Q16_ONE,           \
	  "fraction of the distance to the aim that is corrected per RTT",    \
	  "nis-2004 Table F.3: 0.4")                                         \
	P(gamma_q16, PST_RATIO_Q16, PST_IS(6554), 0, PST_Q16_ONE,            \
	  "fraction of the traffic shuffled between flows",                   \
	  "nis-2004 Table F.3: 0.1")                                         \
	P(interval_ns, PST_NS, PST_IS(100000000), 1000000, 10000000000ULL,   \
	  "control interval until an RTT is known",                           \
	  "ours: about the largest usual round trip")                        \
	P(target_q16, PST_RATIO_Q16, PST_IS(16384), 656, 29491,              \
	  "target queue over the limit (QT / B)",                            \
	  "nis-2004 section 13.2.1.2")                                       \
	PST_FXCP_AIM(P, 1, 32768, "where it is very very little")            \
	PST_FXCP_AIM(P, 2, 58982, "where it is very little")                 \
	PST_FXCP_AIM(P, 3, 62259, "where it is little")                      \
	PST_FXCP_AIM(P, 4, 65536, "where it is medium")                      \
	PST_FXCP_AIM(P, 5, 68813, "where it is high")                        \
	PST_FXCP_AIM(P, 6, 78643, "where it is very high")

#define PST_FXCP_OWN_STATE(S)                                            \
	S(before_bytes, PST_BYTES, "queue an interval ago (Q_(i-1))")    \
	S(aim_q16, PST_RATIO_Q16, "rate aimed at over the link's (f)")

#define PST_FXCP_STATE(S) PST_XCP_STATE(S) PST_FXCP_OWN_STATE(S)

struct pst_fxcp_params {
	PST_FXCP_PARAMS(PST_PARAM_FIELD)
};

struct pst_fxcp_state {
	struct pst_xcp_state xcp;
	PST_FXCP_OWN_STATE(PST_STATE_FIELD)
};

/* XCP's parameters without a queue term, which the target rate includes. */
PST_FN struct pst_xcp_params pst_fxcp_as_xcp(const struct pst_fxcp_params *p)
{
	struct pst_xcp_params x = {
		.alpha_q16 = p->alpha_q16,
		.beta_q16 = 0,
		.gamma_q16 = p->gamma_q16,
		.interval_ns = p->interval_ns,
	};

	return x;
}

PST_FN void pst_fxcp_init(const struct pst_fxcp_params *p,
			  struct pst_fxcp_state *s, const struct pst_queue *q)
{
	struct pst_xcp_params x = pst_fxcp_as_xcp(p);

	pst_xcp_init(&x, &s->xcp, q);
}

PST_FN enum pst_verdict pst_fxcp_on_arrive(const struct pst_fxcp_params *p,
					   struct pst_fxcp_state *s,
					   const struct pst_queue *q,
					   const struct pst_packet *k)
{
	struct pst_xcp_params x = pst_fxcp_as_xcp(p);

	return pst_xcp_on_arrive(&x, &s->xcp, q, k);
}

/* (13.11) over the target rates. */
PST_FN u64 pst_fxcp_gravity_q16(const struct pst_fxcp_params *p,
				const struct pst_fuzzy *f)
{
	u64 moment = f->weights_1_q16 * p->aim_1_q16 +
		     f->weights_2_q16 * p->aim_2_q16 +
		     f->weights_3_q16 * p->aim_3_q16 +
		     f->weights_4_q16 * p->aim_4_q16 +
		     f->weights_5_q16 * p->aim_5_q16 +
		     f->weights_6_q16 * p->aim_6_q16;
	u64 weight = f->weights_1_q16 + f->weights_2_q16 + f->weights_3_q16 +
		     f->weights_4_q16 + f->weights_5_q16 + f->weights_6_q16;

	return moment / pst_max(weight, 1);
}

/* Queue over target, and growth over limit, in hundredths as in the tables. */
PST_FN void pst_fxcp_measure(const struct pst_fxcp_params *p,
			     struct pst_fxcp_state *s, const struct pst_queue *q)
{
	u64 limit_bytes = pst_clamp(q->limit_bytes, 100, PST_MAX_BYTES);
	u64 queue_bytes = pst_min(s->xcp.persistent_bytes, limit_bytes);
	u64 target_bytes = pst_max((limit_bytes * p->target_q16) >> 16, 1);
	u64 grown_bytes = pst_sub_floor(limit_bytes + queue_bytes, s->before_bytes);
	struct pst_fuzzy fuzzy;

	pst_fuzzy_fuzzify(&fuzzy,
			  pst_mul_div(queue_bytes, 100 << 16, target_bytes),
			  pst_mul_div(pst_min(grown_bytes, PST_MAX_BYTES), 100 << 16,
				      limit_bytes));
	pst_fuzzy_infer(&fuzzy);
	s->aim_q16 = pst_fxcp_gravity_q16(p, &fuzzy);
	s->before_bytes = queue_bytes;
	PST_ENSURE(s->aim_q16 <= PST_FXCP_MAX_AIM_Q16 && s->before_bytes <= limit_bytes);
}

PST_FN u64 pst_fxcp_on_tick(const struct pst_fxcp_params *p,
			    struct pst_fxcp_state *s, const struct pst_queue *q)
{
	struct pst_xcp_params x = pst_fxcp_as_xcp(p);
	u64 rate = pst_min(q->rate_bytes_per_s, PST_MAX_BYTES / 4);

	pst_xcp_look(&s->xcp, q);
	pst_fxcp_measure(p, s, q);
	return pst_xcp_interval(&x, &s->xcp, q,
				pst_mul_div(rate, s->aim_q16, PST_Q16_ONE));
}

PST_FN enum pst_verdict pst_fxcp_on_leave(const struct pst_fxcp_params *p,
					  struct pst_fxcp_state *s,
					  const struct pst_queue *q,
					  const struct pst_packet *k)
{
	struct pst_xcp_params x = pst_fxcp_as_xcp(p);

	return pst_xcp_on_leave(&x, &s->xcp, q, k);
}

#endif
