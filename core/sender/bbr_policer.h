/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Linux' addition to BBR for token-bucket policers, which let bursts through and then drop
 * to their rate. Two intervals in sequence, each of 4 to 16 round trips, from one loss to
 * another, with 20 % lost and delivery rates within 1/8 of each other: then it sends at
 * their mean for 48 round trips, without probing.
 */
#ifndef PENSTOCK_CORE_SENDER_BBR_POLICER_H
#define PENSTOCK_CORE_SENDER_BBR_POLICER_H

#include "bbr_model.h"

#define PST_BBR_POLICER_ROUNDS 4U
#define PST_BBR_POLICER_MOST_ROUNDS (4 * PST_BBR_POLICER_ROUNDS)
#define PST_BBR_POLICED_ROUNDS 48U
#define PST_BBR_POLICER_LOSS_Q8 50U		/* lost over delivered, 20 % */
#define PST_BBR_POLICER_NEAR 8U			/* rates differ by 1/8 at most */
#define PST_BBR_POLICER_NEAR_BYTES_PER_S 500U	/* or by 4 kbit/s */
#define PST_BBR_POLICER_LEAST_NS 1000000U

PST_FN void pst_bbr_policer_begin(struct pst_bbr_state *s, const struct pst_delivery *d)
{
	s->policer_ns = d->at_ns;
	s->policer_total_bytes = d->total_bytes;
	s->policer_lost_bytes = d->total_lost_bytes;
	s->policer_rounds = 0;
}

PST_FN void pst_bbr_policer_reset(struct pst_bbr_state *s, const struct pst_delivery *d)
{
	s->policed = 0;
	s->policer_bytes_per_s = 0;
	s->policer_sampling = 0;
	pst_bbr_policer_begin(s, d);
}

PST_FN bool pst_bbr_policer_near(u64 a, u64 b)
{
	u64 apart = a > b ? a - b : b - a;

	return apart * PST_BBR_POLICER_NEAR <= b ||
	       apart <= PST_BBR_POLICER_NEAR_BYTES_PER_S;
}

/* An interval has ended in a loss. */
PST_FN void pst_bbr_policer_end(struct pst_bbr_state *s, const struct pst_delivery *d)
{
	u64 ns = pst_sub_floor(d->at_ns, s->policer_ns);
	u64 lost = d->total_lost_bytes - s->policer_lost_bytes;
	u64 delivered = d->total_bytes - s->policer_total_bytes;
	u64 rate;

	if (!delivered || lost << 8 < PST_BBR_POLICER_LOSS_Q8 * delivered ||
	    ns < PST_BBR_POLICER_LEAST_NS)
		return;
	rate = pst_bbr_rate_of(delivered, ns);
	if (s->policer_bytes_per_s && pst_bbr_policer_near(rate, s->policer_bytes_per_s)) {
		s->policer_bytes_per_s = (rate + s->policer_bytes_per_s) / 2;
		s->policed = 1;
		s->policer_rounds = 0;
		return;
	}
	s->policer_bytes_per_s = rate;
	pst_bbr_policer_begin(s, d);
}

/* True if the time at its rate is over: PROBE_BW begins again. */
PST_FN bool pst_bbr_policer_over(struct pst_bbr_state *s, const struct pst_delivery *d,
				 bool round)
{
	if (s->mode != PST_BBR_PROBE_BW || !round ||
	    ++s->policer_rounds < PST_BBR_POLICED_ROUNDS)
		return false;
	pst_bbr_policer_reset(s, d);
	return true;
}

/* As above; a timeout counts as a loss and as the end of a round. */
PST_FN bool pst_bbr_policer_update(struct pst_bbr_state *s, const struct pst_delivery *d)
{
	bool lossy = d->lost_bytes || s->timed_out;
	bool round = s->round_start || s->timed_out;

	s->timed_out = 0;
	if (s->policed)
		return pst_bbr_policer_over(s, d, round);
	if (!s->policer_sampling) {
		if (!lossy)
			return false;
		pst_bbr_policer_begin(s, d);
		s->policer_sampling = 1;
	}
	s->policer_rounds += round;
	if (d->app_limited || s->policer_rounds > PST_BBR_POLICER_MOST_ROUNDS)
		pst_bbr_policer_reset(s, d);
	else if (s->policer_rounds >= PST_BBR_POLICER_ROUNDS && lossy)
		pst_bbr_policer_end(s, d);
	return false;
}

#endif
