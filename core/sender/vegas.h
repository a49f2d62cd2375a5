/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Vegas (Brakmo, Peterson, "TCP Vegas: End to End Congestion Avoidance on a
 * Global Internet", IEEE JSAC 13(8), 1995, section IV), once per round trip:
 *
 *   diff = W (RTT - BaseRTT) / RTT     own segments that wait in queues
 *   slow start  diff > gamma: W = min(W, W BaseRTT / RTT + 1), ssthresh = W - 1
 *   afterwards  diff < alpha: W += 1;  diff > beta: W -= 1
 *   loss        as NewReno
 *
 * RTT is the minimum of the round, BaseRTT that of the connection. In recovery, and after
 * a timeout until all data is acknowledged, growth is NewReno's.
 */
#ifndef PENSTOCK_CORE_SENDER_VEGAS_H
#define PENSTOCK_CORE_SENDER_VEGAS_H

#include "growth.h"

#define PST_VEGAS_TITLE "Vegas"
#define PST_VEGAS_SOURCE "Brakmo and Peterson 1995 section IV"
#define PST_VEGAS_LINUX "pst_vegas"

#define PST_VEGAS_PARAMS(P)                                           \
	PST_SLOW_START_PARAMS(P)                                      \
	P(alpha_pkts, PST_PKTS, PST_IS(2), 0, 65535,                  \
	  "queued segments below which the window grows (alpha)",             \
	  "Linux; 1 or 2 in the paper")                               \
	P(beta_pkts, PST_PKTS, PST_IS(4), 1, 65535,                   \
	  "queued segments above which the window shrinks (beta)",            \
	  "Linux; 3 or 4 in the paper")                               \
	P(gamma_pkts, PST_PKTS, PST_IS(1), 0, 65535,                  \
	  "queued segments above which slow start ends (gamma)",              \
	  "Brakmo and Peterson 1995 section IV.C")

#define PST_VEGAS_STATE(S)                                               \
	S(round_end, PST_BYTES, "offset whose ACK ends the round")       \
	S(round_rtt_ns, PST_NS, "least round trip of the round; 0: none") \
	S(off, PST_FLAG, "a recovery is under way")                      \
	S(credit_bytes, PST_BYTES,                                       \
	  "acknowledged bytes not yet turned into window")

struct pst_vegas_params {
	PST_VEGAS_PARAMS(PST_PARAM_FIELD)
};

struct pst_vegas_state {
	PST_VEGAS_STATE(PST_STATE_FIELD)
};

PST_FN void pst_vegas_begin_round(struct pst_vegas_state *s,
				  const struct pst_sender_view *v)
{
	PST_REQUIRE(v->sent >= s->round_end);
	s->round_end = v->sent;
	s->round_rtt_ns = 0;
}

PST_FN void pst_vegas_init(const struct pst_vegas_params *p,
			   struct pst_vegas_state *s,
			   const struct pst_sender_view *v, struct pst_cwnd *w)
{
	(void)p;
	(void)w;
	pst_vegas_begin_round(s, v);
}

PST_FN void pst_vegas_on_recovered(const struct pst_vegas_params *p,
				   struct pst_vegas_state *s,
				   const struct pst_sender_view *v,
				   struct pst_cwnd *w)
{
	(void)p;
	(void)w;
	s->off = 0;
	pst_vegas_begin_round(s, v);
}

PST_FN u64 pst_vegas_ssthresh(const struct pst_sender_view *v,
			      const struct pst_cwnd *w)
{
	return pst_max(pst_min(w->ssthresh_bytes,
			       pst_sub_floor(w->bytes, v->mss_bytes)),
		       2ULL * v->mss_bytes);
}

/* A round ends with a known RTT. */
PST_FN void pst_vegas_adjust(const struct pst_vegas_params *p,
			     const struct pst_vegas_state *s,
			     const struct pst_sender_view *v,
			     struct pst_cwnd *w)
{
	u64 rtt_ns = pst_min(s->round_rtt_ns, PST_MAX_NS);
	u64 base_ns = pst_min(v->min_rtt_ns, rtt_ns);
	u64 target = pst_mul_div(w->bytes, base_ns, rtt_ns);
	u64 queued = w->bytes - target;
	u64 mss = v->mss_bytes;

	PST_REQUIRE(rtt_ns > 0 && base_ns > 0);
	PST_ENSURE(target <= w->bytes);
	if (w->bytes < w->ssthresh_bytes) {
		if (queued <= p->gamma_pkts * mss)
			return;
		w->bytes = pst_min(w->bytes, target + mss);
		w->ssthresh_bytes = pst_vegas_ssthresh(v, w);
	} else if (queued > p->beta_pkts * mss) {
		w->bytes -= pst_min(mss, w->bytes);
		w->ssthresh_bytes = pst_vegas_ssthresh(v, w);
	} else if (queued < p->alpha_pkts * mss && v->cwnd_limited) {
		w->bytes += mss;
	}
	w->bytes = pst_max(w->bytes, 2 * mss);
}

PST_FN void pst_vegas_on_ack(const struct pst_vegas_params *p,
			     struct pst_vegas_state *s,
			     const struct pst_sender_view *v,
			     struct pst_cwnd *w)
{
	if (s->off) {
		if (v->cwnd_limited)
			pst_grow_standard(w, &s->credit_bytes, v,
					  p->abc_limit);
		return;
	}
	if (v->rtt_ns && (!s->round_rtt_ns || v->rtt_ns < s->round_rtt_ns))
		s->round_rtt_ns = v->rtt_ns;
	if (v->una >= s->round_end) {
		if (s->round_rtt_ns)
			pst_vegas_adjust(p, s, v, w);
		pst_vegas_begin_round(s, v);
	}
	if (w->bytes < w->ssthresh_bytes && v->cwnd_limited)
		pst_slow_start(w, v, p->abc_limit);
}

PST_FN u64 pst_vegas_on_congestion(const struct pst_vegas_params *p,
				   struct pst_vegas_state *s,
				   const struct pst_sender_view *v,
				   const struct pst_cwnd *w,
				   enum pst_congestion why)
{
	(void)p;
	(void)w;
	s->off = why != PST_ECN;
	s->credit_bytes = 0;
	return pst_half_of_flight(v);
}

#endif
