/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DCTCP, for data centres whose queues mark above a threshold.
 *
 * S. Bensley, D. Thaler, P. Balasubramanian, L. Eggert, G. Judd: "Data Center TCP (DCTCP):
 * TCP Congestion Control for Data Centers", RFC 8257, 2017, section 3:
 *
 *   a window with marks   cwnd = cwnd (1 - alpha / 2), once             (section 3.3)
 *   growth and loss       as NewReno                            (sections 3.4 and 3.5)
 *
 * alpha is in mark_fraction.h. Its receiver echoes each mark (exact_ecn).
 */
#ifndef PENSTOCK_CORE_SENDER_DCTCP_H
#define PENSTOCK_CORE_SENDER_DCTCP_H

#include "growth.h"
#include "mark_fraction.h"

#define PST_DCTCP_TITLE "DCTCP"
#define PST_DCTCP_SOURCE "RFC 8257 section 3"

#define PST_DCTCP_OWN_PARAMS(P)                                                \
	P(initial_alpha_q32, PST_RATIO_Q32, PST_IS(PST_Q32_ONE), 0, PST_Q32_ONE, \
	  "fraction of marks assumed at the start (DCTCP.Alpha)",              \
	  "RFC 8257 section 4.2")                                              \
	P(l4s, PST_FLAG, PST_IS(0), 0, 1,                                      \
	  "data is ECT(1), and so in the low-latency queue of DualPI2; else "  \
	  "ECT(0)",                                                            \
	  "RFC 9331 section 4.1")

#define PST_DCTCP_PARAMS(P)         \
	PST_SLOW_START_PARAMS(P)    \
	PST_MARK_FRACTION_PARAMS(P) \
	PST_DCTCP_OWN_PARAMS(P)

#define PST_DCTCP_OWN(S)           \
	S(credit_bytes, PST_BYTES, \
	  "acknowledged bytes not yet turned into window")

#define PST_DCTCP_STATE(S) PST_MARK_FRACTION_STATE(S) PST_DCTCP_OWN(S)

struct pst_dctcp_params {
	PST_DCTCP_PARAMS(PST_PARAM_FIELD)
};

struct pst_dctcp_state {
	struct pst_mark_fraction marks;
	PST_DCTCP_OWN(PST_STATE_FIELD)
};

PST_FN bool pst_dctcp_ect1(const struct pst_dctcp_params *p)
{
	return p->l4s;
}

PST_FN void pst_dctcp_init(const struct pst_dctcp_params *p, struct pst_dctcp_state *s,
			   const struct pst_sender_view *v, struct pst_cwnd *w)
{
	(void)w;
	pst_mark_fraction_init(&s->marks, v, p->initial_alpha_q32);
}

PST_FN void pst_dctcp_on_sample(const struct pst_dctcp_params *p,
				struct pst_dctcp_state *s,
				const struct pst_sender_view *v, struct pst_cwnd *w)
{
	(void)w;
	if (pst_mark_fraction_count(&s->marks, v))
		pst_mark_fraction_average(&s->marks,
					  pst_mark_fraction_take_q32(&s->marks, v),
					  p->gain_q16);
}

PST_FN void pst_dctcp_on_ack(const struct pst_dctcp_params *p, struct pst_dctcp_state *s,
			     const struct pst_sender_view *v, struct pst_cwnd *w)
{
	pst_grow_if_limited(w, &s->credit_bytes, v, p->abc_limit);
}

PST_FN u64 pst_dctcp_on_congestion(const struct pst_dctcp_params *p,
				   struct pst_dctcp_state *s,
				   const struct pst_sender_view *v,
				   const struct pst_cwnd *w, enum pst_congestion why)
{
	u64 kept_bytes = w->bytes - pst_mark_fraction_of(&s->marks, w->bytes);

	(void)p;
	PST_ENSURE(kept_bytes >= w->bytes / 2 && kept_bytes <= w->bytes);
	s->credit_bytes = 0;
	if (why != PST_ECN)
		return pst_half_of_flight(v);
	return pst_max(kept_bytes, 2ULL * v->mss_bytes);
}

#endif
