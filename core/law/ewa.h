/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * EWA, explicit window adaptation.
 *
 * L. Kalampoukas, A. Varma, K. K. Ramakrishnan: "Explicit Window Adaptation: A Method to
 * Enhance TCP Performance", INFOCOM 1998, after nis-2004 section 12.2 and Table F.1.
 * Every 10 ms, in packets:
 *
 *   sending window = max(MSS, alpha * log2(B - Q) * MSS)              (12.1)
 *   alpha += w_up if mean Q < 0.2 B; alpha *= w_down if > 0.6 B       (12.2)
 *   mean Q = 127/128 mean Q + 1/128 Q                                 (12.3)
 *   W' = min(sending window, Wr)                                      (12.4)
 *
 * The product in (12.2) is that of the original; ewt-2019 eq. 4 subtracts.
 */
#ifndef PENSTOCK_CORE_LAW_EWA_H
#define PENSTOCK_CORE_LAW_EWA_H

#include "../math/average.h"
#include "../math/log2.h"
#include "ack.h"
#include "packets.h"

#define PST_EWA_TITLE "EWA, explicit window adaptation"
#define PST_EWA_SOURCE "nis-2004 section 12.2, eq. 12.1 to 12.4"
#define PST_EWA_FORMULA                                                  \
	"min(window_bytes, cap_bytes, max(mss_bytes, alpha * "           \
	"log2(max(1, free_pkts)) * mss_bytes))"

#define PST_EWA_PARAMS(P)                                                     \
	P(interval_ns, PST_NS, PST_IS(10000000), 100000, PST_MAX_NS,          \
	  "interval between measurements of the queue",                       \
	  "nis-2004 section 12.2.1")                                          \
	P(weight_q32, PST_RATIO_Q32, PST_IS(33554432), 4295, PST_Q32_ONE,     \
	  "weight of one measurement in the mean queue (g)",                  \
	  "nis-2004 eq. 12.3")                                                \
	P(low_q16, PST_RATIO_Q16, PST_IS(13107), 0, PST_Q16_ONE,              \
	  "fraction of B below which alpha grows", "nis-2004 section 12.2.1") \
	P(high_q16, PST_RATIO_Q16, PST_IS(39322), 0, PST_Q16_ONE,             \
	  "fraction of B above which alpha shrinks", "nis-2004 section 12.2.1") \
	P(up_q16, PST_RATIO_Q16, PST_IS(8192), 0, 1048576,                    \
	  "increment of alpha (w_up)", "nis-2004 section 12.2.1")             \
	P(down_q16, PST_RATIO_Q16, PST_IS(63488), 0, PST_Q16_ONE,             \
	  "factor by which alpha decreases (w_down)", "nis-2004 section 12.2.1") \
	P(max_alpha_q16, PST_RATIO_Q16, PST_IS(16777216), PST_Q16_ONE,        \
	  67108864,                                                           \
	  "upper bound of alpha; at 256 the cap applies for any B - Q > 1",   \
	  "nis-2004 section 12.2.3")                                          \
	P(cap_bytes, PST_BYTES, PST_IS(373760), 1, PST_MAX_BYTES,             \
	  "largest sending window", "nis-2004 section 15.3.4")                \
	PST_PACKET_PARAM(P, "F.1")

#define PST_EWA_STATE(S)                                                     \
	S(alpha_q16, PST_RATIO_Q16, "utilization factor")                    \
	S(mean_pkts_q16, PST_PKTS, "mean queue")                             \
	S(free_pkts, PST_PKTS, "B - Q at the last measurement")              \
	S(segments_q16, PST_RATIO_Q16,                                       \
	  "alpha * log2(B - Q), the sending window in segments")

struct pst_ewa_params {
	PST_EWA_PARAMS(PST_PARAM_FIELD)
};

struct pst_ewa_state {
	PST_EWA_STATE(PST_STATE_FIELD)
};

/* B in packets, < 2^32. */
PST_FN u64 pst_ewa_limit_pkts(const struct pst_ewa_params *p,
			      const struct pst_queue *q)
{
	if (q->limit_packets)
		return pst_min(q->limit_packets, PST_MAX_PKTS);
	return pst_min(q->limit_bytes / p->packet_bytes, PST_MAX_PKTS);
}

/* Equation 12.1 without the factor MSS and the minimum. */
PST_FN void pst_ewa_measure(const struct pst_ewa_params *p,
			    struct pst_ewa_state *s, const struct pst_queue *q)
{
	s->free_pkts = pst_sub_floor(pst_ewa_limit_pkts(p, q),
				     pst_packets_queued(q, p->packet_bytes));
	s->segments_q16 = (s->alpha_q16 * pst_log2_q16(s->free_pkts)) >> 16;
}

PST_FN void pst_ewa_init(const struct pst_ewa_params *p,
			 struct pst_ewa_state *s, const struct pst_queue *q)
{
	s->alpha_q16 = PST_Q16_ONE;
	s->mean_pkts_q16 = 0;
	pst_ewa_measure(p, s, q);
}

PST_FN u64 pst_ewa_on_tick(const struct pst_ewa_params *p,
			   struct pst_ewa_state *s, const struct pst_queue *q)
{
	u64 limit_pkts = pst_ewa_limit_pkts(p, q);

	s->mean_pkts_q16 = pst_average_q16(s->mean_pkts_q16,
					   pst_packets_queued(q, p->packet_bytes),
					   p->weight_q32);
	if (s->mean_pkts_q16 < p->low_q16 * limit_pkts)
		s->alpha_q16 = pst_min(s->alpha_q16 + p->up_q16,
				       p->max_alpha_q16);
	else if (s->mean_pkts_q16 > p->high_q16 * limit_pkts)
		s->alpha_q16 = (s->alpha_q16 * p->down_q16) >> 16;
	pst_ewa_measure(p, s, q);
	return p->interval_ns;
}

PST_FN u64 pst_ewa_on_ack(const struct pst_ewa_params *p,
			  struct pst_ewa_state *s, const struct pst_queue *q,
			  const struct pst_ack *a)
{
	u64 sending_bytes = (s->segments_q16 * a->mss_bytes) >> 16;

	(void)q;
	sending_bytes = pst_max(sending_bytes, a->mss_bytes);
	return pst_min(a->window_bytes, pst_min(sending_bytes, p->cap_bytes));
}

#endif
