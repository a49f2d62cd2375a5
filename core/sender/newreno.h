/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slow start and congestion avoidance of RFC 5681 section 3.1, as NewReno
 * (RFC 6582) uses them.
 *
 *   slow start            cwnd += min(N, L * SMSS) per ACK       (eq. 2, RFC 3465)
 *   congestion avoidance  cwnd += SMSS per cwnd bytes acknowledged
 *   loss                  ssthresh = max(FlightSize / 2, 2 * SMSS)  (eq. 4)
 */
#ifndef PENSTOCK_CORE_SENDER_NEWRENO_H
#define PENSTOCK_CORE_SENDER_NEWRENO_H

#include "growth.h"

#define PST_NEWRENO_TITLE "NewReno"
#define PST_NEWRENO_SOURCE "RFC 5681 section 3.1, RFC 6582"
#define PST_NEWRENO_LINUX "pst_newreno"

#define PST_NEWRENO_PARAMS(P) PST_SLOW_START_PARAMS(P)

#define PST_NEWRENO_STATE(S)                                  \
	S(credit_bytes, PST_BYTES,                            \
	  "acknowledged bytes not yet turned into window")

struct pst_newreno_params {
	PST_NEWRENO_PARAMS(PST_PARAM_FIELD)
};

struct pst_newreno_state {
	PST_NEWRENO_STATE(PST_STATE_FIELD)
};

PST_FN void pst_newreno_on_ack(const struct pst_newreno_params *p,
			       struct pst_newreno_state *s,
			       const struct pst_sender_view *v,
			       struct pst_cwnd *w)
{
	pst_grow_if_limited(w, &s->credit_bytes, v, p->abc_limit);
}

/* Returns the new ssthresh; the host sets cwnd according to its recovery. */
PST_FN u64 pst_newreno_on_congestion(const struct pst_newreno_params *p,
				     struct pst_newreno_state *s,
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
