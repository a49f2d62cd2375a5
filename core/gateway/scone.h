/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The advice of a gateway by SCONE (core/packet/scone.h): the fair share of a flow in the
 * long term. It is the mean over a monitoring period of
 *
 *   C / N
 *
 * with the rate C of the link, and N as `fair` counts it, or else the law. The signal of
 * that mean holds for the next period. It is not congestion feedback: it states a long-term
 * share, not the room that the queue has now.
 *
 * The draft lets a network element change a few packets of a path in a period, so that another
 * protocol, whose datagrams look like SCONE's, loses few of them.
 */
#ifndef PENSTOCK_CORE_GATEWAY_SCONE_H
#define PENSTOCK_CORE_GATEWAY_SCONE_H

#include "../packet/scone.h"
#include "state.h"

#define PST_SCONE_PERIOD_NS (67 * PST_NS_PER_S)	/* draft, section "Monitoring Period" */
#define PST_SCONE_LOOK_NS PST_NS_PER_S		/* from one look at N to the next */
#define PST_SCONE_UNIT_SHIFT 20			/* about a millisecond */
#define PST_SCONE_PARTS 4U			/* of a period: one change in each */
#define PST_SCONE_AT_ONCE 3U			/* changes to begin with */

/* All zero at first. */
struct pst_scone {
	u64 begun_ns;		/* the period; 0 none yet */
	u64 looked_ns;
	u64 sum_bytes;		/* of the shares, times their units */
	u64 sum_units;
	u64 share_bytes_per_s;	/* of the last whole period; 0 none yet */
};

/* One direction of a UDP flow; all zero at first. */
struct pst_scone_path {
	u64 seen_ns;
	u64 credit_ns;		/* one change costs the part of a period */
};

/* True if there is an N to divide by. */
PST_FN bool pst_scone_has_share(const struct pst_gateway_config *c)
{
	return c->discipline == PST_DISCIPLINE_FAIR || pst_law_is(c->law, PST_TRAIT_LIMITS);
}

PST_FN u64 pst_scone_share(u64 rate_bytes_per_s, u64 flows_q16)
{
	return pst_mul_div(pst_min(rate_bytes_per_s, PST_MAX_BYTES), PST_Q16_ONE,
			   pst_min(flows_q16, PST_MAX_BYTES));
}

PST_FN bool pst_scone_is_due(const struct pst_scone *s, u64 now_ns)
{
	return now_ns >= s->looked_ns + PST_SCONE_LOOK_NS;
}

PST_FN void pst_scone_begin(struct pst_scone *s, u64 now_ns)
{
	s->begun_ns = now_ns;
	s->looked_ns = now_ns;
	s->sum_bytes = 0;
	s->sum_units = 0;
}

/*
 * A flow's share now, which counts for the time since the last look. Nothing is known of a
 * whole period without one.
 */
PST_FN void pst_scone_look(struct pst_scone *s, u64 share_bytes_per_s, u64 now_ns)
{
	u64 units = pst_sub_floor(now_ns, s->looked_ns) >> PST_SCONE_UNIT_SHIFT;

	if (!s->begun_ns || now_ns > s->looked_ns + PST_SCONE_PERIOD_NS) {
		s->share_bytes_per_s = 0;
		pst_scone_begin(s, now_ns);
		return;
	}
	s->sum_bytes += pst_min(share_bytes_per_s, PST_MAX_BYTES) * units;
	s->sum_units += units;
	s->looked_ns += units << PST_SCONE_UNIT_SHIFT;
	if (now_ns < s->begun_ns + PST_SCONE_PERIOD_NS || !s->sum_units)
		return;
	s->share_bytes_per_s = s->sum_bytes / s->sum_units;
	PST_ENSURE(s->share_bytes_per_s <= PST_MAX_BYTES && s->looked_ns <= now_ns);
	pst_scone_begin(s, now_ns);
}

/* The rate to advise in bit/s; 0 for no advice. At most the current rate of the link. */
PST_FN u64 pst_scone_advice_bps(const struct pst_scone *s, u64 rate_bytes_per_s)
{
	return 8 * pst_min(s->share_bytes_per_s, pst_min(rate_bytes_per_s, PST_MAX_BYTES));
}

/* True if a packet of @p may be changed now, which is then noted. */
PST_FN bool pst_scone_path_takes(struct pst_scone_path *p, u64 now_ns)
{
	u64 part_ns = PST_SCONE_PERIOD_NS / PST_SCONE_PARTS;
	u64 most_ns = PST_SCONE_AT_ONCE * part_ns;
	u64 credit_ns = most_ns;

	if (p->seen_ns)
		credit_ns = pst_min(p->credit_ns + pst_sub_floor(now_ns, p->seen_ns), most_ns);
	p->seen_ns = now_ns;
	PST_ENSURE(credit_ns <= most_ns);
	p->credit_ns = pst_sub_floor(credit_ns, part_ns);
	if (credit_ns >= part_ns)
		return true;
	p->credit_ns = credit_ns;
	return false;
}

#endif
