/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BBR version 3: the cycle of ProbeBW, draft-ietf-ccwg-bbr section 5.3.3.
 *
 *   DOWN    until headroom is free and no more than bw min_rtt is in flight  gain 0.9
 *   CRUISE  until it is time to probe                                        gain 1
 *   REFILL  for a round, without the short-term bounds                       gain 1
 *   UP      until the pipe is full or more than 2 % are lost                 gain 1.25
 *
 * A probe that lost too much lowers inflight_longterm, and the next one is cautious: it ends
 * where that bound is reached; if it lost nothing, another follows at once.
 */
#ifndef PENSTOCK_CORE_SENDER_BBR3_CYCLE_H
#define PENSTOCK_CORE_SENDER_BBR3_CYCLE_H

#include "bbr3_window.h"

/* Section 5.3.3.8.3: at random, so that flows do not probe together. */
PST_FN void pst_bbr3_pick_wait(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
			       const struct pst_sender_view *v)
{
	u64 turn = (v->secret + (s->rounds & 0xffffffffU) * PST_GOLDEN_Q32) & 0xffffffffU;
	u64 random = turn * PST_GOLDEN_Q32 & 0xffffffffU;

	s->rounds_since_probe = random >> 31;
	s->probe_wait_ns = p->probe_wait_ns +
			   pst_mul_div(random << 1 & 0xffffffffU, p->probe_jitter_ns, PST_Q32_ONE);
}

PST_FN void pst_bbr3_start_down(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				const struct pst_sender_view *v)
{
	pst_bbr3_forget_congestion(s);
	s->up_step_bytes = PST_BBR3_NONE;
	pst_bbr3_pick_wait(p, s, v);
	s->cycle_ns = v->now_ns;
	s->acks = PST_BBR3_ACKS_STOPPING;
	pst_bbr3_start_round(s);
	s->mode = PST_BBR3_DOWN;
}

PST_FN void pst_bbr3_start_refill(struct pst_bbr3_state *s)
{
	pst_bbr3_forget_shortterm(s);
	s->up_rounds = 0;
	s->up_acked_bytes = 0;
	s->probe_cautious = 0;
	s->acks = PST_BBR3_ACKS_REFILLING;
	pst_bbr3_start_round(s);
	s->mode = PST_BBR3_REFILL;
}

/* By a segment in the first round, twice as many in each one after it. */
PST_FN void pst_bbr3_raise_slope(struct pst_bbr3_state *s, u64 cwnd, u64 mss)
{
	s->up_step_bytes = pst_max(cwnd >> pst_min(s->up_rounds, PST_BBR3_UP_ROUNDS), mss);
	s->up_rounds = pst_min(s->up_rounds + 1, PST_BBR3_UP_ROUNDS);
}

PST_FN void pst_bbr3_start_up(struct pst_bbr3_state *s, const struct pst_sender_view *v,
			      const struct pst_cwnd *w, const struct pst_bbr3_sample *rs)
{
	s->acks = PST_BBR3_ACKS_STARTING;
	pst_bbr3_start_round(s);
	pst_bbr3_look_for_full(s, rs->bytes_per_s);
	s->mode = PST_BBR3_UP;
	pst_bbr3_raise_slope(s, w->bytes, v->mss_bytes);
}

PST_FN u64 pst_bbr3_target(const struct pst_bbr3_state *s, const struct pst_sender_view *v,
			   const struct pst_cwnd *w)
{
	return pst_min(pst_bbr3_bdp(s, v, s->bw_bytes_per_s, PST_Q16_ONE), w->bytes);
}

/* After two to three seconds, or when Reno would have grown as much. */
PST_FN bool pst_bbr3_is_time_to_probe(const struct pst_bbr3_params *p,
				      const struct pst_bbr3_state *s,
				      const struct pst_sender_view *v, const struct pst_cwnd *w)
{
	u64 reno = pst_bbr3_target(s, v, w) / v->mss_bytes;

	return pst_sub_floor(v->now_ns, s->cycle_ns) > s->probe_wait_ns ||
	       s->rounds_since_probe >= pst_min(reno, p->reno_rounds);
}

PST_FN bool pst_bbr3_is_drained(const struct pst_bbr3_params *p, const struct pst_bbr3_state *s,
				const struct pst_sender_view *v)
{
	u64 flight = v->delivery->in_flight_bytes;

	return flight <= pst_bbr3_with_headroom(p, s, v->mss_bytes) &&
	       flight <= pst_bbr3_inflight(p, s, v, pst_bbr3_max_bw(s));
}

PST_FN bool pst_bbr3_is_time_to_go_down(struct pst_bbr3_state *s, const struct pst_sender_view *v,
					const struct pst_cwnd *w,
					const struct pst_bbr3_sample *rs)
{
	const struct pst_delivery *d = v->delivery;

	if (s->probe_too_high && d->in_flight_bytes >= s->longterm_bytes) {
		s->probe_cautious = 1;
		return true;
	}
	if (d->cwnd_limited && w->bytes >= s->longterm_bytes) {
		pst_bbr3_look_for_full(s, rs->bytes_per_s);
		return false;
	}
	return s->full_now;
}

PST_FN bool pst_bbr3_is_too_high(const struct pst_bbr3_params *p,
				 const struct pst_bbr3_sample *rs)
{
	if (!rs->selective && rs->lost_bytes)
		return true;
	return rs->lost_bytes > pst_bbr_scaled(rs->in_flight_bytes, p->loss_thresh_q16);
}

PST_FN void pst_bbr3_raise_longterm(struct pst_bbr3_state *s, const struct pst_sender_view *v,
				    const struct pst_cwnd *w)
{
	const struct pst_delivery *d = v->delivery;
	u64 steps;

	if (!d->cwnd_limited || w->bytes < s->longterm_bytes)
		return;
	s->up_acked_bytes = pst_min(s->up_acked_bytes + d->acked_bytes, PST_MAX_BYTES);
	steps = s->up_acked_bytes / s->up_step_bytes;
	s->up_acked_bytes -= steps * s->up_step_bytes;
	s->longterm_bytes = pst_min(s->longterm_bytes + steps * v->mss_bytes, PST_BBR3_NONE);
	if (s->round_start)
		pst_bbr3_raise_slope(s, w->bytes, v->mss_bytes);
}

/* The end of the round after UP. True if another probe begins. */
PST_FN bool pst_bbr3_end_of_probe(struct pst_bbr3_state *s, const struct pst_bbr3_sample *rs)
{
	s->probe_sample = 0;
	s->acks = PST_BBR3_ACKS_INIT;
	if (!pst_bbr3_probes_bandwidth(s))
		return false;
	if (!rs->app_limited)
		pst_bbr3_advance_max_bw(s);
	if (!s->probe_cautious || s->probe_too_high)
		return false;
	pst_bbr3_start_refill(s);
	return true;
}

/* AdaptLongTermModel(). True if it has decided the state. */
PST_FN bool pst_bbr3_adapt_longterm(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				    const struct pst_sender_view *v, const struct pst_cwnd *w,
				    const struct pst_bbr3_sample *rs)
{
	if (s->acks == PST_BBR3_ACKS_STARTING && s->round_start)
		s->acks = PST_BBR3_ACKS_FEEDBACK;
	if (s->acks == PST_BBR3_ACKS_STOPPING && s->round_start && pst_bbr3_end_of_probe(s, rs))
		return true;
	if (pst_bbr3_is_too_high(p, rs) || s->longterm_bytes == PST_BBR3_NONE)
		return false;
	s->longterm_bytes = pst_max(s->longterm_bytes, rs->in_flight_bytes);
	if (s->mode == PST_BBR3_UP)
		pst_bbr3_raise_longterm(s, v, w);
	return false;
}

/* UpdateProbeBWCyclePhase(). */
PST_FN void pst_bbr3_update_cycle(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				  const struct pst_sender_view *v, const struct pst_cwnd *w,
				  const struct pst_bbr3_sample *rs)
{
	if (!s->full || pst_bbr3_adapt_longterm(p, s, v, w, rs))
		return;
	switch (s->mode) {
	case PST_BBR3_DOWN:
	case PST_BBR3_CRUISE:
		if (pst_bbr3_is_time_to_probe(p, s, v, w))
			pst_bbr3_start_refill(s);
		else if (s->mode == PST_BBR3_DOWN && pst_bbr3_is_drained(p, s, v))
			s->mode = PST_BBR3_CRUISE;
		return;
	case PST_BBR3_REFILL:
		if (!s->round_start)
			return;
		s->probe_sample = 1;
		pst_bbr3_start_up(s, v, w, rs);
		return;
	case PST_BBR3_UP:
		if (!pst_bbr3_is_time_to_go_down(s, v, w, rs))
			return;
		s->probe_too_high = 0;
		pst_bbr3_start_down(p, s, v);
		return;
	default:
		return;
	}
}

#endif
