/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reno: the window law of RFC 5681 section 3.1 with the fast recovery of RFC 2581 section
 * 3.2, which the first ACK of new data ends. A second loss in the same window therefore
 * halves the window again or leads to a timeout.
 *
 *   growth and ssthresh: as NewReno
 *   recovery: SACK is not offered; no memory of `recover`   (one_loss)
 */
#ifndef PENSTOCK_CORE_SENDER_RENO_H
#define PENSTOCK_CORE_SENDER_RENO_H

#include "newreno.h"

#define PST_RENO_TITLE "Reno"
#define PST_RENO_SOURCE "RFC 2581 section 3, RFC 5681 section 3.1"
#define PST_RENO_LINUX "pst_reno"

#define PST_RENO_PARAMS(P) PST_NEWRENO_PARAMS(P)
#define PST_RENO_STATE(S) PST_NEWRENO_STATE(S)

struct pst_reno_params {
	PST_RENO_PARAMS(PST_PARAM_FIELD)
};

struct pst_reno_state {
	PST_RENO_STATE(PST_STATE_FIELD)
};

PST_FN void pst_reno_on_ack(const struct pst_reno_params *p,
			    struct pst_reno_state *s,
			    const struct pst_sender_view *v,
			    struct pst_cwnd *w)
{
	pst_grow_if_limited(w, &s->credit_bytes, v, p->abc_limit);
}

PST_FN u64 pst_reno_on_congestion(const struct pst_reno_params *p,
				  struct pst_reno_state *s,
				  const struct pst_sender_view *v,
				  const struct pst_cwnd *w,
				  enum pst_congestion why)
{
	(void)p;
	(void)w;
	(void)why;
	s->credit_bytes = 0;
	return pst_half_of_flight(v);
}

#endif
