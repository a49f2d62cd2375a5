/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CUBIC, RFC 9438. Windows are bytes, C is in segments per s^3.
 *
 *   W_cubic(t) = C * (t - K)^3 + W_max                              (Fig. 1)
 *   K = cbrt((W_max - cwnd_epoch) / C)                              (Fig. 2)
 *   target = W_cubic(t + RTT), clamped to cwnd .. 1.5 * cwnd        (4.2)
 *   W_est += alpha * segments_acked / cwnd                          (Fig. 4)
 *   cwnd = W_est where W_cubic(t) < W_est                           (4.3)
 *   else cwnd += (target - cwnd) / cwnd per segment acknowledged    (4.4, 4.5)
 *   loss: W_max = cwnd, or cwnd * (1 + beta) / 2 when it fell       (4.6, 4.7)
 *         ssthresh = max(beta * FlightSize, 2 * SMSS)
 *   after a timeout, or without a loss before: K = 0, W_max = cwnd  (4.8, 4.10)
 *
 * alpha is 3 * (1 - beta) / (1 + beta), and 1 once W_est is back at the window before the
 * reduction. Application-limited time is excluded from t (5.8). HyStart++ is hystart.h,
 * an option of any sender.
 */
#ifndef PENSTOCK_CORE_SENDER_CUBIC_H
#define PENSTOCK_CORE_SENDER_CUBIC_H

#include "cubic_math.h"
#include "growth.h"

#define PST_CUBIC_TITLE "CUBIC"
#define PST_CUBIC_SOURCE "RFC 9438"
#define PST_CUBIC_LINUX "pst_cubic"

#define PST_CUBIC_PARAMS(P)                                                 \
	PST_SLOW_START_PARAMS(P)                                            \
	P(c_q16, PST_RATIO_Q16, PST_IS(26214), 6554, 655360,                \
	  "aggressiveness, segments per s^3 (C)", "RFC 9438 section 4.1.2") \
	P(beta_q16, PST_RATIO_Q16, PST_IS(45875), 32768, 62259,             \
	  "multiplicative decrease factor (beta)",                            \
	  "RFC 9438 section 4.6")                                           \
	P(fast_convergence, PST_FLAG, PST_IS(1), 0, 1,                      \
	  "release bandwidth faster while the window at losses decreases",    \
	  "RFC 9438 section 4.7")                                           \
	P(w_est_interval_ns, PST_NS, PST_IS(0), 0, 1000000000ULL,           \
	  "least time between two looks at W_est; Linux: 1/32 s",             \
	  "RFC 9438 section 4.3: each ACK")

#define PST_CUBIC_STATE(S)                                                  \
	S(w_max_bytes, PST_BYTES, "window at the last reduction (W_max)")   \
	S(prior_bytes, PST_BYTES, "window just before it (cwnd_prior)")     \
	S(k_q20, PST_COUNT, "K in 2^-20 s")                                 \
	S(epoch_ns, PST_TIME, "start of this congestion avoidance")         \
	S(last_ns, PST_TIME, "time of the last ACK")                        \
	S(looked_ns, PST_TIME, "time of the last look at W_est")            \
	S(w_est_bytes_q16, PST_BYTES, "window of a Reno-like flow (W_est)") \
	S(fraction_bytes_q16, PST_BYTES, "part of a byte owed to cwnd")     \
	S(in_epoch, PST_FLAG, "congestion avoidance has begun")             \
	S(use_w_max, PST_FLAG, "W_max is of a loss, not of a timeout")

struct pst_cubic_params {
	PST_CUBIC_PARAMS(PST_PARAM_FIELD)
};

struct pst_cubic_state {
	PST_CUBIC_STATE(PST_STATE_FIELD)
};

/* The longest delay of an ACK that RFC 9293 section 3.8.6.3 permits. */
#define PST_CUBIC_BUSY_GAP_NS 500000000ULL

PST_FN u64 pst_cubic_c_bytes_q16(const struct pst_cubic_params *p,
				 const struct pst_sender_view *v)
{
	return p->c_q16 * pst_min(v->mss_bytes, 65535);
}

PST_FN void pst_cubic_begin(const struct pst_cubic_params *p,
			    struct pst_cubic_state *s,
			    const struct pst_sender_view *v,
			    const struct pst_cwnd *w)
{
	PST_REQUIRE(w->bytes > 0 && w->bytes <= PST_MAX_BYTES);
	s->in_epoch = 1;
	s->epoch_ns = v->now_ns;
	s->looked_ns = v->now_ns;
	s->w_est_bytes_q16 = w->bytes << 16;
	s->fraction_bytes_q16 = 0;
	if (!s->use_w_max || s->w_max_bytes < w->bytes)
		s->w_max_bytes = w->bytes;
	s->k_q20 = pst_cubic_k_q20(s->w_max_bytes - w->bytes,
				   pst_cubic_c_bytes_q16(p, v));
	PST_ENSURE(s->w_max_bytes >= w->bytes && s->in_epoch);
}

/* W_cubic at @t_ns of the epoch. */
PST_FN u64 pst_cubic_window(const struct pst_cubic_params *p,
			    const struct pst_cubic_state *s,
			    const struct pst_sender_view *v, u64 t_ns)
{
	u64 c_bytes_q16 = pst_cubic_c_bytes_q16(p, v);
	u64 t_q20 = pst_cubic_time_q20(t_ns);

	if (t_q20 >= s->k_q20)
		return pst_min(s->w_max_bytes +
			       pst_cubic_bytes(t_q20 - s->k_q20, c_bytes_q16),
			       PST_MAX_BYTES);
	return pst_sub_floor(s->w_max_bytes,
			     pst_cubic_bytes(s->k_q20 - t_q20, c_bytes_q16));
}

/* alpha of W_est; 3 * (1 - beta) / (1 + beta) until it is back at cwnd_prior. */
PST_FN u64 pst_cubic_alpha_q16(const struct pst_cubic_params *p,
			       const struct pst_cubic_state *s)
{
	PST_REQUIRE(p->beta_q16 <= PST_Q16_ONE);
	if (s->w_est_bytes_q16 >= s->prior_bytes << 16)
		return PST_Q16_ONE;
	return (3 * (PST_Q16_ONE - p->beta_q16) << 16) /
	       (PST_Q16_ONE + p->beta_q16);
}

PST_FN void pst_cubic_grow_w_est(const struct pst_cubic_params *p,
				 struct pst_cubic_state *s,
				 const struct pst_sender_view *v,
				 const struct pst_cwnd *w, u64 acked)
{
	u64 alpha_bytes_q16 = pst_cubic_alpha_q16(p, s) *
			      pst_min(v->mss_bytes, 65535);

	PST_REQUIRE(w->bytes > 0);
	s->w_est_bytes_q16 += pst_mul_div(alpha_bytes_q16, acked, w->bytes);
	s->w_est_bytes_q16 = pst_min(s->w_est_bytes_q16, PST_MAX_BYTES << 16);
	PST_ENSURE(s->w_est_bytes_q16 <= PST_MAX_BYTES << 16);
}

/* Reno-friendly region. */
PST_FN void pst_cubic_take_w_est(const struct pst_cubic_params *p,
				 struct pst_cubic_state *s,
				 const struct pst_sender_view *v,
				 struct pst_cwnd *w)
{
	PST_REQUIRE(v->now_ns >= s->looked_ns);
	if (v->now_ns - s->looked_ns < p->w_est_interval_ns)
		return;
	s->looked_ns = v->now_ns;
	w->bytes = pst_max(w->bytes, s->w_est_bytes_q16 >> 16);
}

/* Concave and convex region: (target - cwnd) / cwnd per byte acknowledged. */
PST_FN void pst_cubic_approach(struct pst_cubic_state *s, struct pst_cwnd *w,
			       u64 target, u64 acked)
{
	PST_REQUIRE(w->bytes > 0);
	target = pst_clamp(target, w->bytes, w->bytes + w->bytes / 2);
	pst_grow_by_ratio(w, &s->fraction_bytes_q16, acked, target - w->bytes,
			  w->bytes);
	PST_ENSURE(target >= 1);
}

/*
 * The time since the last ACK counts as congestion avoidance only while the window limits
 * the sender, and only up to a delayed ACK or two round trips: beyond that the sender was
 * idle.
 */
PST_FN void pst_cubic_skip_idle(struct pst_cubic_state *s,
				const struct pst_sender_view *v)
{
	u64 gap_ns = pst_sub_floor(v->now_ns, s->last_ns);
	u64 counted_ns = pst_max(PST_CUBIC_BUSY_GAP_NS, 2 * v->srtt_ns);

	if (!v->cwnd_limited)
		counted_ns = 0;
	s->epoch_ns += pst_sub_floor(gap_ns, counted_ns);
	PST_ENSURE(s->epoch_ns <= v->now_ns);
}

PST_FN void pst_cubic_avoid(const struct pst_cubic_params *p,
			    struct pst_cubic_state *s,
			    const struct pst_sender_view *v,
			    struct pst_cwnd *w, u64 acked)
{
	u64 rtt_ns = v->srtt_ns ? v->srtt_ns : v->rtt_ns;
	u64 t_ns;

	PST_REQUIRE(acked > 0);
	if (!s->in_epoch)
		pst_cubic_begin(p, s, v, w);
	acked = pst_counted_bytes(w, acked);
	t_ns = pst_sub_floor(v->now_ns, s->epoch_ns);
	pst_cubic_grow_w_est(p, s, v, w, acked);
	if (pst_cubic_window(p, s, v, t_ns) < s->w_est_bytes_q16 >> 16)
		pst_cubic_take_w_est(p, s, v, w);
	else
		pst_cubic_approach(s, w,
				   pst_cubic_window(p, s, v, t_ns + rtt_ns),
				   acked);
	PST_ENSURE(s->in_epoch && w->bytes <= PST_MAX_BYTES);
}

PST_FN void pst_cubic_on_ack(const struct pst_cubic_params *p,
			     struct pst_cubic_state *s,
			     const struct pst_sender_view *v,
			     struct pst_cwnd *w)
{
	u64 acked = v->acked_bytes;

	if (s->in_epoch)
		pst_cubic_skip_idle(s, v);
	s->last_ns = v->now_ns;
	if (!v->cwnd_limited)
		return;
	if (w->bytes < w->ssthresh_bytes)
		acked = pst_slow_start(w, v, p->abc_limit);
	if (acked)
		pst_cubic_avoid(p, s, v, w, acked);
}

/* Returns the new ssthresh; the host sets cwnd according to its recovery. */
PST_FN u64 pst_cubic_on_congestion(const struct pst_cubic_params *p,
				   struct pst_cubic_state *s,
				   const struct pst_sender_view *v,
				   const struct pst_cwnd *w,
				   enum pst_congestion why)
{
	bool fell = s->use_w_max && w->bytes < s->w_max_bytes;

	PST_REQUIRE(v->flight_bytes <= w->bytes && p->beta_q16 <= PST_Q16_ONE);
	s->prior_bytes = w->bytes;
	s->w_max_bytes = w->bytes;
	if (fell && p->fast_convergence)
		s->w_max_bytes = (w->bytes * (PST_Q16_ONE + p->beta_q16)) >> 17;
	s->use_w_max = why != PST_TIMEOUT;
	s->in_epoch = 0;
	PST_ENSURE(s->w_max_bytes <= w->bytes);
	return pst_part_of_flight(v, p->beta_q16);
}

#endif
