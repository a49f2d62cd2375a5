/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * XCP beside TCP: packets with XCP's header in one queue (X), all others in another (T), and
 * weights between the two by which a flow of either kind has the same rate on average.
 *
 * D. Katabi, M. Handley, C. Rohrs: "Congestion Control for High Bandwidth-Delay Product
 * Networks", SIGCOMM 2002, section 6; nis-2004 sections 12.3.3 and 14.3.4:
 *
 *   cwnd_T = s / (sqrt(2 p / 3) + 12 p sqrt(3 p / 8) (1 + 32 p^2))
 *   w_T   += kappa (cwnd_X - cwnd_T) / (cwnd_X + cwnd_T), w_X = 1 - w_T
 *   phi    = alpha d S_X - beta Q_X, S_X = w_X C - y_X
 *
 * once per control interval. p is the loss rate of the T-queue, a RED queue (red.h), by
 * TFRC's loss intervals (tfrc.h). A flow adds its window times the interval's length to the
 * sum of rtt * s, and the length to the sum of rtt * s / cwnd: cwnd_X is their ratio.
 *
 * As a scheduler (xcp_tcp_turns.h) it needs a host that keeps the packets in two FIFOs: the
 * simulator.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_XCP_TCP_H
#define PENSTOCK_CORE_DISCIPLINE_XCP_TCP_H

#include "../math/tfrc.h"
#include "red.h"
#include "xcp.h"

#define PST_XCP_TCP_TITLE "XCP beside TCP, in two weighted queues (router)"
#define PST_XCP_TCP_SOURCE "nis-2004 sections 12.3.3 and 14.3.4; Katabi et al. 2002 section 6"
#define PST_XCP_TCP_FORMULA "window_bytes"
#define PST_XCP_TCP_FEEDBACK PST_FEEDBACK_XCP

#define PST_XCP_TCP_PARAMS(P)                                                 \
	PST_XCP_PARAMS(P)                                                     \
	P(kappa_q16, PST_RATIO_Q16, PST_IS(6554), 1, PST_Q16_ONE,             \
	  "most that a control interval moves the weights by (kappa)",        \
	  "Katabi et al. 2002 section 6: a small constant; 0.1: ours")        \
	P(least_share_q16, PST_RATIO_Q16, PST_IS(1024), 64, 32768,            \
	  "weight that each queue keeps, as new flows need",                  \
	  "ours: 1/64")                                                       \
	P(by_rate, PST_FLAG, PST_IS(1), 0, 1,                                 \
	  "divide windows by round trips, which the queues make unequal",     \
	  "ours; 0: Katabi et al. 2002")                                      \
	P(min_th_bytes, PST_BYTES, PST_OF_BUFFER(1, 12), 0, PST_MAX_BYTES,    \
	  "average T-queue below which RED drops nothing (min_th)",           \
	  "as red: ewt-2019 Table 3")                                         \
	P(max_th_bytes, PST_BYTES, PST_OF_BUFFER(1, 4), 0, PST_MAX_BYTES,     \
	  "average T-queue at which its drop probability is max_p (max_th)",  \
	  "as red: ewt-2019 Table 3")                                         \
	P(weight_q32, PST_RATIO_Q32, PST_IS(8589935), 4295, PST_Q32_ONE,      \
	  "weight of one packet's T-queue in RED's average (w_q)",            \
	  "as red: ewt-2019 Table 3")                                         \
	P(max_p_q32, PST_RATIO_Q32, PST_IS(85899346), 0, PST_Q32_ONE,         \
	  "RED's drop probability at max_th (max_p)",                         \
	  "as red: ewt-2019 Table 3")

#define PST_XCP_TCP_OWN_STATE(S)                                              \
	S(weight_q32, PST_RATIO_Q32, "weight of the T-queue (w_T)")           \
	S(x_window_bytes, PST_BYTES, "mean window of XCP's flows (cwnd_X)")   \
	S(t_window_bytes, PST_BYTES, "mean window of TCP's, as compared (cwnd_T)") \
	S(x_queue_bytes, PST_BYTES, "waiting in the X-queue (Q_X)")           \
	S(t_queue_bytes, PST_BYTES, "waiting in the T-queue")                 \
	S(x_sum_us_bytes, PST_COUNT, "sum of rtt * s over the interval")      \
	S(t_bytes, PST_BYTES, "arrived for the T-queue in it")                \
	S(t_data_bytes, PST_BYTES, "of these, in packets with data")          \
	S(t_data_pkts, PST_PKTS, "packets with data that these are")          \
	S(x_wait_us, PST_COUNT, "sum of delays in the X-queue in it")         \
	S(x_sent_pkts, PST_PKTS, "packets that these were")                   \
	S(t_wait_us, PST_COUNT, "sum of delays in the T-queue in it")         \
	S(t_sent_pkts, PST_PKTS, "packets that these were")                   \
	S(x_ahead_q8_bytes, PST_BYTES, "sent over weight, more than of the T-queue") \
	S(t_ahead_q8_bytes, PST_BYTES, "sent over weight, more than of the X-queue")

#define PST_XCP_TCP_STATE(S)                                                  \
	PST_XCP_STATE(S) PST_RED_STATE(S) PST_TFRC_STATE(S) PST_XCP_TCP_OWN_STATE(S)

struct pst_xcp_tcp_params {
	PST_XCP_TCP_PARAMS(PST_PARAM_FIELD)
};

struct pst_xcp_tcp_state {
	struct pst_xcp_state xcp;
	struct pst_red_state red;
	struct pst_tfrc tfrc;
	PST_XCP_TCP_OWN_STATE(PST_STATE_FIELD)
};

enum pst_xcp_tcp_queue {
	PST_XCP_TCP_X,
	PST_XCP_TCP_T,
	PST_XCP_TCP_COUNT,
};

/* By the header of kind PST_XCP_TCP_FEEDBACK. */
PST_FN enum pst_xcp_tcp_queue pst_xcp_tcp_classify(const struct pst_packet *k)
{
	return k->feedback ? PST_XCP_TCP_X : PST_XCP_TCP_T;
}

/* What each event finds and leaves. */
PST_FN bool pst_xcp_tcp_invariant(const struct pst_xcp_tcp_state *s)
{
	return s->weight_q32 <= PST_Q32_ONE && s->x_queue_bytes <= PST_MAX_BYTES &&
	       s->t_queue_bytes <= PST_MAX_BYTES &&
	       s->x_sum_us_bytes <= PST_XCP_MAX_SUM &&
	       s->t_data_bytes <= s->t_bytes;
}

PST_FN struct pst_xcp_params pst_xcp_tcp_as_xcp(const struct pst_xcp_tcp_params *p)
{
	struct pst_xcp_params x = {
		.alpha_q16 = p->alpha_q16,
		.beta_q16 = p->beta_q16,
		.gamma_q16 = p->gamma_q16,
		.interval_ns = p->interval_ns,
	};

	return x;
}

PST_FN struct pst_red_params pst_xcp_tcp_as_red(const struct pst_xcp_tcp_params *p)
{
	struct pst_red_params r = {
		.min_th_bytes = p->min_th_bytes,
		.max_th_bytes = p->max_th_bytes,
		.weight_q32 = p->weight_q32,
		.max_p_q32 = p->max_p_q32,
		.gentle = 1,
		.byte_mode = 0,
	};

	return r;
}

/* The link as one queue of @queue_bytes sees it, with @share_q32 of its rate. */
PST_FN struct pst_queue pst_xcp_tcp_part(const struct pst_queue *q, u64 queue_bytes,
					 u64 share_q32)
{
	struct pst_queue part = *q;

	part.bytes = queue_bytes;
	part.rate_bytes_per_s = pst_mul_div(
		pst_min(q->rate_bytes_per_s, PST_MAX_BYTES), share_q32, PST_Q32_ONE);
	return part;
}

/* w_X; all of the link where nothing came for the other queue. */
PST_FN u64 pst_xcp_tcp_x_share_q32(const struct pst_xcp_tcp_state *s)
{
	PST_REQUIRE(s->weight_q32 <= PST_Q32_ONE);
	return s->t_bytes ? PST_Q32_ONE - s->weight_q32 : PST_Q32_ONE;
}

PST_FN struct pst_queue pst_xcp_tcp_x_part(const struct pst_xcp_tcp_state *s,
					   const struct pst_queue *q)
{
	return pst_xcp_tcp_part(q, s->x_queue_bytes, pst_xcp_tcp_x_share_q32(s));
}

PST_FN struct pst_queue pst_xcp_tcp_t_part(const struct pst_xcp_tcp_state *s,
					   const struct pst_queue *q)
{
	return pst_xcp_tcp_part(q, s->t_queue_bytes, s->weight_q32);
}

PST_FN void pst_xcp_tcp_init(const struct pst_xcp_tcp_params *p,
			     struct pst_xcp_tcp_state *s, const struct pst_queue *q)
{
	struct pst_xcp_params x = pst_xcp_tcp_as_xcp(p);

	pst_xcp_init(&x, &s->xcp, q);
	s->weight_q32 = PST_Q32_ONE / 2;
}

PST_FN enum pst_verdict pst_xcp_tcp_x_arrives(const struct pst_xcp_tcp_params *p,
					      struct pst_xcp_tcp_state *s,
					      const struct pst_queue *q,
					      const struct pst_packet *k)
{
	struct pst_xcp_params x = pst_xcp_tcp_as_xcp(p);
	struct pst_queue part = pst_xcp_tcp_x_part(s, q);
	u64 counted_bytes = s->xcp.controlled_bytes;
	enum pst_verdict verdict = pst_xcp_on_arrive(&x, &s->xcp, &part, k);

	/* Each is at most 2^24 * 2^32. */
	if (s->xcp.controlled_bytes != counted_bytes)
		s->x_sum_us_bytes = pst_min(
			s->x_sum_us_bytes + pst_xcp_rtt_us(k->feedback) * k->bytes,
			PST_XCP_MAX_SUM);
	return verdict;
}

PST_FN enum pst_verdict pst_xcp_tcp_t_arrives(const struct pst_xcp_tcp_params *p,
					      struct pst_xcp_tcp_state *s,
					      const struct pst_queue *q,
					      const struct pst_packet *k)
{
	struct pst_red_params r = pst_xcp_tcp_as_red(p);
	struct pst_queue part = pst_xcp_tcp_t_part(s, q);
	enum pst_verdict verdict = pst_red_on_arrive(&r, &s->red, &part, k);

	/* The other half of the limit is the X-queue's, whatever RED's average has not seen yet. */
	if (s->t_queue_bytes + k->bytes > q->limit_bytes / 2)
		verdict = PST_DROP;
	s->t_bytes += k->bytes;
	if (k->kind == PST_KIND_SMALL)
		return verdict;
	s->t_data_bytes += k->bytes;
	s->t_data_pkts++;
	pst_tfrc_arrive(&s->tfrc);
	if (verdict != PST_PASS)
		pst_tfrc_lose(&s->tfrc);
	return verdict;
}

PST_FN enum pst_verdict pst_xcp_tcp_on_arrive(const struct pst_xcp_tcp_params *p,
					      struct pst_xcp_tcp_state *s,
					      const struct pst_queue *q,
					      const struct pst_packet *k)
{
	PST_REQUIRE(pst_xcp_tcp_invariant(s));
	if (pst_xcp_tcp_classify(k) == PST_XCP_TCP_X)
		return pst_xcp_tcp_x_arrives(p, s, q, k);
	return pst_xcp_tcp_t_arrives(p, s, q, k);
}

PST_FN void pst_xcp_tcp_on_accepted(const struct pst_xcp_tcp_params *p,
				    struct pst_xcp_tcp_state *s,
				    const struct pst_queue *q, const struct pst_packet *k)
{
	(void)p;
	(void)q;
	if (pst_xcp_tcp_classify(k) == PST_XCP_TCP_X)
		s->x_queue_bytes = pst_min(s->x_queue_bytes + k->bytes, PST_MAX_BYTES);
	else
		s->t_queue_bytes = pst_min(s->t_queue_bytes + k->bytes, PST_MAX_BYTES);
	PST_ENSURE(pst_xcp_tcp_invariant(s));
}

PST_FN void pst_xcp_tcp_on_overflow(const struct pst_xcp_tcp_params *p,
				    struct pst_xcp_tcp_state *s,
				    const struct pst_queue *q, const struct pst_packet *k)
{
	(void)p;
	(void)q;
	if (pst_xcp_tcp_classify(k) == PST_XCP_TCP_T && k->kind != PST_KIND_SMALL)
		pst_tfrc_lose(&s->tfrc);
}

PST_FN void pst_xcp_tcp_on_left(const struct pst_xcp_tcp_params *p,
				struct pst_xcp_tcp_state *s, const struct pst_queue *q,
				const struct pst_packet *k)
{
	struct pst_queue part;

	(void)p;
	if (pst_xcp_tcp_classify(k) == PST_XCP_TCP_X) {
		s->x_queue_bytes = pst_sub_floor(s->x_queue_bytes, k->bytes);
		return;
	}
	s->t_queue_bytes = pst_sub_floor(s->t_queue_bytes, k->bytes);
	part = pst_xcp_tcp_t_part(s, q);
	pst_red_left(&s->red, &part);
}

/* cwnd_X: sum(rtt * s) / sum(rtt * s / cwnd); 0 if there are none. */
PST_FN u64 pst_xcp_tcp_x_bytes(const struct pst_xcp_tcp_state *s)
{
	u64 flows_us = s->xcp.weight_q12_us >> 4;

	PST_REQUIRE(pst_xcp_tcp_invariant(s));
	if (!flows_us)
		return 0;
	return pst_clamp(s->x_sum_us_bytes / flows_us, 1, PST_MAX_BYTES >> 8) << 8;
}

/*
 * cwnd_T; 0 if there are none. With by_rate as it would be
 * with the round trip of XCP's flows, which wait in the other queue: times d over d with the
 * T-queue's delay in place of the X-queue's.
 */
PST_FN u64 pst_xcp_tcp_t_bytes(const struct pst_xcp_tcp_params *p,
			       const struct pst_xcp_tcp_state *s)
{
	u64 d_us = s->xcp.mean_rtt_us;
	u64 x_us = s->x_wait_us / pst_max(s->x_sent_pkts, 1);
	u64 t_us = s->t_wait_us / pst_max(s->t_sent_pkts, 1);
	u64 bytes;

	if (!s->t_data_pkts)
		return 0;
	bytes = pst_tfrc_window_bytes(pst_min(s->t_data_bytes / s->t_data_pkts, 1 << 20),
				      pst_tfrc_rate_q32(&s->tfrc));
	if (p->by_rate)
		bytes = pst_mul_div(bytes, d_us,
				    pst_max(pst_sub_floor(d_us + t_us, x_us), 1));
	return pst_clamp(bytes, 1, PST_MAX_BYTES);
}

/* w_T. A kind without traffic leaves its weight to the other, up to least_share. */
PST_FN void pst_xcp_tcp_weigh(const struct pst_xcp_tcp_params *p,
			      struct pst_xcp_tcp_state *s)
{
	u64 x = s->x_window_bytes, t = s->t_window_bytes;
	u64 least_q32 = p->least_share_q16 << 16;
	u64 step_q32 = p->kappa_q16 << 16;
	u64 weight_q32 = s->weight_q32;

	PST_REQUIRE(x <= PST_MAX_BYTES && t <= PST_MAX_BYTES);
	if (x == t)
		return;
	if (x && t)
		step_q32 = pst_mul_div(step_q32, pst_max(x, t) - pst_min(x, t), x + t);
	if (!t || (x && x < t))
		weight_q32 = pst_sub_floor(weight_q32, step_q32);
	else
		weight_q32 += step_q32;
	s->weight_q32 = pst_clamp(weight_q32, least_q32, PST_Q32_ONE - least_q32);
	PST_ENSURE(pst_xcp_tcp_invariant(s));
}

PST_FN u64 pst_xcp_tcp_on_tick(const struct pst_xcp_tcp_params *p,
			       struct pst_xcp_tcp_state *s, const struct pst_queue *q)
{
	struct pst_xcp_params x = pst_xcp_tcp_as_xcp(p);
	struct pst_queue part;
	u64 next_ns;

	PST_REQUIRE(pst_xcp_tcp_invariant(s));
	s->x_window_bytes = pst_xcp_tcp_x_bytes(s);
	s->t_window_bytes = pst_xcp_tcp_t_bytes(p, s);
	pst_xcp_tcp_weigh(p, s);
	part = pst_xcp_tcp_x_part(s, q);
	next_ns = pst_xcp_interval(&x, &s->xcp, &part, part.rate_bytes_per_s);
	s->x_sum_us_bytes = 0;
	s->t_bytes = s->t_data_bytes = s->t_data_pkts = 0;
	s->x_wait_us = s->x_sent_pkts = 0;
	s->t_wait_us = s->t_sent_pkts = 0;
	PST_ENSURE(pst_xcp_tcp_invariant(s));
	return next_ns;
}

#endif
