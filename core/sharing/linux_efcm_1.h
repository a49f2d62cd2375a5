/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Linux EFCM I: EFCM with windows of whole segments.
 *
 *   cwnd_i = floor(CWND_AGG / n)                                       (10.2)
 *
 * and one more segment for those with the smallest windows, in turn, until the remainder
 * (10.3) is less than a segment.
 *
 * nis-2004 section 10.3.3 (1).
 */
#ifndef PENSTOCK_CORE_SHARING_LINUX_EFCM_1_H
#define PENSTOCK_CORE_SHARING_LINUX_EFCM_1_H

#include "efcm.h"

#define PST_LINUX_EFCM_1_TITLE "Linux EFCM I, EFCM in whole segments"
#define PST_LINUX_EFCM_1_SOURCE "nis-2004 section 10.3.3, eq. 10.2, 10.3"
#define PST_LINUX_EFCM_1_SCOPE PST_SCOPE_HOST
#define PST_LINUX_EFCM_1_LINUX "pst_lin_efcm_1"
#define PST_LINUX_EFCM_1_PARAMS(P) PST_ENSEMBLE_PARAMS(P)

struct pst_linux_efcm_1_params {
	PST_LINUX_EFCM_1_PARAMS(PST_PARAM_FIELD)
};

PST_FN void pst_linux_efcm_1_join(const struct pst_linux_efcm_1_params *p,
				  struct pst_ensemble *e, struct pst_member *m,
				  struct pst_tcb *t)
{
	pst_efcm_enter(e, m, t, p->initial_ssthresh_bytes, t->mss_bytes);
}

PST_FN void pst_linux_efcm_1_pull(const struct pst_linux_efcm_1_params *p,
				  struct pst_ensemble *e, struct pst_member *m,
				  struct pst_tcb *t)
{
	(void)p;
	pst_efcm_refresh(e, m, t, t->mss_bytes);
}

PST_FN void pst_linux_efcm_1_push(const struct pst_linux_efcm_1_params *p,
				  struct pst_ensemble *e, struct pst_member *m,
				  struct pst_tcb *t)
{
	pst_efcm_move(e, m, t, p->initial_ssthresh_bytes, t->mss_bytes);
}

PST_FN void pst_linux_efcm_1_leave(const struct pst_linux_efcm_1_params *p,
				   struct pst_ensemble *e, struct pst_member *m,
				   const struct pst_tcb *t)
{
	(void)p;
	pst_efcm_quit(e, m, t->mss_bytes);
}

#endif
