/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * LogWestwood+ (Kliazovich, Granelli, Miorandi, "TCP Westwood+ Enhancement in High-Speed
 * Long-Distance Networks", ICC 2006, section II): Westwood+ whose window approaches Wmax,
 * the window at the last loss.
 *
 *   per segment   W += max((Wmax - W) / (alpha W), 1 / W)     (eqs. 6, 7)
 *   loss          as Westwood+, Wmax = W                      (eq. 5)
 *   loss with W < Wmax: alpha *= 2; W back at Wmax: alpha /= 2, at least 2
 *
 * Before the first loss there is no Wmax, and W grows by 1 / W.
 */
#ifndef PENSTOCK_CORE_SENDER_LOG_WESTWOOD_PLUS_H
#define PENSTOCK_CORE_SENDER_LOG_WESTWOOD_PLUS_H

#include "bandwidth.h"
#include "growth.h"

#define PST_LOG_WESTWOOD_PLUS_TITLE "LogWestwood+"
#define PST_LOG_WESTWOOD_PLUS_SOURCE "log-westwood-2006 section II"
#define PST_LOG_WESTWOOD_PLUS_LINUX "pst_logwestwood"

#define PST_LOG_WESTWOOD_PLUS_PARAMS(P)                                     \
	PST_SLOW_START_PARAMS(P)                                            \
	PST_BANDWIDTH_PARAMS(P)                                             \
	P(alpha, PST_COUNT, PST_IS(2), 2, 65536,                            \
	  "initial divisor of the distance to Wmax (alpha)",       \
	  "log-westwood-2006 section II; its runs: 4")                      \
	P(adaptive, PST_FLAG, PST_IS(1), 0, 1,                              \
	  "double alpha at a loss below Wmax, halve it at Wmax",            \
	  "log-westwood-2006 section II")

#define PST_LOG_WESTWOOD_PLUS_OWN(S)                                      \
	S(w_max_bytes, PST_BYTES, "window at the last loss (Wmax)")       \
	S(alpha, PST_COUNT, "what the distance to Wmax is divided by")    \
	S(below, PST_FLAG, "the window has not been back at Wmax")        \
	S(fraction_bytes_q16, PST_BYTES, "part of a byte owed to cwnd")

#define PST_LOG_WESTWOOD_PLUS_STATE(S) \
	PST_BANDWIDTH_STATE(S)         \
	PST_LOG_WESTWOOD_PLUS_OWN(S)

struct pst_log_westwood_plus_params {
	PST_LOG_WESTWOOD_PLUS_PARAMS(PST_PARAM_FIELD)
};

struct pst_log_westwood_plus_state {
	struct pst_bandwidth bandwidth;
	PST_LOG_WESTWOOD_PLUS_OWN(PST_STATE_FIELD)
};

#define PST_LOG_WESTWOOD_LEAST_ALPHA 2ULL
/* Far beyond the point where the distance adds less than one segment. */
#define PST_LOG_WESTWOOD_MOST_ALPHA 65536ULL

PST_FN void
pst_log_westwood_plus_init(const struct pst_log_westwood_plus_params *p,
			   struct pst_log_westwood_plus_state *s,
			   const struct pst_sender_view *v, struct pst_cwnd *w)
{
	(void)v;
	(void)w;
	s->alpha = p->alpha;
}

PST_FN void
pst_log_westwood_plus_on_sample(const struct pst_log_westwood_plus_params *p,
				struct pst_log_westwood_plus_state *s,
				const struct pst_sender_view *v,
				struct pst_cwnd *w)
{
	(void)w;
	pst_bandwidth_sample(&s->bandwidth, v, p->filter_q16,
			     p->sample_floor_ns);
}

/* The window is back at Wmax without a loss. */
PST_FN void
pst_log_westwood_plus_arrive(const struct pst_log_westwood_plus_params *p,
			     struct pst_log_westwood_plus_state *s)
{
	s->below = 0;
	if (p->adaptive)
		s->alpha = pst_max(s->alpha / 2, PST_LOG_WESTWOOD_LEAST_ALPHA);
}

PST_FN void
pst_log_westwood_plus_on_ack(const struct pst_log_westwood_plus_params *p,
			     struct pst_log_westwood_plus_state *s,
			     const struct pst_sender_view *v,
			     struct pst_cwnd *w)
{
	u64 acked = v->acked_bytes;
	u64 step;

	if (!v->cwnd_limited)
		return;
	if (w->bytes < w->ssthresh_bytes)
		acked = pst_slow_start(w, v, p->abc_limit);
	step = pst_max(pst_sub_floor(s->w_max_bytes, w->bytes) /
			       pst_max(s->alpha, PST_LOG_WESTWOOD_LEAST_ALPHA),
		       v->mss_bytes);
	pst_grow_by_ratio(w, &s->fraction_bytes_q16,
			  pst_counted_bytes(w, acked), step, w->bytes);
	if (s->below && w->bytes >= s->w_max_bytes)
		pst_log_westwood_plus_arrive(p, s);
}

PST_FN u64
pst_log_westwood_plus_on_congestion(const struct pst_log_westwood_plus_params *p,
				    struct pst_log_westwood_plus_state *s,
				    const struct pst_sender_view *v,
				    const struct pst_cwnd *w,
				    enum pst_congestion why)
{
	if (p->adaptive && s->below)
		s->alpha = pst_min(2 * s->alpha, PST_LOG_WESTWOOD_MOST_ALPHA);
	s->below = 1;
	s->w_max_bytes = pst_min(w->bytes, PST_MAX_BYTES);
	s->fraction_bytes_q16 = 0;
	return pst_bandwidth_ssthresh(&s->bandwidth, v, w, why);
}

#endif
