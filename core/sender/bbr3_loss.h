/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BBR version 3: what losses change, draft-ietf-ccwg-bbr section 5.5.10.
 *
 *   Startup           ends after a round of recovery with more than 2 % in six ranges
 *   REFILL and UP     more than 2 % of what was in flight: inflight_longterm is what was in
 *                     flight when they became so many, at least 0.7 of the target
 *   all others        bw_shortterm and inflight_shortterm fall to what was delivered in the
 *                     round, at most to 0.7 of what they were
 */
#ifndef PENSTOCK_CORE_SENDER_BBR3_LOSS_H
#define PENSTOCK_CORE_SENDER_BBR3_LOSS_H

#include "bbr3_cycle.h"

PST_FN void pst_bbr3_note_loss(struct pst_bbr3_state *s, const struct pst_cwnd *w)
{
	if (!s->loss_in_round) {
		s->loss_round_end_bytes = s->delivered_bytes;
		pst_bbr3_save_window(s, w);
	}
	s->loss_in_round = 1;
}

/* The data in flight when the losses became too many, perhaps within the segment. */
PST_FN u64 pst_bbr3_inflight_at_loss(const struct pst_bbr3_params *p,
				     const struct pst_lost_segment *l)
{
	u64 before = pst_sub_floor(l->sent_in_flight_bytes, l->bytes);
	u64 lost = pst_sub_floor(l->lost_bytes, l->bytes);
	u64 allowed = pst_bbr_scaled(before, p->loss_thresh_q16);

	return before + pst_mul_div(pst_sub_floor(allowed, lost), PST_Q16_ONE,
				    PST_Q16_ONE - p->loss_thresh_q16);
}

PST_FN void pst_bbr3_lower_longterm(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				    const struct pst_sender_view *v, const struct pst_cwnd *w,
				    u64 in_flight, bool app_limited)
{
	s->probe_too_high = 1;
	s->probe_sample = 0;
	if (!app_limited)
		s->longterm_bytes = pst_max(
			in_flight, pst_bbr_scaled(pst_bbr3_target(s, v, w), p->beta_q16));
	if (s->mode == PST_BBR3_UP)
		pst_bbr3_start_down(p, s, v);
}

/* HandleLostPacket(). */
PST_FN void pst_bbr3_on_lost(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
			     const struct pst_sender_view *v, const struct pst_cwnd *w,
			     const struct pst_lost_segment *l)
{
	struct pst_bbr3_sample rs = {
		0, 0, l->lost_bytes, l->sent_in_flight_bytes, l->app_limited,
		v->delivery->selective,
	};

	s->delivered_bytes = v->delivery->total_bytes;
	pst_bbr3_note_loss(s, w);
	s->loss_ranges += l->begins_range;
	if (s->probe_sample && pst_bbr3_is_too_high(p, &rs))
		pst_bbr3_lower_longterm(p, s, v, w, pst_bbr3_inflight_at_loss(p, l),
					l->app_limited);
}

PST_FN void pst_bbr3_lower_shortterm(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				     const struct pst_cwnd *w)
{
	u64 bw = s->bw_shortterm_bytes_per_s, inflight = s->shortterm_bytes;

	if (bw == PST_BBR3_NONE)
		bw = pst_bbr3_max_bw(s);
	if (inflight == PST_BBR3_NONE)
		inflight = w->bytes;
	s->bw_shortterm_bytes_per_s =
		pst_max(s->bw_latest_bytes_per_s, pst_bbr_scaled(bw, p->beta_q16));
	s->shortterm_bytes = pst_max(s->latest_bytes, pst_bbr_scaled(inflight, p->beta_q16));
}

/* UpdateCongestionSignals(): at the end of a round with losses. */
PST_FN void pst_bbr3_update_congestion(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				       const struct pst_sender_view *v, const struct pst_cwnd *w,
				       const struct pst_bbr3_sample *rs)
{
	bool probes = s->mode == PST_BBR3_STARTUP || s->mode == PST_BBR3_REFILL ||
		      s->mode == PST_BBR3_UP;

	pst_bbr3_update_round(s, v->delivery);
	pst_bbr3_update_max_bw(s, rs);
	if (!s->loss_round_start)
		return;
	if (!probes && s->loss_in_round)
		pst_bbr3_lower_shortterm(p, s, w);
	s->loss_in_round = 0;
}

/* Section 5.3.1.3: a recovery that was under way before this ACK has lasted for the round. */
PST_FN bool pst_bbr3_startup_lost_much(const struct pst_bbr3_params *p,
				       const struct pst_bbr3_state *s,
				       const struct pst_delivery *d,
				       const struct pst_bbr3_sample *rs)
{
	if (s->mode != PST_BBR3_STARTUP || s->recovery != PST_RECOVERY_FAST)
		return false;
	if (!d->selective)
		return d->lost_bytes > 0;
	return s->loss_round_start && s->loss_ranges >= p->startup_losses &&
	       pst_bbr3_is_too_high(p, rs);
}

PST_FN void pst_bbr3_check_startup(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				   const struct pst_sender_view *v,
				   const struct pst_bbr3_sample *rs)
{
	if (pst_bbr3_startup_lost_much(p, s, v->delivery, rs)) {
		s->full = s->full_now = 1;
		s->longterm_bytes = pst_max(pst_bbr3_bdp(s, v, s->bw_bytes_per_s, PST_Q16_ONE),
					    s->latest_bytes);
	}
	if (s->loss_round_start)
		s->loss_ranges = 0;
	if (s->mode != PST_BBR3_STARTUP || !s->full)
		return;
	s->mode = PST_BBR3_DRAIN;
	s->drain_start_round = s->rounds;
}

#endif
