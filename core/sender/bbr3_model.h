/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BBR version 3: its parameters, its state, and its model of the path. Section numbers are
 * those of draft-ietf-ccwg-bbr of August 2026.
 *
 *   max_bw   the largest delivery rate of this cycle of ProbeBW and the one before
 *   bw       max_bw, or less after losses: bw_shortterm
 *   min_rtt  the least RTT of ten seconds
 *
 * A bound that is not set is PST_BBR3_NONE, the draft's Infinity.
 */
#ifndef PENSTOCK_CORE_SENDER_BBR3_MODEL_H
#define PENSTOCK_CORE_SENDER_BBR3_MODEL_H

#include "bbr3_tables.h"
#include "bbr_model.h"
#include "max_filter.h"
#include "sender.h"

/* RS of section 4.1: a sample from the newest segment that an ACK delivers, or from a lost one. */
struct pst_bbr3_sample {
	u64 bytes_per_s;	/* 0: no sample */
	u64 delivered_bytes;
	u64 lost_bytes;		/* since the segment left */
	u64 in_flight_bytes;	/* when it left, with it */
	bool app_limited;
	bool selective;		/* there may be several losses in a round trip */
};

PST_FN struct pst_bbr3_sample pst_bbr3_sample_of(const struct pst_delivery *d)
{
	struct pst_bbr3_sample rs = {
		0, 0, 0, 0, d->app_limited, d->selective,
	};

	if (!d->interval_ns)
		return rs;
	rs.delivered_bytes = pst_sub_floor(d->total_bytes, d->prior_bytes);
	rs.bytes_per_s = pst_bbr_rate_of(rs.delivered_bytes, d->interval_ns);
	rs.lost_bytes = d->newest_lost_bytes;
	rs.in_flight_bytes = d->newest_in_flight_bytes;
	return rs;
}

PST_FN u64 pst_bbr3_max_bw(const struct pst_bbr3_state *s)
{
	return pst_max(s->cycle_bytes_per_s, s->last_cycle_bytes_per_s);
}

PST_FN bool pst_bbr3_probes_bandwidth(const struct pst_bbr3_state *s)
{
	return s->mode >= PST_BBR3_DOWN && s->mode <= PST_BBR3_UP;
}

/* Section 5.5.1. */
PST_FN void pst_bbr3_start_round(struct pst_bbr3_state *s)
{
	s->round_end_bytes = s->delivered_bytes;
}

PST_FN void pst_bbr3_update_round(struct pst_bbr3_state *s, const struct pst_delivery *d)
{
	s->round_start = d->interval_ns && d->prior_bytes >= s->round_end_bytes;
	if (!s->round_start)
		return;
	pst_bbr3_start_round(s);
	s->rounds++;
	s->rounds_since_probe++;
}

/* Section 5.5.5: what the application limited counts only if it is not below the estimate. */
PST_FN void pst_bbr3_update_max_bw(struct pst_bbr3_state *s, const struct pst_bbr3_sample *rs)
{
	if (rs->bytes_per_s >= pst_bbr3_max_bw(s) || !rs->app_limited)
		s->cycle_bytes_per_s = pst_max(s->cycle_bytes_per_s, rs->bytes_per_s);
}

/* Section 5.5.6. A cycle without a sample leaves the filter as it is, as in Linux. */
PST_FN void pst_bbr3_advance_max_bw(struct pst_bbr3_state *s)
{
	if (!s->cycle_bytes_per_s)
		return;
	s->last_cycle_bytes_per_s = s->cycle_bytes_per_s;
	s->cycle_bytes_per_s = 0;
}

/* Section 5.3.1.2: is the pipe full? */
PST_FN void pst_bbr3_look_for_full(struct pst_bbr3_state *s, u64 bytes_per_s)
{
	s->full_bytes_per_s = bytes_per_s;
	s->full_rounds = 0;
	s->full_now = 0;
}

PST_FN void pst_bbr3_check_full(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				const struct pst_bbr3_sample *rs)
{
	if (s->full_now || !s->round_start || rs->app_limited)
		return;
	if (rs->bytes_per_s >= pst_bbr_scaled(s->full_bytes_per_s, p->full_gain_q16)) {
		pst_bbr3_look_for_full(s, rs->bytes_per_s);
		return;
	}
	s->full_now = ++s->full_rounds >= p->full_rounds;
	s->full |= s->full_now;
}

/* Section 5.5.10.3: the largest samples of a round that a loss began. */
PST_FN void pst_bbr3_update_latest(struct pst_bbr3_state *s, const struct pst_delivery *d,
				   const struct pst_bbr3_sample *rs)
{
	s->bw_latest_bytes_per_s = pst_max(s->bw_latest_bytes_per_s, rs->bytes_per_s);
	s->latest_bytes = pst_max(s->latest_bytes, rs->delivered_bytes);
	s->loss_round_start = d->interval_ns && d->prior_bytes >= s->loss_round_end_bytes;
	if (s->loss_round_start)
		s->loss_round_end_bytes = d->total_bytes;
}

PST_FN void pst_bbr3_advance_latest(struct pst_bbr3_state *s, const struct pst_bbr3_sample *rs)
{
	if (!s->loss_round_start)
		return;
	s->bw_latest_bytes_per_s = rs->bytes_per_s;
	s->latest_bytes = rs->delivered_bytes;
}

PST_FN void pst_bbr3_forget_congestion(struct pst_bbr3_state *s)
{
	s->loss_in_round = 0;
	s->bw_latest_bytes_per_s = 0;
	s->latest_bytes = 0;
}

PST_FN void pst_bbr3_forget_shortterm(struct pst_bbr3_state *s)
{
	s->bw_shortterm_bytes_per_s = PST_BBR3_NONE;
	s->shortterm_bytes = PST_BBR3_NONE;
}

PST_FN void pst_bbr3_bound_bw(struct pst_bbr3_state *s)
{
	s->bw_bytes_per_s = pst_min(pst_bbr3_max_bw(s), s->bw_shortterm_bytes_per_s);
}

/* Section 5.5.9: by how much ACKs exceeded bw, at most, in ten rounds (in Startup, one). */
PST_FN void pst_bbr3_update_extra(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				  const struct pst_sender_view *v, const struct pst_cwnd *w)
{
	struct pst_max_filter f = {
		s->extra_bytes, s->extra_at, s->extra_second_bytes, s->extra_second_at,
		s->extra_third_bytes, s->extra_third_at,
	};
	u64 ns = pst_min(pst_sub_floor(v->now_ns, s->extra_start_ns), PST_MAX_NS);
	u64 expected = pst_mul_div(s->bw_bytes_per_s, ns, PST_NS_PER_S);

	if (s->extra_acked_bytes <= expected) {
		s->extra_acked_bytes = 0;
		s->extra_start_ns = v->now_ns;
		expected = 0;
	}
	s->extra_acked_bytes = pst_min(s->extra_acked_bytes + v->delivery->acked_bytes,
				       PST_MAX_BYTES);
	pst_max_filter_add(&f, s->full ? p->extra_rounds : 1, s->rounds,
			   pst_min(pst_sub_floor(s->extra_acked_bytes, expected), w->bytes));
	s->extra_bytes = f.best;
	s->extra_at = f.best_at;
	s->extra_second_bytes = f.second;
	s->extra_second_at = f.second_at;
	s->extra_third_bytes = f.third;
	s->extra_third_at = f.third_at;
}

/* Section 5.3.4.3. A sample below the least of five seconds is a new one for ten seconds. */
PST_FN void pst_bbr3_update_min_rtt(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				    const struct pst_sender_view *v)
{
	u64 rtt_ns = pst_min(v->delivery->rtt_ns, PST_MAX_NS);

	s->probe_rtt_expired =
		pst_sub_floor(v->now_ns, s->probe_rtt_at_ns) > p->probe_rtt_interval_ns;
	if (rtt_ns && (!s->probe_rtt_min_ns || rtt_ns < s->probe_rtt_min_ns ||
		       s->probe_rtt_expired)) {
		s->probe_rtt_min_ns = rtt_ns;
		s->probe_rtt_at_ns = v->now_ns;
	}
	if (s->probe_rtt_min_ns && (!s->min_rtt_ns || s->probe_rtt_min_ns < s->min_rtt_ns ||
				    pst_sub_floor(v->now_ns, s->min_rtt_at_ns) > p->min_rtt_ns)) {
		s->min_rtt_ns = s->probe_rtt_min_ns;
		s->min_rtt_at_ns = s->probe_rtt_at_ns;
	}
}

#endif
