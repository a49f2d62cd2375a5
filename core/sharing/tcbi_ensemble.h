/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ensemble sharing of TCP control blocks: a new connection starts with the mean state of
 * the open ones, whose own state is unchanged.
 *
 *   new = mean of the members, for cwnd at least the initial window
 *
 * J. Touch, M. Welzl, S. Islam: "TCP Control Block Interdependence", RFC 9040, 2021,
 * section 7; nis-2004 section 3.3.4.
 */
#ifndef PENSTOCK_CORE_SHARING_TCBI_ENSEMBLE_H
#define PENSTOCK_CORE_SHARING_TCBI_ENSEMBLE_H

#include "ensemble.h"

#define PST_TCBI_ENSEMBLE_TITLE "ensemble TCB interdependence"
#define PST_TCBI_ENSEMBLE_SOURCE "RFC 9040 section 7; nis-2004 section 3.3.4"
#define PST_TCBI_ENSEMBLE_SCOPE PST_SCOPE_HOST
#define PST_TCBI_ENSEMBLE_LINUX "pst_tcbi_ens"
#define PST_TCBI_ENSEMBLE_PARAMS(P) PST_ENSEMBLE_PARAMS(P)

struct pst_tcbi_ensemble_params {
	PST_TCBI_ENSEMBLE_PARAMS(PST_PARAM_FIELD)
};

PST_FN void pst_tcbi_ensemble_join(const struct pst_tcbi_ensemble_params *p,
				   struct pst_ensemble *e, struct pst_member *m,
				   struct pst_tcb *t)
{
	if (e->members) {
		t->cwnd.bytes = pst_max(t->cwnd.bytes, e->cwnd_bytes / e->members);
		t->cwnd.ssthresh_bytes = e->ssthresh_bytes / e->members;
		pst_ensemble_tell_time(e, t);
	}
	pst_ensemble_add(e, m, t->cwnd.bytes,
			 pst_tcb_ssthresh(t, p->initial_ssthresh_bytes));
}

PST_FN void pst_tcbi_ensemble_push(const struct pst_tcbi_ensemble_params *p,
				   struct pst_ensemble *e, struct pst_member *m,
				   struct pst_tcb *t)
{
	pst_ensemble_follow(e, m, t, p->initial_ssthresh_bytes);
	pst_ensemble_time(e, t);
}

PST_FN void pst_tcbi_ensemble_leave(const struct pst_tcbi_ensemble_params *p,
				    struct pst_ensemble *e, struct pst_member *m,
				    const struct pst_tcb *t)
{
	(void)p;
	(void)t;
	pst_ensemble_part(e, m);
}

#endif
