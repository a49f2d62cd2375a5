/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * FS-TCBI, fair share TCP control block interdependence: when a connection joins, all
 * members get the same window and threshold; between joins each evolves on its own.
 *
 *   cwnd     = (IW + sum of cwnd_i) / n
 *   ssthresh = (initial ssthresh + sum of ssthresh_i) / n       (Figure 5.1)
 *
 * nis-2004 section 5.2. A closing connection takes its window with it (section 5.2.5.1).
 */
#ifndef PENSTOCK_CORE_SHARING_FS_TCBI_H
#define PENSTOCK_CORE_SHARING_FS_TCBI_H

#include "ensemble.h"

#define PST_FS_TCBI_TITLE "FS-TCBI, fair share TCB interdependence"
#define PST_FS_TCBI_SOURCE "nis-2004 section 5.2"
#define PST_FS_TCBI_SCOPE PST_SCOPE_HOST
#define PST_FS_TCBI_LINUX "pst_fs_tcbi"
#define PST_FS_TCBI_PARAMS(P) PST_ENSEMBLE_PARAMS(P)

struct pst_fs_tcbi_params {
	PST_FS_TCBI_PARAMS(PST_PARAM_FIELD)
};

PST_FN void pst_fs_tcbi_join(const struct pst_fs_tcbi_params *p, struct pst_ensemble *e,
			     struct pst_member *m, struct pst_tcb *t)
{
	bool first = !e->members;

	pst_ensemble_add(e, m, t->cwnd.bytes,
			 pst_tcb_ssthresh(t, p->initial_ssthresh_bytes));
	if (first)
		return;
	pst_ensemble_tell_time(e, t);
	pst_ensemble_deal(e);
	pst_member_settle(e, m);
	pst_member_write(m, t);
}

PST_FN void pst_fs_tcbi_pull(const struct pst_fs_tcbi_params *p, struct pst_ensemble *e,
			     struct pst_member *m, struct pst_tcb *t)
{
	(void)p;
	if (m->epoch == e->epoch)
		return;
	pst_member_settle(e, m);
	pst_member_write(m, t);
}

PST_FN void pst_fs_tcbi_push(const struct pst_fs_tcbi_params *p, struct pst_ensemble *e,
			     struct pst_member *m, struct pst_tcb *t)
{
	pst_member_settle(e, m);
	pst_ensemble_follow(e, m, t, p->initial_ssthresh_bytes);
	pst_ensemble_time(e, t);
}

PST_FN void pst_fs_tcbi_leave(const struct pst_fs_tcbi_params *p,
			      struct pst_ensemble *e, struct pst_member *m,
			      const struct pst_tcb *t)
{
	(void)p;
	(void)t;
	pst_ensemble_part(e, m);
}

#endif
