/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BBR version 3 (Cardwell, Swett, Beshay (ed.), "BBR Congestion Control",
 * draft-ietf-ccwg-bbr, August 2026): sends at the measured delivery rate of the network,
 * and bounds the data in flight by the amount that a probe could send without losing more
 * than 2 %.
 *
 *   Startup   doubles the rate each round until it grows no more, or losses   gain 2.77
 *   Drain     until no more than bw min_rtt is in flight, or three rounds     gain 0.5
 *   ProbeBW   DOWN, CRUISE, REFILL and UP in turn: bbr3_cycle.h
 *   ProbeRTT  half the window for 200 ms, five seconds after the last low RTT
 *
 * bbr3_model.h has the model of the path, bbr3_window.h rate and window, bbr3_loss.h the
 * response to losses.
 */
#ifndef PENSTOCK_CORE_SENDER_BBR3_H
#define PENSTOCK_CORE_SENDER_BBR3_H

#include "bbr3_cycle.h"
#include "bbr3_loss.h"
#include "bbr3_model.h"
#include "bbr3_window.h"

#define PST_BBR3_TITLE "BBR, version 3"
#define PST_BBR3_SOURCE "draft-ietf-ccwg-bbr, August 2026"

/* Section 5.3.2. */
PST_FN void pst_bbr3_check_drain(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				 const struct pst_sender_view *v)
{
	if (s->mode != PST_BBR3_DRAIN)
		return;
	if (v->delivery->in_flight_bytes <= pst_bbr3_inflight(p, s, v, s->bw_bytes_per_s) ||
	    s->rounds > s->drain_start_round + p->drain_rounds)
		pst_bbr3_start_down(p, s, v);
}

/* Section 5.3.4.4: DOWN restarts the clock, but the queue is drained already. */
PST_FN void pst_bbr3_leave_probe_rtt(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				     const struct pst_sender_view *v, struct pst_cwnd *w)
{
	if (!s->probe_rtt_end_ns || v->now_ns <= s->probe_rtt_end_ns)
		return;
	s->probe_rtt_at_ns = v->now_ns;
	pst_bbr3_restore_window(s, w);
	pst_bbr3_forget_shortterm(s);
	if (!s->full) {
		s->mode = PST_BBR3_STARTUP;
		return;
	}
	pst_bbr3_start_down(p, s, v);
	s->mode = PST_BBR3_CRUISE;
}

PST_FN void pst_bbr3_probe_rtt(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
			       const struct pst_sender_view *v, struct pst_cwnd *w)
{
	const struct pst_delivery *d = v->delivery;

	if (s->probe_rtt_end_ns) {
		s->probe_rtt_round |= s->round_start;
		if (s->probe_rtt_round)
			pst_bbr3_leave_probe_rtt(p, s, v, w);
	} else if (d->in_flight_bytes <= pst_bbr3_probe_rtt_window(p, s, v)) {
		s->probe_rtt_end_ns = v->now_ns + p->probe_rtt_ns;
		s->probe_rtt_round = 0;
		pst_bbr3_start_round(s);
	}
}

/* Section 5.3.4.3. */
PST_FN void pst_bbr3_check_probe_rtt(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				     const struct pst_sender_view *v, struct pst_cwnd *w)
{
	const struct pst_delivery *d = v->delivery;

	if (s->mode != PST_BBR3_PROBE_RTT && s->probe_rtt_expired && !s->restarting) {
		pst_bbr3_save_window(s, w);
		s->mode = PST_BBR3_PROBE_RTT;
		s->probe_rtt_end_ns = 0;
		s->acks = PST_BBR3_ACKS_STOPPING;
		pst_bbr3_start_round(s);
	}
	if (s->mode == PST_BBR3_PROBE_RTT)
		pst_bbr3_probe_rtt(p, s, v, w);
	if (d->interval_ns && d->total_bytes > d->prior_bytes)
		s->restarting = 0;
}

PST_FN void pst_bbr3_init(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
			  const struct pst_sender_view *v, struct pst_cwnd *w)
{
	s->min_rtt_ns = s->probe_rtt_min_ns = pst_min(v->srtt_ns, PST_MAX_NS);
	s->min_rtt_at_ns = s->probe_rtt_at_ns = v->now_ns;
	s->extra_start_ns = v->now_ns;
	s->longterm_bytes = PST_BBR3_NONE;
	s->up_step_bytes = PST_BBR3_NONE;
	pst_bbr3_forget_shortterm(s);
	pst_bbr3_first_rate(p, s, v, w);
}

/* Section 5.2.3, in its order. */
PST_FN void pst_bbr3_on_ack(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
			    const struct pst_sender_view *v, struct pst_cwnd *w)
{
	const struct pst_delivery *d = v->delivery;
	struct pst_bbr3_sample rs;

	if (!d)
		return;
	rs = pst_bbr3_sample_of(d);
	s->delivered_bytes = d->total_bytes;
	pst_bbr3_update_latest(s, d, &rs);
	pst_bbr3_update_congestion(p, s, v, w, &rs);
	pst_bbr3_update_extra(p, s, v, w);
	pst_bbr3_check_full(p, s, &rs);
	pst_bbr3_check_startup(p, s, v, &rs);
	pst_bbr3_check_drain(p, s, v);
	pst_bbr3_update_cycle(p, s, v, w, &rs);
	pst_bbr3_update_min_rtt(p, s, v);
	pst_bbr3_check_probe_rtt(p, s, v, w);
	pst_bbr3_advance_latest(s, &rs);
	pst_bbr3_bound_bw(s);
	if (!s->seen_rtt && v->srtt_ns)
		pst_bbr3_first_rate(p, s, v, w);
	pst_bbr3_set_rate(p, s, pst_bbr3_rate_gain(p, s));
	if (d->recovery == PST_RECOVERY_NONE && s->recovery != PST_RECOVERY_NONE)
		pst_bbr3_restore_window(s, w);
	s->recovery = d->recovery;
	pst_bbr3_set_window(p, s, v, w);
}

/*
 * on_lost handles the losses; the window is restored when the recovery is over. A mark
 * counts as a loss, and in a probe as too much loss: section 3.7 requires a response
 * without specifying one.
 */
PST_FN u64 pst_bbr3_on_congestion(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				  const struct pst_sender_view *v, const struct pst_cwnd *w,
				  enum pst_congestion why)
{
	if (why == PST_ECN) {
		pst_bbr3_note_loss(s, w);
		if (s->probe_sample)
			pst_bbr3_lower_longterm(p, s, v, w, v->flight_bytes, false);
		return w->ssthresh_bytes;
	}
	pst_bbr3_save_window(s, w);
	s->recovery = why == PST_TIMEOUT ? PST_RECOVERY_TIMEOUT : PST_RECOVERY_FAST;
	return w->ssthresh_bytes;
}

/* Section 5.4.1. */
PST_FN void pst_bbr3_on_restart(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				const struct pst_sender_view *v, struct pst_cwnd *w)
{
	s->restarting = 1;
	s->extra_start_ns = v->now_ns;
	s->extra_acked_bytes = 0;
	if (pst_bbr3_probes_bandwidth(s))
		pst_bbr3_set_rate(p, s, PST_Q16_ONE);
	else if (s->mode == PST_BBR3_PROBE_RTT)
		pst_bbr3_leave_probe_rtt(p, s, v, w);
}

PST_FN void pst_bbr3_pacing(const struct pst_bbr3_state *s, const struct pst_sender_view *v,
			    struct pst_pacing *out)
{
	out->bytes_per_s = s->pacing_bytes_per_s;
	out->burst_bytes = pst_bbr3_quantum(s, v->mss_bytes);
	out->restrained = s->mode == PST_BBR3_PROBE_RTT;
}

#endif
