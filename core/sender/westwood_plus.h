/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Westwood+ (Grieco and Mascolo 2004): additive increase, adaptive decrease.
 *
 *   slow start and congestion avoidance   as NewReno           (section 2.2)
 *   loss      ssthresh = max(BWE * RTTmin, 2), cwnd = ssthresh
 *   timeout   ssthresh = max(BWE * RTTmin, 2), cwnd = 1
 *
 * BWE is in bandwidth.h. log-westwood-2006 prints the law as eqs. (1) and (5).
 */
#ifndef PENSTOCK_CORE_SENDER_WESTWOOD_PLUS_H
#define PENSTOCK_CORE_SENDER_WESTWOOD_PLUS_H

#include "bandwidth.h"
#include "growth.h"

#define PST_WESTWOOD_PLUS_TITLE "Westwood+"
#define PST_WESTWOOD_PLUS_SOURCE "Grieco and Mascolo 2004 section 2.2"
#define PST_WESTWOOD_PLUS_LINUX "pst_westwood"

#define PST_WESTWOOD_PLUS_PARAMS(P) \
	PST_SLOW_START_PARAMS(P)    \
	PST_BANDWIDTH_PARAMS(P)

#define PST_WESTWOOD_PLUS_OWN(S)   \
	S(credit_bytes, PST_BYTES, \
	  "acknowledged bytes not yet turned into window")

#define PST_WESTWOOD_PLUS_STATE(S) \
	PST_BANDWIDTH_STATE(S)     \
	PST_WESTWOOD_PLUS_OWN(S)

struct pst_westwood_plus_params {
	PST_WESTWOOD_PLUS_PARAMS(PST_PARAM_FIELD)
};

struct pst_westwood_plus_state {
	struct pst_bandwidth bandwidth;
	PST_WESTWOOD_PLUS_OWN(PST_STATE_FIELD)
};

PST_FN void
pst_westwood_plus_on_sample(const struct pst_westwood_plus_params *p,
			    struct pst_westwood_plus_state *s,
			    const struct pst_sender_view *v,
			    struct pst_cwnd *w)
{
	(void)w;
	pst_bandwidth_sample(&s->bandwidth, v, p->filter_q16,
			     p->sample_floor_ns);
}

PST_FN void pst_westwood_plus_on_ack(const struct pst_westwood_plus_params *p,
				     struct pst_westwood_plus_state *s,
				     const struct pst_sender_view *v,
				     struct pst_cwnd *w)
{
	pst_grow_if_limited(w, &s->credit_bytes, v, p->abc_limit);
}

PST_FN u64
pst_westwood_plus_on_congestion(const struct pst_westwood_plus_params *p,
				struct pst_westwood_plus_state *s,
				const struct pst_sender_view *v,
				const struct pst_cwnd *w,
				enum pst_congestion why)
{
	(void)p;
	s->credit_bytes = 0;
	return pst_bandwidth_ssthresh(&s->bandwidth, v, w, why);
}

#endif
