/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * FBA-TCP: the sender's part. NewReno whose segments carry a header for the rate that the
 * routers allow (core/discipline/csfq.h), which the receiver converts to its advertised
 * window.
 *
 * nis-2004 section 12.5:
 *
 *   allowed sending window     = RTT * r                              (12.29)
 *   advertised receiver window = min(allowed window, its own)         (12.30)
 *
 * The receiver of a download does not measure the RTT, so the header carries the
 * sender's.
 */
#ifndef PENSTOCK_CORE_SENDER_FBA_SENDER_H
#define PENSTOCK_CORE_SENDER_FBA_SENDER_H

#include "growth.h"

#define PST_FBA_SENDER_TITLE "FBA-TCP, fair bandwidth allocation (sender)"
#define PST_FBA_SENDER_SOURCE "nis-2004 section 12.5"
#define PST_FBA_SENDER_LINUX "pst_fba_sender"
#define PST_FBA_SENDER_FEEDBACK PST_FEEDBACK_FBA

#define PST_FBA_SENDER_PARAMS(P) PST_SLOW_START_PARAMS(P)

#define PST_FBA_SENDER_STATE(S) \
	S(credit_bytes, PST_BYTES, "acknowledged bytes not yet turned into window")

struct pst_fba_sender_params {
	PST_FBA_SENDER_PARAMS(PST_PARAM_FIELD)
};

struct pst_fba_sender_state {
	PST_FBA_SENDER_STATE(PST_STATE_FIELD)
};

PST_FN void pst_fba_sender_stamp(const struct pst_fba_sender_params *p,
				 const struct pst_fba_sender_state *s,
				 const struct pst_sender_view *v,
				 const struct pst_cwnd *w, struct pst_feedback *f)
{
	(void)p;
	(void)s;
	(void)w;
	f->rtt_us = (u32)pst_min(v->srtt_ns / 1000, 0xffffffff);
	f->label = PST_FBA_UNLIMITED;
}

PST_FN void pst_fba_sender_on_ack(const struct pst_fba_sender_params *p,
				  struct pst_fba_sender_state *s,
				  const struct pst_sender_view *v,
				  struct pst_cwnd *w)
{
	pst_grow_if_limited(w, &s->credit_bytes, v, p->abc_limit);
}

PST_FN u64
pst_fba_sender_on_congestion(const struct pst_fba_sender_params *p,
			     struct pst_fba_sender_state *s,
			     const struct pst_sender_view *v,
			     const struct pst_cwnd *w, enum pst_congestion why)
{
	(void)p;
	(void)w;
	(void)why;
	s->credit_bytes = 0;
	return pst_half_of_flight(v);
}

#endif
