/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BBR version 3: rate, quantum and window, draft-ietf-ccwg-bbr section 5.6.
 *
 *   rate    0.99 gain bw
 *   window  gain bw min_rtt + extra_acked, at least three quanta and four segments,
 *           within inflight_longterm (CRUISE and ProbeRTT: 0.85 of it) and inflight_shortterm
 */
#ifndef PENSTOCK_CORE_SENDER_BBR3_WINDOW_H
#define PENSTOCK_CORE_SENDER_BBR3_WINDOW_H

#include "bbr3_model.h"

PST_FN u64 pst_bbr3_rate_gain(const struct pst_bbr3_params *p, const struct pst_bbr3_state *s)
{
	switch (s->mode) {
	case PST_BBR3_STARTUP:
		return p->startup_gain_q16;
	case PST_BBR3_DRAIN:
		return p->drain_gain_q16;
	case PST_BBR3_DOWN:
		return p->down_gain_q16;
	case PST_BBR3_UP:
		return p->up_gain_q16;
	default:
		return PST_Q16_ONE;
	}
}

PST_FN u64 pst_bbr3_window_gain(const struct pst_bbr3_params *p, const struct pst_bbr3_state *s)
{
	if (s->mode == PST_BBR3_UP)
		return p->up_window_gain_q16;
	return s->mode == PST_BBR3_PROBE_RTT ? p->probe_rtt_gain_q16 : p->window_gain_q16;
}

/*
 * Section 5.6.2. Until the pipe is full the rate only rises. The first one holds until there is a
 * sample of the bandwidth: startup may end before, by a loss that SACK does not report.
 */
PST_FN u64 pst_bbr3_pacing_rate(const struct pst_bbr3_params *p, u64 bytes_per_s, u64 gain_q16)
{
	return pst_bbr_scaled(pst_bbr_scaled(bytes_per_s, gain_q16), p->pacing_q16);
}

PST_FN void pst_bbr3_first_rate(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				const struct pst_sender_view *v, const struct pst_cwnd *w)
{
	u64 rtt_ns = v->srtt_ns ? v->srtt_ns : PST_BBR3_ASSUMED_RTT_NS;

	s->seen_rtt = v->srtt_ns > 0;
	s->pacing_bytes_per_s =
		pst_bbr_scaled(pst_bbr_rate_of(w->bytes, rtt_ns), p->startup_gain_q16);
}

PST_FN void pst_bbr3_set_rate(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
			      u64 gain_q16)
{
	u64 rate = pst_bbr3_pacing_rate(p, s->bw_bytes_per_s, gain_q16);

	if (rate > s->pacing_bytes_per_s || (s->full && rate))
		s->pacing_bytes_per_s = rate;
	PST_ENSURE(s->pacing_bytes_per_s > 0);
}

/* Section 5.6.3. */
PST_FN u64 pst_bbr3_quantum(const struct pst_bbr3_state *s, u64 mss)
{
	return pst_max(pst_min(s->pacing_bytes_per_s / PST_BBR3_QUANTUM_PER_S,
			       PST_BBR3_QUANTUM_BYTES),
		       2 * mss);
}

/* gain bw min_rtt; without an RTT the initial window. */
PST_FN u64 pst_bbr3_bdp(const struct pst_bbr3_state *s, const struct pst_sender_view *v,
			u64 bytes_per_s, u64 gain_q16)
{
	if (!s->min_rtt_ns)
		return (u64)PST_BBR3_INITIAL_PKTS * v->mss_bytes;
	return pst_min(pst_mul_div(pst_bbr_scaled(bytes_per_s, gain_q16), s->min_rtt_ns,
				   PST_NS_PER_S),
		       PST_MAX_BYTES);
}

/* Section 5.6.4.2, QuantizationBudget. */
PST_FN u64 pst_bbr3_with_budget(const struct pst_bbr3_params *p, const struct pst_bbr3_state *s,
				const struct pst_sender_view *v, u64 bytes)
{
	u64 mss = v->mss_bytes;

	bytes = pst_max(bytes, 3 * pst_bbr3_quantum(s, mss));
	bytes = pst_max(bytes, p->least_pkts * mss);
	return s->mode == PST_BBR3_UP ? bytes + 2 * mss : bytes;
}

PST_FN u64 pst_bbr3_inflight(const struct pst_bbr3_params *p, const struct pst_bbr3_state *s,
			     const struct pst_sender_view *v, u64 bytes_per_s)
{
	return pst_bbr3_with_budget(p, s, v, pst_bbr3_bdp(s, v, bytes_per_s, PST_Q16_ONE));
}

/* Section 5.3.3.9: inflight_longterm less the headroom left to others. */
PST_FN u64 pst_bbr3_with_headroom(const struct pst_bbr3_params *p, const struct pst_bbr3_state *s,
				  u64 mss)
{
	u64 headroom;

	if (s->longterm_bytes == PST_BBR3_NONE)
		return PST_BBR3_NONE;
	headroom = pst_max(mss, pst_bbr_scaled(s->longterm_bytes, p->headroom_q16));
	return pst_max(pst_sub_floor(s->longterm_bytes, headroom), p->least_pkts * mss);
}

PST_FN u64 pst_bbr3_probe_rtt_window(const struct pst_bbr3_params *p,
				     const struct pst_bbr3_state *s,
				     const struct pst_sender_view *v)
{
	return pst_max(pst_bbr3_bdp(s, v, s->bw_bytes_per_s, p->probe_rtt_gain_q16),
		       p->least_pkts * v->mss_bytes);
}

/* Section 5.6.4.7. */
PST_FN u64 pst_bbr3_cap(const struct pst_bbr3_params *p, const struct pst_bbr3_state *s, u64 mss)
{
	u64 cap = PST_BBR3_NONE;

	if (s->mode == PST_BBR3_CRUISE || s->mode == PST_BBR3_PROBE_RTT)
		cap = pst_bbr3_with_headroom(p, s, mss);
	else if (pst_bbr3_probes_bandwidth(s))
		cap = s->longterm_bytes;
	return pst_max(pst_min(cap, s->shortterm_bytes), p->least_pkts * mss);
}

/* Section 5.6.4.4. */
PST_FN void pst_bbr3_save_window(struct pst_bbr3_state *s, const struct pst_cwnd *w)
{
	if (s->recovery == PST_RECOVERY_NONE && s->mode != PST_BBR3_PROBE_RTT)
		s->prior_bytes = w->bytes;
	else
		s->prior_bytes = pst_max(s->prior_bytes, w->bytes);
}

PST_FN void pst_bbr3_restore_window(const struct pst_bbr3_state *s, struct pst_cwnd *w)
{
	w->bytes = pst_max(w->bytes, s->prior_bytes);
}

/* Section 5.6.4.6. */
PST_FN void pst_bbr3_set_window(const struct pst_bbr3_params *p, struct pst_bbr3_state *s,
				const struct pst_sender_view *v, struct pst_cwnd *w)
{
	const struct pst_delivery *d = v->delivery;
	u64 initial = (u64)PST_BBR3_INITIAL_PKTS * v->mss_bytes;
	u64 most = pst_bbr3_with_budget(
		p, s, v,
		pst_bbr3_bdp(s, v, s->bw_bytes_per_s, pst_bbr3_window_gain(p, s)) + s->extra_bytes);

	if (s->full)
		w->bytes = pst_min(w->bytes + d->acked_bytes, most);
	else if (w->bytes < most || d->total_bytes < initial)
		w->bytes += d->acked_bytes;
	w->bytes = pst_max(w->bytes, p->least_pkts * v->mss_bytes);
	if (s->mode == PST_BBR3_PROBE_RTT)
		w->bytes = pst_min(w->bytes, pst_bbr3_probe_rtt_window(p, s, v));
	w->bytes = pst_min(w->bytes, pst_bbr3_cap(p, s, v->mss_bytes));
}

#endif
