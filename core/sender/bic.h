/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BIC (Xu, Harfoush, Rhee, "Binary Increase Congestion Control (BIC) for Fast
 * Long-Distance Networks", INFOCOM 2004, section III), with the constants and cases of
 * the authors' code in Linux. In segments, Wmax the window at the last loss, B = 4; per
 * window of data W grows by
 *
 *   1                         up to low_window
 *   Smax                      while (Wmax - W) / B > Smax      additive increase
 *   (Wmax - W) / B            while that is above 1            binary search
 *   B / smooth                around Wmax, B segments beyond it
 *   (W - Wmax) / (B - 1)      up to Wmax + Smax (B - 1)        max probing
 *   Smax                      beyond
 *
 *   loss: Wmax = W, or W (1 + beta) / 2 if W is below the last one
 *         W *= beta; 1/2 up to low_window
 *
 * Before the first loss W grows by at least 5 % per window.
 */
#ifndef PENSTOCK_CORE_SENDER_BIC_H
#define PENSTOCK_CORE_SENDER_BIC_H

#include "growth.h"

#define PST_BIC_TITLE "BIC"
#define PST_BIC_SOURCE "Xu, Harfoush, Rhee 2004 section III"
#define PST_BIC_LINUX "pst_bic"

#define PST_BIC_PARAMS(P)                                                   \
	PST_SLOW_START_PARAMS(P)                                            \
	P(beta_q16, PST_RATIO_Q16, PST_IS(52416), 32768, 64881,             \
	  "multiplicative decrease factor (beta)", "Linux: 819/1024")         \
	P(low_window_pkts, PST_PKTS, PST_IS(14), 0, 65535,                  \
	  "window in segments up to which it behaves as NewReno", "Linux")    \
	P(max_increment_pkts, PST_PKTS, PST_IS(16), 1, 65535,               \
	  "maximum increment per window of data, segments (Smax)",            \
	  "Linux; 32 in the paper")                                         \
	P(search_divisor, PST_COUNT, PST_IS(4), 2, 64,                      \
	  "divisor of the distance to Wmax (B)",                    \
	  "Linux; 2 in the paper")                                          \
	P(smooth_part, PST_COUNT, PST_IS(20), 1, 1024,                      \
	  "windows of data for the last B segments", "Linux")               \
	P(fast_convergence, PST_FLAG, PST_IS(1), 0, 1,                      \
	  "release bandwidth faster while the window at losses decreases",    \
	  "Xu, Harfoush, Rhee 2004 section III.C")

#define PST_BIC_STATE(S)                                                  \
	S(w_max_bytes, PST_BYTES, "window at the last loss (Wmax)")       \
	S(fraction_bytes_q16, PST_BYTES, "part of a byte owed to cwnd")

struct pst_bic_params {
	PST_BIC_PARAMS(PST_PARAM_FIELD)
};

struct pst_bic_state {
	PST_BIC_STATE(PST_STATE_FIELD)
};

/* The increment per window of data below Wmax. */
PST_FN u64 pst_bic_search_bytes(const struct pst_bic_params *p,
				const struct pst_sender_view *v,
				u64 distance_bytes)
{
	u64 step = distance_bytes / pst_max(p->search_divisor, 1);

	if (step <= v->mss_bytes)
		return p->search_divisor * v->mss_bytes /
		       pst_max(p->smooth_part, 1);
	return pst_min(step, p->max_increment_pkts * v->mss_bytes);
}

/* And above Wmax. */
PST_FN u64 pst_bic_probe_bytes(const struct pst_bic_params *p,
			       const struct pst_sender_view *v, u64 over_bytes)
{
	u64 most = p->max_increment_pkts * v->mss_bytes;

	if (over_bytes < p->search_divisor * v->mss_bytes)
		return p->search_divisor * v->mss_bytes /
		       pst_max(p->smooth_part, 1);
	return pst_min(over_bytes / pst_max(p->search_divisor - 1, 1), most);
}

PST_FN u64 pst_bic_step_bytes(const struct pst_bic_params *p,
			      const struct pst_bic_state *s,
			      const struct pst_sender_view *v,
			      const struct pst_cwnd *w)
{
	u64 step;

	PST_REQUIRE(w->bytes > 0 && v->mss_bytes > 0);
	if (w->bytes <= p->low_window_pkts * v->mss_bytes)
		return v->mss_bytes;
	if (w->bytes < s->w_max_bytes)
		return pst_bic_search_bytes(p, v, s->w_max_bytes - w->bytes);
	step = pst_bic_probe_bytes(p, v, w->bytes - s->w_max_bytes);
	return s->w_max_bytes ? step : pst_max(step, w->bytes / 20);
}

PST_FN void pst_bic_on_ack(const struct pst_bic_params *p,
			   struct pst_bic_state *s,
			   const struct pst_sender_view *v, struct pst_cwnd *w)
{
	u64 acked = v->acked_bytes;

	if (!v->cwnd_limited)
		return;
	if (w->bytes < w->ssthresh_bytes)
		acked = pst_slow_start(w, v, p->abc_limit);
	pst_grow_by_ratio(w, &s->fraction_bytes_q16,
			  pst_counted_bytes(w, acked),
			  pst_bic_step_bytes(p, s, v, w), w->bytes);
}

PST_FN u64 pst_bic_on_congestion(const struct pst_bic_params *p,
				 struct pst_bic_state *s,
				 const struct pst_sender_view *v,
				 const struct pst_cwnd *w,
				 enum pst_congestion why)
{
	bool fell = w->bytes < s->w_max_bytes;

	(void)why;
	PST_REQUIRE(v->flight_bytes <= w->bytes && p->beta_q16 <= PST_Q16_ONE);
	s->fraction_bytes_q16 = 0;
	s->w_max_bytes = w->bytes;
	if (fell && p->fast_convergence)
		s->w_max_bytes = (w->bytes * (PST_Q16_ONE + p->beta_q16)) >> 17;
	if (w->bytes <= p->low_window_pkts * v->mss_bytes)
		return pst_half_of_flight(v);
	PST_ENSURE(s->w_max_bytes <= w->bytes);
	return pst_part_of_flight(v, p->beta_q16);
}

#endif
