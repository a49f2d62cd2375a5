/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Temporal sharing of TCP control blocks: a new connection starts with the cached state
 * of closed ones. Concurrent connections share nothing.
 *
 *   cached = cached / 2 + own / 2 at the end of each          (RFC 9040 section 6)
 *   new    = cached, for cwnd at least the initial window
 *
 * J. Touch, M. Welzl, S. Islam: "TCP Control Block Interdependence", RFC 9040, 2021;
 * nis-2004 section 3.3.4.
 */
#ifndef PENSTOCK_CORE_SHARING_TCBI_TEMPORAL_H
#define PENSTOCK_CORE_SHARING_TCBI_TEMPORAL_H

#include "ensemble.h"

#define PST_TCBI_TEMPORAL_TITLE "temporal TCB interdependence"
#define PST_TCBI_TEMPORAL_SOURCE "RFC 9040 section 6; nis-2004 section 3.3.4"
#define PST_TCBI_TEMPORAL_SCOPE PST_SCOPE_HOST
#define PST_TCBI_TEMPORAL_LINUX "pst_tcbi_temp"
#define PST_TCBI_TEMPORAL_PARAMS(P) PST_ENSEMBLE_PARAMS(P)

struct pst_tcbi_temporal_params {
	PST_TCBI_TEMPORAL_PARAMS(PST_PARAM_FIELD)
};

PST_FN u64 pst_tcbi_merged(u64 cached, u64 own)
{
	return cached ? cached / 2 + own / 2 : own;
}

PST_FN void pst_tcbi_temporal_join(const struct pst_tcbi_temporal_params *p,
				   struct pst_ensemble *e, struct pst_member *m,
				   struct pst_tcb *t)
{
	pst_ensemble_add_cached(e, m, t, p->initial_ssthresh_bytes);
}

PST_FN void pst_tcbi_temporal_push(const struct pst_tcbi_temporal_params *p,
				   struct pst_ensemble *e, struct pst_member *m,
				   struct pst_tcb *t)
{
	pst_ensemble_follow(e, m, t, p->initial_ssthresh_bytes);
}

PST_FN void pst_tcbi_temporal_leave(const struct pst_tcbi_temporal_params *p,
				    struct pst_ensemble *e, struct pst_member *m,
				    const struct pst_tcb *t)
{
	u64 ssthresh_bytes = pst_tcb_ssthresh(t, p->initial_ssthresh_bytes);

	e->cached_cwnd_bytes = pst_tcbi_merged(e->cached_cwnd_bytes, t->cwnd.bytes);
	e->cached_ssthresh_bytes =
		pst_tcbi_merged(e->cached_ssthresh_bytes, ssthresh_bytes);
	if (t->srtt_ns) {
		e->rttvar_ns = e->srtt_ns ? pst_tcbi_merged(e->rttvar_ns, t->rttvar_ns)
					  : t->rttvar_ns;
		e->srtt_ns = pst_tcbi_merged(e->srtt_ns, t->srtt_ns);
	}
	pst_ensemble_remove(e, m);
}

#endif
