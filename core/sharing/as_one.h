/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ensembles that are no more aggressive than one connection: they have the window of one
 * connection, of which all members have an equal part. It is cached for some time after
 * the last member has closed.
 *
 *   join    the first brings its window, or takes the cached one; others bring none
 *   loss    the ensemble backs off once per round trip, whichever member reports it
 *   leave   the others get its part; that of the last member is cached
 */
#ifndef PENSTOCK_CORE_SHARING_AS_ONE_H
#define PENSTOCK_CORE_SHARING_AS_ONE_H

#include "ensemble.h"

#define PST_AS_ONE_PARAMS(P)                                                \
	PST_ENSEMBLE_PARAMS(P)                                              \
	P(cached_for_ns, PST_NS, PST_IS(60 * 1000000000ULL), 0, PST_MAX_NS, \
	  "how long an ensemble without members is remembered", "ours")

/* The member's window before its law changed it: at least a segment. */
PST_FN u64 pst_as_one_held(const struct pst_member *m, const struct pst_tcb *t)
{
	return pst_max(m->cwnd_bytes, t->mss_bytes);
}

/* The member's equal part, in its block. */
PST_FN void pst_as_one_refresh(struct pst_ensemble *e, struct pst_member *m,
			       struct pst_tcb *t)
{
	bool unset = t->cwnd.ssthresh_bytes == PST_SSTHRESH_MAX;

	pst_ensemble_deal(e);
	pst_member_settle(e, m);
	/* The remainder goes to the member whose event it is. */
	m->cwnd_bytes += e->credit_bytes;
	e->credit_bytes = 0;
	pst_member_write(m, t);
	if (e->members > 1)
		pst_ensemble_tell_time(e, t);
	else if (unset)
		t->cwnd.ssthresh_bytes = PST_SSTHRESH_MAX;
}

PST_FN void pst_as_one_join(struct pst_ensemble *e, struct pst_member *m,
			    struct pst_tcb *t, u64 initial_ssthresh_bytes,
			    u64 cached_for_ns)
{
	if (e->members) {
		pst_ensemble_add(e, m, 0, 0);
	} else {
		if (e->cached_cwnd_bytes && t->now_ns - e->cached_ns <= cached_for_ns) {
			t->cwnd.bytes = pst_max(t->cwnd.bytes, e->cached_cwnd_bytes);
			t->cwnd.ssthresh_bytes = e->cached_ssthresh_bytes;
		}
		pst_ensemble_add(e, m, t->cwnd.bytes,
				 pst_tcb_ssthresh(t, initial_ssthresh_bytes));
	}
	pst_ensemble_time(e, t);
	pst_as_one_refresh(e, m, t);
}

PST_FN void pst_as_one_leave(struct pst_ensemble *e, struct pst_member *m,
			     const struct pst_tcb *t)
{
	u64 cwnd_bytes = e->cwnd_bytes, ssthresh_bytes = e->ssthresh_bytes;

	pst_ensemble_remove(e, m);
	if (e->members) {
		e->cwnd_bytes = cwnd_bytes;
		e->ssthresh_bytes = ssthresh_bytes;
		pst_ensemble_deal(e);
		return;
	}
	e->cached_cwnd_bytes = cwnd_bytes;
	e->cached_ssthresh_bytes = ssthresh_bytes;
	e->cached_ns = t->now_ns;
	e->srtt_ns = e->rttvar_ns = 0;
}

/* Whether the ensemble backs off: once per congestion event. */
PST_FN bool pst_as_one_backs_off(struct pst_ensemble *e, u64 now_ns)
{
	if (e->members > 1 && now_ns - e->reduced_ns < e->srtt_ns)
		return false;
	e->reduced_ns = now_ns;
	return true;
}

#endif
