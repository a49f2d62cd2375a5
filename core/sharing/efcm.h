/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * EFCM, ensemble flow congestion management: all members always have the same window,
 * threshold and round trip.
 *
 *   join   CWND_AGG += IW, SSTHRESH_AGG += initial ssthresh; all get the mean
 *   ACK    CWND_AGG += what the member's own law adds; one member gets it, of those
 *          with the least window (ensemble ACK clocking)
 *   loss   CWND_AGG -= what the law takes, SSTHRESH_AGG as it changes; all get the mean
 *   leave  the others get what it had
 *   SRTT_AGG = (n - 1) / n SRTT_AGG + 1 / n SRTT_j, RTTVAR likewise    (Figure 5.1)
 *
 * nis-2004 section 5.3. Figure 5.1 has CWND_AGG(T_k) on both sides; the right-hand side
 * must be CWND_AGG(T_(k-1)).
 */
#ifndef PENSTOCK_CORE_SHARING_EFCM_H
#define PENSTOCK_CORE_SHARING_EFCM_H

#include "ensemble.h"

#define PST_EFCM_TITLE "EFCM, ensemble flow congestion management"
#define PST_EFCM_SOURCE "nis-2004 section 5.3"
#define PST_EFCM_SCOPE PST_SCOPE_HOST
#define PST_EFCM_LINUX "pst_efcm"
#define PST_EFCM_PARAMS(P) PST_ENSEMBLE_PARAMS(P)

struct pst_efcm_params {
	PST_EFCM_PARAMS(PST_PARAM_FIELD)
};

/* A single member is not rounded. */
PST_FN u64 pst_efcm_unit(const struct pst_ensemble *e, u64 unit_bytes)
{
	return e->members > 1 ? unit_bytes : 1;
}

/*
 * The member takes credit, unless its window is above the mean: whole segments go to one
 * member after another. Accumulated credit, as in slow start, is handed out up to n times
 * faster.
 */
PST_FN void pst_efcm_take(struct pst_ensemble *e, struct pst_member *m, u32 mss_bytes,
			  u64 unit_bytes)
{
	u64 held_bytes = e->cwnd_bytes - e->credit_bytes;
	u64 most_bytes = pst_max(mss_bytes, e->credit_bytes / pst_max(e->members, 1));
	u64 step = pst_min(e->credit_bytes, most_bytes);

	if (m->cwnd_bytes * e->members > held_bytes)
		return;
	step -= step % pst_efcm_unit(e, unit_bytes);
	m->cwnd_bytes += step;
	e->credit_bytes -= step;
}

/*
 * The member takes its share into its block. A single member behaves as an unshared
 * connection.
 */
PST_FN void pst_efcm_refresh(struct pst_ensemble *e, struct pst_member *m,
			     struct pst_tcb *t, u64 unit_bytes)
{
	bool unset = t->cwnd.ssthresh_bytes == PST_SSTHRESH_MAX;

	pst_member_settle(e, m);
	pst_efcm_take(e, m, t->mss_bytes, unit_bytes);
	pst_member_write(m, t);
	if (e->members > 1)
		pst_ensemble_tell_time(e, t);
	else if (unset)
		t->cwnd.ssthresh_bytes = PST_SSTHRESH_MAX;
}

/* The member joins with the window of its block; all get the mean. */
PST_FN void pst_efcm_enter(struct pst_ensemble *e, struct pst_member *m,
			   struct pst_tcb *t, u64 initial_ssthresh_bytes,
			   u64 unit_bytes)
{
	pst_ensemble_time(e, t);
	pst_ensemble_add(e, m, t->cwnd.bytes,
			 pst_tcb_ssthresh(t, initial_ssthresh_bytes));
	pst_ensemble_deal_units(e, pst_efcm_unit(e, unit_bytes));
	pst_efcm_refresh(e, m, t, unit_bytes);
}

/* The member's own law has changed its block. */
PST_FN void pst_efcm_move(struct pst_ensemble *e, struct pst_member *m,
			  struct pst_tcb *t, u64 initial_ssthresh_bytes, u64 unit_bytes)
{
	u64 ssthresh_bytes = pst_tcb_ssthresh(t, initial_ssthresh_bytes);
	bool fell, moved;

	pst_member_settle(e, m);
	fell = t->cwnd.bytes < m->cwnd_bytes;
	moved = ssthresh_bytes != m->ssthresh_bytes;
	if (!fell) {
		e->cwnd_bytes += t->cwnd.bytes - m->cwnd_bytes;
		e->credit_bytes += t->cwnd.bytes - m->cwnd_bytes;
		t->cwnd.bytes = m->cwnd_bytes;
	}
	pst_ensemble_follow(e, m, t, initial_ssthresh_bytes);
	pst_ensemble_time(e, t);
	if (fell || moved)
		pst_ensemble_deal_units(e, pst_efcm_unit(e, unit_bytes));
	pst_efcm_refresh(e, m, t, unit_bytes);
}

/* The member leaves, and the others get its window. */
PST_FN void pst_efcm_quit(struct pst_ensemble *e, struct pst_member *m, u64 unit_bytes)
{
	u64 cwnd_bytes, ssthresh_bytes;

	pst_member_settle(e, m);
	cwnd_bytes = m->cwnd_bytes;
	ssthresh_bytes = m->ssthresh_bytes;
	pst_ensemble_part(e, m);
	if (!e->members)
		return;
	e->cwnd_bytes += cwnd_bytes;
	e->ssthresh_bytes += ssthresh_bytes;
	pst_ensemble_deal_units(e, pst_efcm_unit(e, unit_bytes));
}

PST_FN void pst_efcm_join(const struct pst_efcm_params *p, struct pst_ensemble *e,
			  struct pst_member *m, struct pst_tcb *t)
{
	pst_efcm_enter(e, m, t, p->initial_ssthresh_bytes, 1);
}

PST_FN void pst_efcm_pull(const struct pst_efcm_params *p, struct pst_ensemble *e,
			  struct pst_member *m, struct pst_tcb *t)
{
	(void)p;
	pst_efcm_refresh(e, m, t, 1);
}

PST_FN void pst_efcm_push(const struct pst_efcm_params *p, struct pst_ensemble *e,
			  struct pst_member *m, struct pst_tcb *t)
{
	pst_efcm_move(e, m, t, p->initial_ssthresh_bytes, 1);
}

PST_FN void pst_efcm_leave(const struct pst_efcm_params *p, struct pst_ensemble *e,
			   struct pst_member *m, const struct pst_tcb *t)
{
	(void)p;
	(void)t;
	pst_efcm_quit(e, m, 1);
}

#endif
