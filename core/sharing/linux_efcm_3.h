/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Linux EFCM III: Linux EFCM I without members that retransmit after a timeout. A member
 * whose timer expires leaves the ensemble with its window, continues under its own law,
 * and rejoins with its window and threshold when all data sent before is acknowledged.
 *
 * nis-2004 section 10.3.3 (3).
 */
#ifndef PENSTOCK_CORE_SHARING_LINUX_EFCM_3_H
#define PENSTOCK_CORE_SHARING_LINUX_EFCM_3_H

#include "efcm.h"

#define PST_LINUX_EFCM_3_TITLE \
	"Linux EFCM III, Linux EFCM I without members in a timeout"
#define PST_LINUX_EFCM_3_SOURCE "nis-2004 section 10.3.3"
#define PST_LINUX_EFCM_3_SCOPE PST_SCOPE_HOST
#define PST_LINUX_EFCM_3_LINUX "pst_lin_efcm_3"
#define PST_LINUX_EFCM_3_PARAMS(P) PST_ENSEMBLE_PARAMS(P)

struct pst_linux_efcm_3_params {
	PST_LINUX_EFCM_3_PARAMS(PST_PARAM_FIELD)
};

PST_FN void pst_linux_efcm_3_join(const struct pst_linux_efcm_3_params *p,
				  struct pst_ensemble *e, struct pst_member *m,
				  struct pst_tcb *t)
{
	pst_efcm_enter(e, m, t, p->initial_ssthresh_bytes, t->mss_bytes);
}

PST_FN void pst_linux_efcm_3_pull(const struct pst_linux_efcm_3_params *p,
				  struct pst_ensemble *e, struct pst_member *m,
				  struct pst_tcb *t)
{
	(void)p;
	if (m->joined)
		pst_efcm_refresh(e, m, t, t->mss_bytes);
}

PST_FN void pst_linux_efcm_3_push(const struct pst_linux_efcm_3_params *p,
				  struct pst_ensemble *e, struct pst_member *m,
				  struct pst_tcb *t)
{
	if (t->timed_out) {
		if (m->joined)
			pst_ensemble_remove(e, m);
	} else if (m->joined) {
		pst_efcm_move(e, m, t, p->initial_ssthresh_bytes, t->mss_bytes);
	} else {
		pst_efcm_enter(e, m, t, p->initial_ssthresh_bytes, t->mss_bytes);
	}
}

PST_FN void pst_linux_efcm_3_leave(const struct pst_linux_efcm_3_params *p,
				   struct pst_ensemble *e, struct pst_member *m,
				   const struct pst_tcb *t)
{
	(void)p;
	if (m->joined)
		pst_efcm_quit(e, m, t->mss_bytes);
}

#endif
