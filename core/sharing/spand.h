/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SPAND, shared passive network performance discovery, at the senders: the hosts of a LAN
 * report their connections' measurements to a performance server, and query it before
 * opening a new one.
 *
 *   report, at the end of each   mean += (own - mean) / 8, of cwnd, ssthresh and SRTT
 *   new                          cwnd = max(IW, mean), ssthresh = mean
 *
 * S. Seshan, M. Stemm, R. Katz: "SPAND: Shared Passive Network Performance Discovery",
 * USITS 1997; nis-2004 sections 4.2.4 and 4.5 (moved to the sender).
 */
#ifndef PENSTOCK_CORE_SHARING_SPAND_H
#define PENSTOCK_CORE_SHARING_SPAND_H

#include "ensemble.h"

#define PST_SPAND_TITLE "SPAND, shared passive network performance discovery"
#define PST_SPAND_SOURCE "Seshan, Stemm and Katz 1997; nis-2004 section 4.2"
#define PST_SPAND_SCOPE PST_SCOPE_LAN
#define PST_SPAND_PARAMS(P)                                                     \
	PST_ENSEMBLE_PARAMS(P)                                                  \
	P(report_weight_q32, PST_RATIO_Q32, PST_IS(1ULL << 29), 1, PST_Q32_ONE, \
	  "weight of a report in the server's mean", "ours")

struct pst_spand_params {
	PST_SPAND_PARAMS(PST_PARAM_FIELD)
};

/* The server's mean after a report; the first report sets it. */
PST_FN u64 pst_spand_mean(u64 mean, u64 own, u64 weight_q32)
{
	if (!mean)
		return own;
	if (own >= mean)
		return mean + pst_mul_div(own - mean, weight_q32, PST_Q32_ONE);
	return mean - pst_mul_div(mean - own, weight_q32, PST_Q32_ONE);
}

PST_FN void pst_spand_join(const struct pst_spand_params *p, struct pst_ensemble *e,
			   struct pst_member *m, struct pst_tcb *t)
{
	pst_ensemble_add_cached(e, m, t, p->initial_ssthresh_bytes);
}

PST_FN void pst_spand_push(const struct pst_spand_params *p, struct pst_ensemble *e,
			   struct pst_member *m, struct pst_tcb *t)
{
	pst_ensemble_follow(e, m, t, p->initial_ssthresh_bytes);
}

PST_FN void pst_spand_leave(const struct pst_spand_params *p, struct pst_ensemble *e,
			    struct pst_member *m, const struct pst_tcb *t)
{
	u64 weight_q32 = p->report_weight_q32;
	u64 ssthresh_bytes = pst_tcb_ssthresh(t, p->initial_ssthresh_bytes);

	e->cached_cwnd_bytes =
		pst_spand_mean(e->cached_cwnd_bytes, t->cwnd.bytes, weight_q32);
	e->cached_ssthresh_bytes =
		pst_spand_mean(e->cached_ssthresh_bytes, ssthresh_bytes, weight_q32);
	if (t->srtt_ns) {
		e->srtt_ns = pst_spand_mean(e->srtt_ns, t->srtt_ns, weight_q32);
		e->rttvar_ns = pst_spand_mean(e->rttvar_ns, t->rttvar_ns, weight_q32);
	}
	pst_ensemble_remove(e, m);
}

#endif
