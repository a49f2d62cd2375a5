/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scalable Westwood+, a multiplicative increase with an adaptive decrease (MIAD): what
 * Kliazovich, Granelli and Miorandi (log-westwood-2006 section II) set aside before they
 * propose LogWestwood+.
 *
 *   increase   Scalable TCP's, W += a per segment acknowledged   (eq. 3)
 *   decrease   Westwood+'s, to BWE RTTmin                        (eq. 5)
 *   up to lwnd, and after a timeout until ssthresh: as NewReno
 */
#ifndef PENSTOCK_CORE_SENDER_SCALABLE_WESTWOOD_H
#define PENSTOCK_CORE_SENDER_SCALABLE_WESTWOOD_H

#include "bandwidth.h"
#include "scalable.h"

#define PST_SCALABLE_WESTWOOD_TITLE "Scalable Westwood+ (MIAD)"
#define PST_SCALABLE_WESTWOOD_SOURCE "log-westwood-2006 section II"
#define PST_SCALABLE_WESTWOOD_LINUX "pst_scwestwood"

#define PST_SCALABLE_WESTWOOD_PARAMS(P) \
	PST_SCALABLE_INCREASE_PARAMS(P) \
	PST_SCALABLE_LOW_PARAMS(P)      \
	PST_BANDWIDTH_PARAMS(P)

#define PST_SCALABLE_WESTWOOD_STATE(S) \
	PST_BANDWIDTH_STATE(S)         \
	PST_SCALABLE_STATE(S)

struct pst_scalable_westwood_params {
	PST_SCALABLE_WESTWOOD_PARAMS(PST_PARAM_FIELD)
};

struct pst_scalable_westwood_state {
	struct pst_bandwidth bandwidth;
	struct pst_scalable_state growth;
};

PST_FN void
pst_scalable_westwood_on_sample(const struct pst_scalable_westwood_params *p,
				struct pst_scalable_westwood_state *s,
				const struct pst_sender_view *v,
				struct pst_cwnd *w)
{
	(void)w;
	pst_bandwidth_sample(&s->bandwidth, v, p->filter_q16,
			     p->sample_floor_ns);
}

PST_FN void
pst_scalable_westwood_on_ack(const struct pst_scalable_westwood_params *p,
			     struct pst_scalable_westwood_state *s,
			     const struct pst_sender_view *v,
			     struct pst_cwnd *w)
{
	pst_scalable_grow(&s->growth, v, w, p->abc_limit, p->increase_q16,
			  p->low_window_pkts * v->mss_bytes);
}

PST_FN u64
pst_scalable_westwood_on_congestion(const struct pst_scalable_westwood_params *p,
				    struct pst_scalable_westwood_state *s,
				    const struct pst_sender_view *v,
				    const struct pst_cwnd *w,
				    enum pst_congestion why)
{
	(void)p;
	s->growth.credit_bytes = 0;
	s->growth.fraction_bytes_q16 = 0;
	return pst_bandwidth_ssthresh(&s->bandwidth, v, w, why);
}

#endif
