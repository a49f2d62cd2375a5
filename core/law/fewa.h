/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * FEWA, fuzzy explicit window adaptation.
 *
 * M. Savoric: nis-2004 section 13.2, Appendix E and Table F.2. EWA's window, with alpha
 * from a fuzzy controller over the queue and its growth. Every 10 ms, in packets:
 *
 *   sending window = max(MSS, round(alpha * log2(B - Q_i)) * MSS)          (13.1)
 *   alpha = f(Q_i, Q_(i-1))                                                (13.2)
 *   x = Q_i / QT, QT = floor(0.25 B); g = (Q_i - Q_(i-1)) / B
 *   w(alpha_k) = sum of w(queue value) * w(growth value) over its rules    (13.9)
 *   alpha = sum of w(alpha_k) * alpha_k / sum of w(alpha_k)                (13.11)
 *   alpha_k for B' other than B = 99: alpha_k * theta_k,
 *   theta_k = (log2(1 - f_k) + log2(B)) / (log2(1 - f_k) + log2(B'))        (E.6)
 *
 * Table E.2 row 3 is misprinted: its corner points are -0.10, -0.05, 0.05 and 0.10.
 */
#ifndef PENSTOCK_CORE_LAW_FEWA_H
#define PENSTOCK_CORE_LAW_FEWA_H

#include "../math/fuzzy.h"
#include "../math/log2.h"
#include "ack.h"
#include "packets.h"

#define PST_FEWA_TITLE "FEWA, fuzzy explicit window adaptation"
#define PST_FEWA_SOURCE "nis-2004 section 13.2, Appendix E, Table F.2"
#define PST_FEWA_FORMULA                                                 \
	"min(window_bytes, cap_bytes, max(1, round(alpha * "             \
	"log2(max(1, free_pkts)))) * mss_bytes)"

#define PST_FEWA_MAX_ALPHA_Q16 67108864ULL /* 1,024 */

#define PST_FEWA_PARAMS(P)                                                     \
	P(interval_ns, PST_NS, PST_IS(10000000), 100000, PST_MAX_NS,           \
	  "interval between measurements of the queue",                       \
	  "nis-2004 section 13.2.1")                                           \
	P(target_q16, PST_RATIO_Q16, PST_IS(16384), 656, 29491,                \
	  "target queue over the limit (QT / B)", "nis-2004 section 13.2.1.2") \
	P(alpha_1_q16, PST_RATIO_Q16, PST_IS(65536), 0,                        \
	  PST_FEWA_MAX_ALPHA_Q16, "alpha where it is very very little",        \
	  "nis-2004 eq. 13.11")                                                \
	P(alpha_2_q16, PST_RATIO_Q16, PST_IS(131072), 0,                       \
	  PST_FEWA_MAX_ALPHA_Q16, "alpha where it is very little",             \
	  "nis-2004 eq. 13.11")                                                \
	P(alpha_3_q16, PST_RATIO_Q16, PST_IS(262144), 0,                       \
	  PST_FEWA_MAX_ALPHA_Q16, "alpha where it is little",                  \
	  "nis-2004 eq. 13.11")                                                \
	P(alpha_4_q16, PST_RATIO_Q16, PST_IS(393216), 0,                       \
	  PST_FEWA_MAX_ALPHA_Q16, "alpha where it is medium",                  \
	  "nis-2004 eq. 13.11")                                                \
	P(alpha_5_q16, PST_RATIO_Q16, PST_IS(589824), 0,                       \
	  PST_FEWA_MAX_ALPHA_Q16, "alpha where it is high",                    \
	  "nis-2004 eq. 13.11")                                                \
	P(alpha_6_q16, PST_RATIO_Q16, PST_IS(983040), 0,                       \
	  PST_FEWA_MAX_ALPHA_Q16, "alpha where it is very high",               \
	  "nis-2004 eq. 13.11")                                                \
	P(reference_pkts, PST_PKTS, PST_IS(99), 1, PST_MAX_PKTS,               \
	  "queue limit for which the alphas are given (B of E.6)",             \
	  "nis-2004 section E.3")                                              \
	P(mirrored, PST_FLAG, PST_IS(0), 0, 1,                                 \
	  "scale alpha_k by the queue at which the rules use it, and not by "  \
	  "row k of Table E.1 as E.6 is printed",                              \
	  "our choice; docs/methods/fewa.md")                                  \
	P(cap_bytes, PST_BYTES, PST_IS(373760), 1, PST_MAX_BYTES,              \
	  "largest sending window", "nis-2004 section 15.3.4")                 \
	PST_PACKET_PARAM(P, "F.2")

#define PST_FEWA_OWN_STATE(S)                                                   \
	S(alphas_1_q16, PST_RATIO_Q16, "alpha_1 for this queue limit")        \
	S(alphas_2_q16, PST_RATIO_Q16, "alpha_2")                             \
	S(alphas_3_q16, PST_RATIO_Q16, "alpha_3")                             \
	S(alphas_4_q16, PST_RATIO_Q16, "alpha_4")                             \
	S(alphas_5_q16, PST_RATIO_Q16, "alpha_5")                             \
	S(alphas_6_q16, PST_RATIO_Q16, "alpha_6")                             \
	S(alpha_q16, PST_RATIO_Q16, "utilization factor")                     \
	S(free_pkts, PST_PKTS, "B - Q at the last measurement")               \
	S(queue_pkts, PST_PKTS, "Q at the last measurement")                  \
	S(segments, PST_COUNT, "the sending window in segments")              \
	S(limit_pkts, PST_PKTS, "B that the alphas are for; 0 at the start")  \
	S(measured, PST_FLAG, "there was a measurement before")

#define PST_FEWA_STATE(S) PST_FUZZY_STATE(S) PST_FEWA_OWN_STATE(S)

struct pst_fewa_params {
	PST_FEWA_PARAMS(PST_PARAM_FIELD)
};

struct pst_fewa_state {
	struct pst_fuzzy fuzzy;
	PST_FEWA_OWN_STATE(PST_STATE_FIELD)
};

/* Equation E.5, A(k, f_k * T as printed, and mirrored), in hundredths. */
#define PST_FEWA_ALPHAS(A) \
	A(1, 10, 200)      \
	A(2, 65, 180)      \
	A(3, 100, 130)     \
	A(4, 130, 100)     \
	A(5, 180, 65)      \
	A(6, 200, 10)

/* B in packets, 1 .. 2^30. */
PST_FN u64 pst_fewa_limit_pkts(const struct pst_fewa_params *p,
			       const struct pst_queue *q)
{
	if (q->limit_packets)
		return pst_min(q->limit_packets, PST_MAX_PKTS);
	return pst_clamp(q->limit_bytes / p->packet_bytes, 1, PST_MAX_PKTS);
}

/* log2((1 - f) * packets), at least 1: as if two packets were free. */
PST_FN u64 pst_fewa_log_q16(u64 log_pkts_q16, u64 free_part_q16)
{
	u64 lost_q16 = (16ULL << 16) - pst_log2_q16(free_part_q16);

	return pst_max(pst_sub_floor(log_pkts_q16, lost_q16), PST_Q16_ONE);
}

/* Equation E.6; @hundredths is f_k * T. */
PST_FN u64 pst_fewa_scale_q16(const struct pst_fewa_params *p, u64 alpha_q16,
			      u64 hundredths, u64 reference_q16, u64 limit_q16)
{
	u64 free_q16 = PST_Q16_ONE - hundredths * p->target_q16 / 100;

	return pst_min(alpha_q16 * pst_fewa_log_q16(reference_q16, free_q16) /
			       pst_fewa_log_q16(limit_q16, free_q16),
		       PST_FEWA_MAX_ALPHA_Q16);
}

/* The alphas for @limit_pkts. */
PST_FN void pst_fewa_select(const struct pst_fewa_params *p,
			    struct pst_fewa_state *s, u64 limit_pkts)
{
	u64 reference_q16 = pst_log2_q16(p->reference_pkts);
	u64 limit_q16 = pst_log2_q16(limit_pkts);

#define PST_FEWA_ALPHA(k, printed, mirror)                                    \
	s->alphas_##k##_q16 = pst_fewa_scale_q16(                             \
		p, p->alpha_##k##_q16, p->mirrored ? (mirror) : (printed),    \
		reference_q16, limit_q16);
	PST_FEWA_ALPHAS(PST_FEWA_ALPHA)
#undef PST_FEWA_ALPHA
	s->limit_pkts = limit_pkts;
}

/* 13.11: the weighted mean. */
PST_FN u64 pst_fewa_gravity_q16(const struct pst_fewa_state *s)
{
	u64 moment = 0;
	u64 weight = 0;

#define PST_FEWA_WEIGH(k, ...)                                \
	moment += s->fuzzy.weights_##k##_q16 * s->alphas_##k##_q16; \
	weight += s->fuzzy.weights_##k##_q16;
	PST_FEWA_ALPHAS(PST_FEWA_WEIGH)
#undef PST_FEWA_WEIGH
	return moment / pst_max(weight, 1);
}

/* One control interval: equations 13.1 and 13.2. */
PST_FN void pst_fewa_measure(const struct pst_fewa_params *p,
			     struct pst_fewa_state *s, const struct pst_queue *q)
{
	u64 limit_pkts = pst_fewa_limit_pkts(p, q);
	u64 queue_pkts = pst_packets_queued(q, p->packet_bytes);
	u64 target_pkts = pst_max((limit_pkts * p->target_q16) >> 16, 1);
	u64 before_pkts = s->measured ? s->queue_pkts : queue_pkts;
	u64 grown_pkts = pst_sub_floor(limit_pkts + queue_pkts, before_pkts);

	if (s->limit_pkts != limit_pkts)
		pst_fewa_select(p, s, limit_pkts);
	pst_fuzzy_fuzzify(&s->fuzzy, (queue_pkts * 100 << 16) / target_pkts,
			 (grown_pkts * 100 << 16) / limit_pkts);
	pst_fuzzy_infer(&s->fuzzy);
	s->alpha_q16 = pst_fewa_gravity_q16(s);
	s->free_pkts = pst_sub_floor(limit_pkts, queue_pkts);
	s->segments = (s->alpha_q16 * pst_log2_q16(s->free_pkts) +
		       (1ULL << 31)) >> 32;
	s->queue_pkts = queue_pkts;
}

PST_FN void pst_fewa_init(const struct pst_fewa_params *p,
			  struct pst_fewa_state *s, const struct pst_queue *q)
{
	pst_fewa_measure(p, s, q);
}

PST_FN u64 pst_fewa_on_tick(const struct pst_fewa_params *p,
			    struct pst_fewa_state *s, const struct pst_queue *q)
{
	pst_fewa_measure(p, s, q);
	s->measured = 1;
	return p->interval_ns;
}

PST_FN u64 pst_fewa_on_ack(const struct pst_fewa_params *p,
			   struct pst_fewa_state *s, const struct pst_queue *q,
			   const struct pst_ack *a)
{
	u64 sending_bytes = pst_max(s->segments, 1) * a->mss_bytes;

	(void)q;
	return pst_min(a->window_bytes, pst_min(sending_bytes, p->cap_bytes));
}

#endif
