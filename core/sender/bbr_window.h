/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BBR's rate, bursts and window:
 *
 *   rate    0.99 gain BtlBw
 *   burst   what leaves in 1 ms, at least two segments (one below 1.2 Mbit/s)
 *   window  gain BtlBw RTprop + extra + 3 bursts, rounded up to an even number of segments
 *
 * extra is the most by which ACKs of the last five to ten rounds exceeded BtlBw. A recovery
 * begins with a round of packet conservation: what is delivered may be sent. Then the
 * window grows by the delivered data; after the recovery it has its previous value again.
 */
#ifndef PENSTOCK_CORE_SENDER_BBR_WINDOW_H
#define PENSTOCK_CORE_SENDER_BBR_WINDOW_H

#include "bbr_model.h"

#define PST_BBR_SLOW_BYTES_PER_S 150000U	/* 1.2 Mbit/s */
#define PST_BBR_BURST_SHIFT 10			/* 1/1024 of a second */
#define PST_BBR_BURST_BYTES 65536U
#define PST_BBR_EXTRA_ROUNDS 5U
#define PST_BBR_EXTRA_NS 100000000U		/* at most what BtlBw carries in 100 ms */
#define PST_BBR_EPOCH_PKTS 1048576U
#define PST_BBR_ASSUMED_RTT_NS 1000000U

PST_FN u64 pst_bbr_pacing_rate(const struct pst_bbr_params *p, u64 bytes_per_s, u64 gain_q16)
{
	return pst_bbr_scaled(pst_bbr_scaled(bytes_per_s, gain_q16), p->pacing_q16);
}

/* high_gain * window / RTT, before anything was measured. */
PST_FN void pst_bbr_first_rate(const struct pst_bbr_params *p, struct pst_bbr_state *s,
			       const struct pst_sender_view *v, const struct pst_cwnd *w)
{
	u64 rtt_ns = v->srtt_ns ? v->srtt_ns : PST_BBR_ASSUMED_RTT_NS;

	PST_REQUIRE(w->bytes > 0);
	s->seen_rtt = v->srtt_ns > 0;
	s->pacing_bytes_per_s =
		pst_bbr_pacing_rate(p, pst_bbr_rate_of(w->bytes, rtt_ns), p->high_gain_q16);
	PST_ENSURE(s->pacing_bytes_per_s <= PST_MAX_BYTES);
}

/* Until the pipe is full the rate only rises. */
PST_FN void pst_bbr_set_rate(const struct pst_bbr_params *p, struct pst_bbr_state *s,
			     const struct pst_sender_view *v, const struct pst_cwnd *w,
			     u64 gain_q16)
{
	u64 rate = pst_bbr_pacing_rate(p, pst_bbr_bandwidth(s), gain_q16);

	PST_REQUIRE(w->bytes > 0);
	if (!s->seen_rtt && v->srtt_ns)
		pst_bbr_first_rate(p, s, v, w);
	if (s->full || rate > s->pacing_bytes_per_s)
		s->pacing_bytes_per_s = rate;
	PST_ENSURE(s->pacing_bytes_per_s <= PST_MAX_BYTES);
}

PST_FN u64 pst_bbr_burst_bytes(const struct pst_bbr_state *s, u64 mss)
{
	u64 least = s->pacing_bytes_per_s < PST_BBR_SLOW_BYTES_PER_S ? 1 : 2;
	u64 bytes = pst_min(s->pacing_bytes_per_s >> PST_BBR_BURST_SHIFT, PST_BBR_BURST_BYTES);

	PST_REQUIRE(mss > 0);
	return pst_max(bytes / mss, least) * mss;
}

/* Room for bursts at both ends; the phase that probes gets two segments more. */
PST_FN u64 pst_bbr_with_bursts(const struct pst_bbr_state *s, const struct pst_sender_view *v,
			       u64 bytes)
{
	u64 mss = v->mss_bytes;

	bytes = pst_round_up(bytes + 3 * pst_bbr_burst_bytes(s, mss), 2 * mss);
	if (s->mode == PST_BBR_PROBE_BW && !s->phase)
		bytes += 2 * mss;
	PST_ENSURE(bytes >= 2 * mss);
	return bytes;
}

/* What should be in the network at a gain. */
PST_FN u64 pst_bbr_inflight(const struct pst_bbr_state *s, const struct pst_sender_view *v,
			    u64 gain_q16)
{
	return pst_bbr_with_bursts(s, v, pst_bbr_bdp(s, v, s->best_bytes_per_s, gain_q16));
}

/* The data in flight when the next segment leaves; @more with the burst of that segment. */
PST_FN u64 pst_bbr_in_network(const struct pst_bbr_state *s, const struct pst_sender_view *v,
			      u64 bytes, bool more)
{
	u64 wait_ns = pst_min(v->delivery->wait_ns, PST_MAX_NS);

	if (more)
		bytes += pst_bbr_burst_bytes(s, v->mss_bytes);
	return pst_sub_floor(bytes, pst_mul_div(pst_bbr_bandwidth(s), wait_ns, PST_NS_PER_S));
}

PST_FN void pst_bbr_update_extra(const struct pst_bbr_params *p, struct pst_bbr_state *s,
				 const struct pst_sender_view *v, const struct pst_cwnd *w)
{
	const struct pst_delivery *d = v->delivery;
	u64 expected, most = (u64)PST_BBR_EPOCH_PKTS * v->mss_bytes;

	if (!p->aggregation || !d->acked_bytes || !d->interval_ns)
		return;
	if (s->round_start && ++s->extra_rounds >= PST_BBR_EXTRA_ROUNDS) {
		s->extra_rounds = 0;
		s->extra_before_bytes = s->extra_bytes;
		s->extra_bytes = 0;
	}
	expected = pst_mul_div(pst_bbr_bandwidth(s),
			       pst_min(pst_sub_floor(d->at_ns, s->epoch_ns), PST_MAX_NS),
			       PST_NS_PER_S);
	if (s->epoch_bytes <= expected || s->epoch_bytes + d->acked_bytes >= most) {
		s->epoch_bytes = 0;
		s->epoch_ns = d->at_ns;
		expected = 0;
	}
	s->epoch_bytes = pst_min(s->epoch_bytes + d->acked_bytes, most);
	s->extra_bytes = pst_max(s->extra_bytes,
				 pst_min(pst_sub_floor(s->epoch_bytes, expected), w->bytes));
	PST_ENSURE(s->epoch_bytes <= most);
}

PST_FN u64 pst_bbr_extra(const struct pst_bbr_params *p, const struct pst_bbr_state *s)
{
	if (!p->aggregation || !s->full)
		return 0;
	return pst_min(pst_max(s->extra_bytes, s->extra_before_bytes),
		       pst_mul_div(pst_bbr_bandwidth(s), PST_BBR_EXTRA_NS, PST_NS_PER_S));
}

/* Before a recovery or PROBE_RTT cuts the window. */
PST_FN void pst_bbr_save_window(struct pst_bbr_state *s, const struct pst_cwnd *w)
{
	PST_REQUIRE(w->bytes > 0);
	if (s->recovery == PST_RECOVERY_NONE && s->mode != PST_BBR_PROBE_RTT)
		s->prior_bytes = w->bytes;
	else
		s->prior_bytes = pst_max(s->prior_bytes, w->bytes);
	PST_ENSURE(s->prior_bytes >= w->bytes);
}

/* The window by recovery; true if packets are conserved, so that it is final. */
PST_FN bool pst_bbr_recover(struct pst_bbr_state *s, const struct pst_sender_view *v, u64 *cwnd)
{
	const struct pst_delivery *d = v->delivery;
	u64 kept = d->in_flight_bytes + d->acked_bytes;
	u64 before = s->recovery;

	s->recovery = d->recovery;
	*cwnd = pst_max(pst_sub_floor(*cwnd, d->lost_bytes), v->mss_bytes);
	if (d->recovery == PST_RECOVERY_FAST && before != PST_RECOVERY_FAST) {
		s->conserving = 1;
		s->round_end_bytes = d->total_bytes;
		*cwnd = kept;
	} else if (d->recovery == PST_RECOVERY_NONE && before != PST_RECOVERY_NONE) {
		s->conserving = 0;
		*cwnd = pst_max(*cwnd, s->prior_bytes);
	}
	if (s->conserving)
		*cwnd = pst_max(*cwnd, kept);
	PST_ENSURE(*cwnd >= (s->conserving ? kept : 0ULL));
	return s->conserving;
}

PST_FN u64 pst_bbr_next_window(const struct pst_bbr_params *p, struct pst_bbr_state *s,
			       const struct pst_sender_view *v, u64 cwnd, u64 gain_q16)
{
	const struct pst_delivery *d = v->delivery;
	u64 initial = (u64)PST_BBR_INITIAL_PKTS * v->mss_bytes;
	u64 target;

	if (!d->acked_bytes || pst_bbr_recover(s, v, &cwnd))
		return cwnd;
	target = pst_bbr_with_bursts(s, v, pst_bbr_bdp(s, v, pst_bbr_bandwidth(s), gain_q16) +
						   pst_bbr_extra(p, s));
	if (s->full)
		cwnd = pst_min(cwnd + d->acked_bytes, target);
	else if (cwnd < target || d->total_bytes < initial)
		cwnd += d->acked_bytes;
	return pst_max(cwnd, p->least_pkts * v->mss_bytes);
}

PST_FN void pst_bbr_set_window(const struct pst_bbr_params *p, struct pst_bbr_state *s,
			       const struct pst_sender_view *v, struct pst_cwnd *w,
			       u64 gain_q16)
{
	PST_REQUIRE(p->least_pkts > 0 && v->mss_bytes > 0);
	w->bytes = pst_min(pst_bbr_next_window(p, s, v, w->bytes, gain_q16), PST_MAX_BYTES);
	if (s->mode == PST_BBR_PROBE_RTT)
		w->bytes = pst_min(w->bytes, p->least_pkts * v->mss_bytes);
	PST_ENSURE(w->bytes > 0 && w->bytes <= PST_MAX_BYTES);
}

#endif
