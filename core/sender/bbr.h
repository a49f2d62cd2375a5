/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BBR version 1 (Cardwell, Cheng, Hassas Yeganeh, Jacobson, "BBR Congestion Control",
 * draft-cardwell-iccrg-bbr-congestion-control-00, 2017), as in Linux' tcp_bbr: sends at the
 * measured delivery rate of the network, regardless of losses.
 *
 *   STARTUP    doubles the rate each round, until BtlBw grows no more     gain 2.89
 *   DRAIN      until no more is in flight than BtlBw RTprop               gain 0.34
 *   PROBE_BW   phases of one RTprop                  gains 1.25, 0.75 and six of 1
 *   PROBE_RTT  four segments for 200 ms, when RTprop is ten seconds old
 *
 * bbr_model.h has BtlBw and RTprop, bbr_window.h rate and window, bbr_policer.h Linux'
 * response to policers.
 */
#ifndef PENSTOCK_CORE_SENDER_BBR_H
#define PENSTOCK_CORE_SENDER_BBR_H

#include "bbr_model.h"
#include "bbr_policer.h"
#include "bbr_window.h"

#define PST_BBR_TITLE "BBR, version 1"
#define PST_BBR_SOURCE "draft-cardwell-iccrg-bbr-congestion-control-00; Linux' tcp_bbr"

PST_FN u64 pst_bbr_phase_gain(const struct pst_bbr_params *p, const struct pst_bbr_state *s)
{
	if (s->policed || s->phase > 1)
		return PST_Q16_ONE;
	return s->phase ? p->yield_gain_q16 : p->probe_gain_q16;
}

PST_FN u64 pst_bbr_rate_gain(const struct pst_bbr_params *p, const struct pst_bbr_state *s)
{
	switch (s->mode) {
	case PST_BBR_STARTUP:
		return p->high_gain_q16;
	case PST_BBR_DRAIN:
		return p->drain_gain_q16;
	case PST_BBR_PROBE_BW:
		return pst_bbr_phase_gain(p, s);
	default:
		return PST_Q16_ONE;
	}
}

PST_FN u64 pst_bbr_window_gain(const struct pst_bbr_params *p, const struct pst_bbr_state *s)
{
	switch (s->mode) {
	case PST_BBR_PROBE_BW:
		return p->window_gain_q16;
	case PST_BBR_PROBE_RTT:
		return PST_Q16_ONE;
	default:
		return p->high_gain_q16;
	}
}

/* Any phase but the one that yields, at random, so that flows do not probe together. */
PST_FN void pst_bbr_enter_probe_bw(struct pst_bbr_state *s, const struct pst_sender_view *v)
{
	u64 turn = (v->secret + (s->rounds & 0xffffffffU) * PST_GOLDEN_Q32) & 0xffffffffU;
	u64 random = turn * PST_GOLDEN_Q32 & 0xffffffffU;
	u64 back = random * (PST_BBR_PHASES - 1) >> 32;

	s->mode = PST_BBR_PROBE_BW;
	s->phase = (PST_BBR_PHASES - back) % PST_BBR_PHASES;
	s->phase_ns = v->delivery ? v->delivery->at_ns : v->now_ns;
}

PST_FN void pst_bbr_leave_probe_rtt(struct pst_bbr_state *s, const struct pst_sender_view *v,
				    struct pst_cwnd *w)
{
	if (!s->probe_end_ns || v->now_ns <= s->probe_end_ns)
		return;
	s->min_rtt_at_ns = v->now_ns;
	w->bytes = pst_max(w->bytes, s->prior_bytes);
	if (s->full)
		pst_bbr_enter_probe_bw(s, v);
	else
		s->mode = PST_BBR_STARTUP;
}

/* A phase above 1 goes on until its share is in flight, or lost; one below, until drained. */
PST_FN bool pst_bbr_phase_is_over(const struct pst_bbr_params *p, const struct pst_bbr_state *s,
				  const struct pst_sender_view *v)
{
	const struct pst_delivery *d = v->delivery;
	bool whole = pst_sub_floor(d->at_ns, s->phase_ns) > s->min_rtt_ns;
	u64 gain = pst_bbr_phase_gain(p, s);
	u64 in_network;

	if (gain == PST_Q16_ONE)
		return whole;
	in_network = pst_bbr_in_network(s, v, d->before_bytes, gain > PST_Q16_ONE);
	if (gain > PST_Q16_ONE)
		return whole && (d->lost_bytes || in_network >= pst_bbr_inflight(s, v, gain));
	return whole || in_network <= pst_bbr_inflight(s, v, PST_Q16_ONE);
}

PST_FN void pst_bbr_update_phase(const struct pst_bbr_params *p, struct pst_bbr_state *s,
				 const struct pst_sender_view *v)
{
	if (s->mode != PST_BBR_PROBE_BW || !pst_bbr_phase_is_over(p, s, v))
		return;
	s->phase = (s->phase + 1) % PST_BBR_PHASES;
	s->phase_ns = v->delivery->at_ns;
}

PST_FN void pst_bbr_check_drain(struct pst_bbr_state *s, const struct pst_sender_view *v)
{
	if (s->mode == PST_BBR_STARTUP && s->full)
		s->mode = PST_BBR_DRAIN;
	if (s->mode == PST_BBR_DRAIN &&
	    pst_bbr_in_network(s, v, v->delivery->in_flight_bytes, false) <=
		    pst_bbr_inflight(s, v, PST_Q16_ONE))
		pst_bbr_enter_probe_bw(s, v);
}

/* 200 ms and a round trip with no more than four segments in flight. */
PST_FN void pst_bbr_probe_rtt(const struct pst_bbr_params *p, struct pst_bbr_state *s,
			      const struct pst_sender_view *v, struct pst_cwnd *w)
{
	const struct pst_delivery *d = v->delivery;

	if (s->probe_end_ns) {
		s->probe_round |= s->round_start;
		if (s->probe_round)
			pst_bbr_leave_probe_rtt(s, v, w);
	} else if (d->in_flight_bytes <= p->least_pkts * v->mss_bytes) {
		s->probe_end_ns = v->now_ns + p->probe_rtt_ns;
		s->probe_round = 0;
		s->round_end_bytes = d->total_bytes;
	}
}

PST_FN void pst_bbr_update_min_rtt(const struct pst_bbr_params *p, struct pst_bbr_state *s,
				   const struct pst_sender_view *v, struct pst_cwnd *w)
{
	const struct pst_delivery *d = v->delivery;
	bool old = pst_sub_floor(v->now_ns, s->min_rtt_at_ns) > p->rtt_window_ns;

	if (d->rtt_ns && (old || !s->min_rtt_ns || d->rtt_ns <= s->min_rtt_ns)) {
		s->min_rtt_ns = pst_min(d->rtt_ns, PST_MAX_NS);
		s->min_rtt_at_ns = v->now_ns;
	}
	if (p->probe_rtt_ns && old && !s->restarting && s->mode != PST_BBR_PROBE_RTT) {
		pst_bbr_save_window(s, w);
		s->mode = PST_BBR_PROBE_RTT;
		s->probe_end_ns = 0;
	}
	if (s->mode == PST_BBR_PROBE_RTT)
		pst_bbr_probe_rtt(p, s, v, w);
	if (d->interval_ns && d->total_bytes > d->prior_bytes)
		s->restarting = 0;
}

PST_FN void pst_bbr_init(const struct pst_bbr_params *p, struct pst_bbr_state *s,
			 const struct pst_sender_view *v, struct pst_cwnd *w)
{
	s->min_rtt_ns = pst_min(v->min_rtt_ns, PST_MAX_NS);
	s->min_rtt_at_ns = v->now_ns;
	s->epoch_ns = v->now_ns;
	pst_bbr_first_rate(p, s, v, w);
}

PST_FN void pst_bbr_on_ack(const struct pst_bbr_params *p, struct pst_bbr_state *s,
			   const struct pst_sender_view *v, struct pst_cwnd *w)
{
	const struct pst_delivery *d = v->delivery;

	if (!d)
		return;
	pst_bbr_update_round(s, d);
	if (p->policer && d->interval_ns && pst_bbr_policer_update(s, d))
		pst_bbr_enter_probe_bw(s, v);
	pst_bbr_update_bandwidth(p, s, d);
	pst_bbr_update_extra(p, s, v, w);
	pst_bbr_update_phase(p, s, v);
	pst_bbr_check_full(p, s, d);
	pst_bbr_check_drain(s, v);
	pst_bbr_update_min_rtt(p, s, v, w);
	pst_bbr_set_rate(p, s, v, w, pst_bbr_rate_gain(p, s));
	pst_bbr_set_window(p, s, v, w, pst_bbr_window_gain(p, s));
}

/* Losses do not change the model; ssthresh is not used. */
PST_FN u64 pst_bbr_on_congestion(const struct pst_bbr_params *p, struct pst_bbr_state *s,
				 const struct pst_sender_view *v, const struct pst_cwnd *w,
				 enum pst_congestion why)
{
	(void)p;
	(void)v;
	pst_bbr_save_window(s, w);
	if (why == PST_TIMEOUT) {
		s->recovery = PST_RECOVERY_TIMEOUT;
		s->full_bytes_per_s = 0;
		s->timed_out = 1;
	}
	return w->ssthresh_bytes;
}

/* After a pause, at BtlBw: more would only fill queues. */
PST_FN void pst_bbr_on_restart(const struct pst_bbr_params *p, struct pst_bbr_state *s,
			       const struct pst_sender_view *v, struct pst_cwnd *w)
{
	s->restarting = 1;
	s->epoch_ns = v->now_ns;
	s->epoch_bytes = 0;
	if (s->mode == PST_BBR_PROBE_BW)
		pst_bbr_set_rate(p, s, v, w, PST_Q16_ONE);
	else if (s->mode == PST_BBR_PROBE_RTT)
		pst_bbr_leave_probe_rtt(s, v, w);
}

PST_FN void pst_bbr_pacing(const struct pst_bbr_state *s, const struct pst_sender_view *v,
			   struct pst_pacing *out)
{
	out->bytes_per_s = s->pacing_bytes_per_s;
	out->burst_bytes = pst_bbr_burst_bytes(s, v->mss_bytes);
	out->restrained = s->mode == PST_BBR_PROBE_RTT;
}

#endif
