/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ensemble TCP: the members' own law changes the window of the ensemble as it would
 * change that of one connection.
 *
 *   ACK, slow start            CWND_AGG += what the law adds
 *   ACK, congestion avoidance  CWND_AGG += what the law adds * cwnd_i / CWND_AGG
 *   loss                       CWND_AGG and SSTHRESH_AGG shrink in the law's proportion
 *
 * L. Eggert, J. Heidemann, J. Touch: "Effects of Ensemble-TCP", ACM SIGCOMM Computer
 * Communication Review 30(1), 2000; nis-2004 section 4.3.
 */
#ifndef PENSTOCK_CORE_SHARING_ENSEMBLE_TCP_H
#define PENSTOCK_CORE_SHARING_ENSEMBLE_TCP_H

#include "as_one.h"

#define PST_ENSEMBLE_TCP_TITLE \
	"Ensemble TCP, an ensemble as aggressive as one connection"
#define PST_ENSEMBLE_TCP_SOURCE "Eggert, Heidemann and Touch 2000; nis-2004 section 4.3"
#define PST_ENSEMBLE_TCP_SCOPE PST_SCOPE_HOST
#define PST_ENSEMBLE_TCP_LINUX "pst_ens_tcp"
#define PST_ENSEMBLE_TCP_PARAMS(P) PST_AS_ONE_PARAMS(P)

struct pst_ensemble_tcp_params {
	PST_ENSEMBLE_TCP_PARAMS(PST_PARAM_FIELD)
};

PST_FN void pst_ensemble_tcp_join(const struct pst_ensemble_tcp_params *p,
				  struct pst_ensemble *e, struct pst_member *m,
				  struct pst_tcb *t)
{
	pst_as_one_join(e, m, t, p->initial_ssthresh_bytes, p->cached_for_ns);
}

PST_FN void pst_ensemble_tcp_pull(const struct pst_ensemble_tcp_params *p,
				  struct pst_ensemble *e, struct pst_member *m,
				  struct pst_tcb *t)
{
	(void)p;
	if (e->members > 1 || m->epoch != e->epoch)
		pst_as_one_refresh(e, m, t);
}

/* The ensemble's window after the settled member's law has changed its part. */
PST_FN void pst_ensemble_tcp_grow(struct pst_ensemble *e, const struct pst_member *m,
				  const struct pst_tcb *t)
{
	u64 held_bytes = pst_as_one_held(m, t);
	u64 gain_bytes = pst_sub_floor(t->cwnd.bytes, held_bytes);

	if (e->cwnd_bytes >= e->ssthresh_bytes)
		gain_bytes = pst_mul_div(gain_bytes, held_bytes,
					 pst_max(e->cwnd_bytes, held_bytes));
	e->cwnd_bytes = pst_min(e->cwnd_bytes + gain_bytes, PST_MAX_BYTES);
}

PST_FN void pst_ensemble_tcp_shrink(struct pst_ensemble *e, const struct pst_member *m,
				    const struct pst_tcb *t)
{
	u64 held_bytes = pst_as_one_held(m, t);
	u64 all_bytes = pst_max(e->cwnd_bytes, t->mss_bytes);
	u64 cwnd_bytes = pst_mul_div(all_bytes, t->cwnd.bytes, held_bytes);
	u64 ssthresh_bytes = pst_mul_div(all_bytes, t->cwnd.ssthresh_bytes, held_bytes);

	e->cwnd_bytes = pst_max(cwnd_bytes, t->mss_bytes);
	e->ssthresh_bytes = pst_max(ssthresh_bytes, 2 * (u64)t->mss_bytes);
}

PST_FN void pst_ensemble_tcp_push(const struct pst_ensemble_tcp_params *p,
				  struct pst_ensemble *e, struct pst_member *m,
				  struct pst_tcb *t)
{
	pst_member_settle(e, m);
	pst_ensemble_time(e, t);
	if (e->members == 1) {
		pst_ensemble_follow(e, m, t, p->initial_ssthresh_bytes);
		return;
	}
	if (!t->congested)
		pst_ensemble_tcp_grow(e, m, t);
	else if (pst_as_one_backs_off(e, t->now_ns))
		pst_ensemble_tcp_shrink(e, m, t);
	pst_as_one_refresh(e, m, t);
}

PST_FN void pst_ensemble_tcp_leave(const struct pst_ensemble_tcp_params *p,
				   struct pst_ensemble *e, struct pst_member *m,
				   const struct pst_tcb *t)
{
	(void)p;
	pst_as_one_leave(e, m, t);
}

#endif
