/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Congestion Manager: a macroflow has its own window, independent of its members' laws,
 * and divides it equally among those that ask for it.
 *
 *   ACK, slow start            CWND_AGG += acknowledged
 *   ACK, congestion avoidance  CWND_AGG += MSS * acknowledged / CWND_AGG
 *   loss                       SSTHRESH_AGG = max(CWND_AGG / 2, 2 MSS), CWND_AGG = SSTHRESH_AGG
 *   timeout                    the same threshold, CWND_AGG = MSS
 *   each member                CWND_AGG / n, of n that have something to send
 *
 * H. Balakrishnan, S. Seshan: "The Congestion Manager", RFC 3124, 2001; nis-2004 section 4.4.
 */
#ifndef PENSTOCK_CORE_SHARING_CONGESTION_MANAGER_H
#define PENSTOCK_CORE_SHARING_CONGESTION_MANAGER_H

#include "as_one.h"

#define PST_CONGESTION_MANAGER_TITLE "Congestion Manager, one window for a macroflow"
#define PST_CONGESTION_MANAGER_SOURCE "RFC 3124; nis-2004 section 4.4"
#define PST_CONGESTION_MANAGER_SCOPE PST_SCOPE_HOST
#define PST_CONGESTION_MANAGER_LINUX "pst_cm"
#define PST_CONGESTION_MANAGER_PARAMS(P) PST_AS_ONE_PARAMS(P)

struct pst_congestion_manager_params {
	PST_CONGESTION_MANAGER_PARAMS(PST_PARAM_FIELD)
};

PST_FN void pst_congestion_manager_join(const struct pst_congestion_manager_params *p,
					struct pst_ensemble *e, struct pst_member *m,
					struct pst_tcb *t)
{
	pst_as_one_join(e, m, t, p->initial_ssthresh_bytes, p->cached_for_ns);
}

PST_FN void pst_congestion_manager_pull(const struct pst_congestion_manager_params *p,
					struct pst_ensemble *e, struct pst_member *m,
					struct pst_tcb *t)
{
	(void)p;
	if (e->members > 1 || m->epoch != e->epoch)
		pst_as_one_refresh(e, m, t);
}

/* The macroflow's window grows by the acknowledged bytes. */
PST_FN void pst_congestion_manager_grow(struct pst_ensemble *e, const struct pst_tcb *t)
{
	u64 gain_bytes = t->acked_bytes;

	if (e->cwnd_bytes >= e->ssthresh_bytes)
		gain_bytes = pst_mul_div(gain_bytes, t->mss_bytes,
					 pst_max(e->cwnd_bytes, t->mss_bytes));
	e->cwnd_bytes = pst_min(e->cwnd_bytes + gain_bytes, PST_MAX_BYTES);
}

PST_FN void pst_congestion_manager_push(const struct pst_congestion_manager_params *p,
					struct pst_ensemble *e, struct pst_member *m,
					struct pst_tcb *t)
{
	(void)p;
	pst_member_settle(e, m);
	pst_ensemble_time(e, t);
	if (!t->congested) {
		pst_congestion_manager_grow(e, t);
	} else if (pst_as_one_backs_off(e, t->now_ns)) {
		e->ssthresh_bytes = pst_max(e->cwnd_bytes / 2, 2 * (u64)t->mss_bytes);
		e->cwnd_bytes = t->timed_out ? t->mss_bytes : e->ssthresh_bytes;
	}
	/* Set even if the law has none yet: the macroflow's threshold applies. */
	t->cwnd.ssthresh_bytes = e->ssthresh_bytes;
	pst_as_one_refresh(e, m, t);
}

PST_FN void pst_congestion_manager_ask(const struct pst_congestion_manager_params *p,
				       struct pst_ensemble *e, struct pst_member *m,
				       struct pst_tcb *t)
{
	(void)p;
	pst_ensemble_ask(e, m, t->idle);
	if (!t->idle)
		pst_as_one_refresh(e, m, t);
}

PST_FN void pst_congestion_manager_leave(const struct pst_congestion_manager_params *p,
					 struct pst_ensemble *e, struct pst_member *m,
					 const struct pst_tcb *t)
{
	(void)p;
	pst_as_one_leave(e, m, t);
}

#endif
