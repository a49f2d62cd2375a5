/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state shared by the connections from one host to another. The ensemble belongs to
 * the host; each connection has a member and a control block, which no other connection
 * writes: a new division raises the epoch, and the others take their shares at their next
 * events.
 *
 *   cwnd_bytes = sum of the members' windows + credit_bytes,
 *
 * where a member of an older epoch counts with its share of this one. That holds after
 * every event (tests/core/sharing_test.cpp).
 */
#ifndef PENSTOCK_CORE_SHARING_ENSEMBLE_H
#define PENSTOCK_CORE_SHARING_ENSEMBLE_H

#include "../sender/sender.h"

/* The connections to one other host that form an ensemble. */
enum pst_sharing_scope {
	PST_SCOPE_HOST,
	PST_SCOPE_LAN, /* all that share their first router */
};

/* A connection's knowledge of its path: a part of its TCP control block. */
struct pst_tcb {
	struct pst_cwnd cwnd;
	u64 srtt_ns; /* 0 while none was measured */
	u64 rttvar_ns;
	u64 now_ns;	 /* the time of the event */
	u64 acked_bytes; /* by the event's ACK, if the window may grow */
	u32 mss_bytes;
	bool congested; /* the event is its law's reaction to congestion */
	bool timed_out; /* until what was sent before a timeout is acknowledged */
	bool idle;	/* nothing is unsent or unacknowledged */
};

struct pst_ensemble {
	u64 cwnd_bytes;	    /* sum of all, with the credit */
	u64 ssthresh_bytes; /* of all */
	u64 srtt_ns;	    /* 0 while none was measured */
	u64 rttvar_ns;
	u64 credit_bytes;     /* growth that no member has taken */
	u64 share_cwnd_bytes; /* of each in this epoch */
	u64 share_ssthresh_bytes;
	u64 cached_cwnd_bytes; /* of closed connections; 0 for none */
	u64 cached_ssthresh_bytes;
	u64 cached_ns;	/* when the last of them closed */
	u64 reduced_ns; /* when the ensemble last backed off as one */
	u32 members;
	u32 idle; /* of them; they have no share */
	u32 epoch;
};

struct pst_member {
	u64 cwnd_bytes;
	u64 ssthresh_bytes;
	u32 epoch;
	bool joined;
	bool idle;
};

#define PST_ENSEMBLE_PARAMS(P)                                                \
	P(initial_ssthresh_bytes, PST_BYTES, PST_IS(65535), 1, PST_MAX_BYTES, \
	  "slow start threshold with which a new member counts",              \
	  "nis-2004 section 5.2.5.1")

/* A threshold that was never set counts as @initial_bytes. */
PST_FN u64 pst_tcb_ssthresh(const struct pst_tcb *t, u64 initial_bytes)
{
	return t->cwnd.ssthresh_bytes == PST_SSTHRESH_MAX ? initial_bytes
							  : t->cwnd.ssthresh_bytes;
}

/* The member takes its share of a new division. */
PST_FN void pst_member_settle(const struct pst_ensemble *e, struct pst_member *m)
{
	if (m->epoch == e->epoch)
		return;
	m->cwnd_bytes = m->idle ? 0 : e->share_cwnd_bytes;
	m->ssthresh_bytes = m->idle ? 0 : e->share_ssthresh_bytes;
	m->epoch = e->epoch;
	PST_ENSURE(m->cwnd_bytes <= e->cwnd_bytes);
}

/*
 * Divides equally among all members that are not idle, in multiples of @unit_bytes (>= 1);
 * the remainder becomes credit.
 */
PST_FN void pst_ensemble_deal_units(struct pst_ensemble *e, u64 unit_bytes)
{
	u64 active = e->members - e->idle;

	PST_REQUIRE(unit_bytes >= 1);
	PST_REQUIRE(e->idle <= e->members);
	e->share_cwnd_bytes = e->cwnd_bytes / pst_max(active, 1);
	e->share_cwnd_bytes -= e->share_cwnd_bytes % unit_bytes;
	e->share_ssthresh_bytes = e->ssthresh_bytes / pst_max(active, 1);
	e->credit_bytes = e->cwnd_bytes - e->share_cwnd_bytes * active;
	e->epoch++;
	PST_ENSURE(e->share_cwnd_bytes * active + e->credit_bytes == e->cwnd_bytes);
	PST_ENSURE(e->share_cwnd_bytes % unit_bytes == 0);
}

PST_FN void pst_ensemble_deal(struct pst_ensemble *e)
{
	pst_ensemble_deal_units(e, 1);
}

/* A settled member whose window is @cwnd_bytes and threshold @ssthresh_bytes joins. */
PST_FN void pst_ensemble_add(struct pst_ensemble *e, struct pst_member *m,
			     u64 cwnd_bytes, u64 ssthresh_bytes)
{
	PST_REQUIRE(!m->joined);
	m->cwnd_bytes = cwnd_bytes;
	m->ssthresh_bytes = ssthresh_bytes;
	m->epoch = e->epoch;
	m->joined = true;
	e->members++;
	e->cwnd_bytes += cwnd_bytes;
	e->ssthresh_bytes += ssthresh_bytes;
	PST_ENSURE(e->members && e->cwnd_bytes >= m->cwnd_bytes);
}

/* The member becomes idle or active, and the window is divided again. */
PST_FN void pst_ensemble_ask(struct pst_ensemble *e, struct pst_member *m, bool idle)
{
	PST_REQUIRE(m->joined);
	e->idle += idle;
	e->idle -= m->idle;
	m->idle = idle;
	pst_ensemble_deal(e);
	pst_member_settle(e, m);
	PST_ENSURE(e->idle <= e->members && m->cwnd_bytes <= e->cwnd_bytes);
}

/* A member leaves with its state; credit is discarded when the last one leaves. */
PST_FN void pst_ensemble_remove(struct pst_ensemble *e, struct pst_member *m)
{
	PST_REQUIRE(m->joined && e->members);
	pst_member_settle(e, m);
	m->joined = false;
	e->members--;
	e->idle -= m->idle;
	m->idle = false;
	e->cwnd_bytes -= m->cwnd_bytes;
	e->ssthresh_bytes = pst_sub_floor(e->ssthresh_bytes, m->ssthresh_bytes);
	if (e->members)
		return;
	e->cwnd_bytes = 0;
	e->ssthresh_bytes = 0;
	e->credit_bytes = 0;
	PST_ENSURE(!e->cwnd_bytes && !e->credit_bytes && !e->idle);
}

/* A member leaves, and the last one takes the RTT along. */
PST_FN void pst_ensemble_part(struct pst_ensemble *e, struct pst_member *m)
{
	pst_ensemble_remove(e, m);
	if (!e->members)
		e->srtt_ns = e->rttvar_ns = 0;
}

/* The settled member's own law has changed its block to *t. */
PST_FN void pst_ensemble_follow(struct pst_ensemble *e, struct pst_member *m,
				const struct pst_tcb *t, u64 initial_ssthresh_bytes)
{
	u64 ssthresh_bytes = pst_tcb_ssthresh(t, initial_ssthresh_bytes);

	PST_REQUIRE(m->epoch == e->epoch && e->cwnd_bytes >= m->cwnd_bytes);
	PST_REQUIRE(t->cwnd.bytes > 0);
	e->cwnd_bytes = e->cwnd_bytes - m->cwnd_bytes + t->cwnd.bytes;
	e->ssthresh_bytes =
		pst_sub_floor(e->ssthresh_bytes, m->ssthresh_bytes) + ssthresh_bytes;
	m->cwnd_bytes = t->cwnd.bytes;
	m->ssthresh_bytes = ssthresh_bytes;
	PST_ENSURE(e->cwnd_bytes >= m->cwnd_bytes);
}

/* SRTT_AGG and RTTVAR_AGG of nis-2004 Figure 5.1: the member's new values count 1/n. */
PST_FN void pst_ensemble_time(struct pst_ensemble *e, const struct pst_tcb *t)
{
	u64 n = pst_max(e->members, 1);

	if (!t->srtt_ns)
		return;
	if (!e->srtt_ns) {
		e->srtt_ns = t->srtt_ns;
		e->rttvar_ns = t->rttvar_ns;
		return;
	}
	e->srtt_ns = e->srtt_ns / n * (n - 1) + t->srtt_ns / n;
	e->rttvar_ns = e->rttvar_ns / n * (n - 1) + t->rttvar_ns / n;
}

/* The member takes the ensemble's RTT, if there is one. */
PST_FN void pst_ensemble_tell_time(const struct pst_ensemble *e, struct pst_tcb *t)
{
	if (!e->srtt_ns)
		return;
	t->srtt_ns = e->srtt_ns;
	t->rttvar_ns = e->rttvar_ns;
}

/* A member joins with the state of earlier ones, but at least with its own window. */
PST_FN void pst_ensemble_add_cached(struct pst_ensemble *e, struct pst_member *m,
				    struct pst_tcb *t, u64 initial_ssthresh_bytes)
{
	PST_REQUIRE(t->cwnd.bytes > 0);
	if (e->cached_cwnd_bytes) {
		t->cwnd.bytes = pst_max(t->cwnd.bytes, e->cached_cwnd_bytes);
		t->cwnd.ssthresh_bytes = e->cached_ssthresh_bytes;
		pst_ensemble_tell_time(e, t);
	}
	pst_ensemble_add(e, m, t->cwnd.bytes,
			 pst_tcb_ssthresh(t, initial_ssthresh_bytes));
}

/* Copies the member's state into its block. */
PST_FN void pst_member_write(const struct pst_member *m, struct pst_tcb *t)
{
	t->cwnd.bytes = pst_max(m->cwnd_bytes, t->mss_bytes);
	t->cwnd.ssthresh_bytes = m->ssthresh_bytes;
	PST_ENSURE(t->cwnd.bytes >= t->mss_bytes);
}

#endif
