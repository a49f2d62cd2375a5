/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AntiECN: the sender's part. NewReno that, in congestion avoidance, grows by a fraction
 * of its window per window of ACKs whose bit no router has cleared.
 *
 * nis-2004 section 2.3.2.6.4: on an ACK with the bit the congestion window grows by a
 * fraction of itself, on any other by TCP's congestion avoidance.
 */
#ifndef PENSTOCK_CORE_SENDER_ANTIECN_SENDER_H
#define PENSTOCK_CORE_SENDER_ANTIECN_SENDER_H

#include "growth.h"

#define PST_ANTIECN_SENDER_TITLE "AntiECN (sender)"
#define PST_ANTIECN_SENDER_SOURCE "nis-2004 section 2.3.2.6.4"
#define PST_ANTIECN_SENDER_LINUX "pst_antiecn"
#define PST_ANTIECN_SENDER_FEEDBACK PST_FEEDBACK_ANTIECN

#define PST_ANTIECN_SENDER_PARAMS(P)                                           \
	PST_SLOW_START_PARAMS(P)                                               \
	P(fraction_q16, PST_RATIO_Q16, PST_IS(3277), 0, PST_Q16_ONE,           \
	  "increase per window of ACKs with the bit, as a fraction of "       \
	  "the window",                                                       \
	  "our choice: 0.05; the paper leaves it open")

#define PST_ANTIECN_SENDER_STATE(S)                                            \
	S(credit_bytes, PST_BYTES,                                             \
	  "acknowledged bytes not yet turned into window")                     \
	S(fraction_bytes_q16, PST_BYTES, "what is less than a byte of growth") \
	S(room, PST_FLAG, "the last ACK returned the bit")

struct pst_antiecn_sender_params {
	PST_ANTIECN_SENDER_PARAMS(PST_PARAM_FIELD)
};

struct pst_antiecn_sender_state {
	PST_ANTIECN_SENDER_STATE(PST_STATE_FIELD)
};

PST_FN void pst_antiecn_sender_stamp(const struct pst_antiecn_sender_params *p,
				     const struct pst_antiecn_sender_state *s,
				     const struct pst_sender_view *v,
				     const struct pst_cwnd *w, struct pst_feedback *f)
{
	(void)p;
	(void)s;
	(void)v;
	(void)w;
	f->label = 1;
}

PST_FN void
pst_antiecn_sender_on_sample(const struct pst_antiecn_sender_params *p,
			     struct pst_antiecn_sender_state *s,
			     const struct pst_sender_view *v, struct pst_cwnd *w)
{
	(void)p;
	(void)w;
	s->room = v->has_feedback && v->feedback_label == 1;
}

PST_FN void pst_antiecn_sender_on_ack(const struct pst_antiecn_sender_params *p,
				      struct pst_antiecn_sender_state *s,
				      const struct pst_sender_view *v,
				      struct pst_cwnd *w)
{
	if (!v->cwnd_limited)
		return;
	if (s->room && w->bytes >= w->ssthresh_bytes)
		pst_grow_by_ratio(w, &s->fraction_bytes_q16,
				  pst_counted_bytes(w, v->acked_bytes),
				  p->fraction_q16, PST_Q16_ONE);
	pst_grow_standard(w, &s->credit_bytes, v, p->abc_limit);
}

PST_FN u64
pst_antiecn_sender_on_congestion(const struct pst_antiecn_sender_params *p,
				 struct pst_antiecn_sender_state *s,
				 const struct pst_sender_view *v,
				 const struct pst_cwnd *w, enum pst_congestion why)
{
	(void)p;
	(void)w;
	(void)why;
	s->credit_bytes = 0;
	s->fraction_bytes_q16 = 0;
	return pst_half_of_flight(v);
}

#endif
