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
 * Table E.2 row 3 is misprinted: its angles are -0.10, -0.05, 0.05 and 0.10.
 */
#ifndef PENSTOCK_CORE_CONTROL_FEWA_H
#define PENSTOCK_CORE_CONTROL_FEWA_H

#include "../queue/log2.h"
#include "../queue/queue.h"
#include "ack.h"

#define PST_FEWA_TITLE "FEWA, fuzzy explicit window adaptation"
#define PST_FEWA_SOURCE "nis-2004 section 13.2, Appendix E, Table F.2"
#define PST_FEWA_FORMULA                                                 \
	"min(window_bytes, cap_bytes, max(1, round(alpha * "             \
	"log2(max(1, free_pkts)))) * mss_bytes)"

#define PST_FEWA_MAX_ALPHA_Q16 67108864ULL /* 1,024 */

#define PST_FEWA_PARAMS(P)                                                     \
	P(interval_ns, PST_NS, PST_IS(10000000), 100000, PST_MAX_NS,           \
	  "time between two measurements of the queue",                        \
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
	P(packet_bytes, PST_BYTES, PST_IS(1500), 1, 65535,                     \
	  "packet size that turns a queue limit in bytes into packets",        \
	  "nis-2004 Table F.2: B is in packets")

#define PST_FEWA_STATE(S)                                                     \
	S(alphas_1_q16, PST_RATIO_Q16, "alpha_1 for this queue limit")        \
	S(alphas_2_q16, PST_RATIO_Q16, "alpha_2")                             \
	S(alphas_3_q16, PST_RATIO_Q16, "alpha_3")                             \
	S(alphas_4_q16, PST_RATIO_Q16, "alpha_4")                             \
	S(alphas_5_q16, PST_RATIO_Q16, "alpha_5")                             \
	S(alphas_6_q16, PST_RATIO_Q16, "alpha_6")                             \
	S(queue_memberships_1_q16, PST_RATIO_Q16, "the queue is empty")       \
	S(queue_memberships_2_q16, PST_RATIO_Q16, "it is short")              \
	S(queue_memberships_3_q16, PST_RATIO_Q16, "it is moderate")           \
	S(queue_memberships_4_q16, PST_RATIO_Q16, "it is long")               \
	S(queue_memberships_5_q16, PST_RATIO_Q16, "it is full")               \
	S(queue_memberships_6_q16, PST_RATIO_Q16, "it is congested")          \
	S(growth_memberships_1_q16, PST_RATIO_Q16, "it decreases fast")       \
	S(growth_memberships_2_q16, PST_RATIO_Q16, "it decreases slowly")     \
	S(growth_memberships_3_q16, PST_RATIO_Q16, "its growth is zero")      \
	S(growth_memberships_4_q16, PST_RATIO_Q16, "it increases slowly")     \
	S(growth_memberships_5_q16, PST_RATIO_Q16, "it increases fast")       \
	S(weights_1_q16, PST_RATIO_Q16, "weight of alpha_1")                  \
	S(weights_2_q16, PST_RATIO_Q16, "weight of alpha_2")                  \
	S(weights_3_q16, PST_RATIO_Q16, "weight of alpha_3")                  \
	S(weights_4_q16, PST_RATIO_Q16, "weight of alpha_4")                  \
	S(weights_5_q16, PST_RATIO_Q16, "weight of alpha_5")                  \
	S(weights_6_q16, PST_RATIO_Q16, "weight of alpha_6")                  \
	S(alpha_q16, PST_RATIO_Q16, "utilization factor")                     \
	S(free_pkts, PST_PKTS, "B - Q at the last measurement")               \
	S(queue_pkts, PST_PKTS, "Q at the last measurement")                  \
	S(segments, PST_COUNT, "the sending window in segments")              \
	S(limit_pkts, PST_PKTS, "B that the alphas are for; 0 at the start")  \
	S(measured, PST_FLAG, "there was a measurement before")

struct pst_fewa_params {
	PST_FEWA_PARAMS(PST_PARAM_FIELD)
};

struct pst_fewa_state {
	PST_FEWA_STATE(PST_STATE_FIELD)
};

#define PST_FEWA_OPEN 1099511627776ULL /* an end that is never reached */

/* Table E.1, M(k, angles): Q / QT in hundredths. */
#define PST_FEWA_QUEUE(M)             \
	M(1, 0, 0, 20, 40)            \
	M(2, 30, 50, 80, 90)          \
	M(3, 80, 90, 110, 120)        \
	M(4, 110, 120, 140, 160)      \
	M(5, 150, 170, 190, 200)      \
	M(6, 190, 200, PST_FEWA_OPEN, PST_FEWA_OPEN)

/* Table E.2, M(k, angles): 1 + (Q_i - Q_(i-1)) / B in hundredths. */
#define PST_FEWA_GROWTH(M)            \
	M(1, 0, 0, 80, 85)            \
	M(2, 80, 85, 90, 95)          \
	M(3, 90, 95, 105, 110)        \
	M(4, 105, 110, 115, 120)      \
	M(5, 115, 120, PST_FEWA_OPEN, PST_FEWA_OPEN)

/* Section E.1 from R2 to R21, R(queue, growth, alpha). */
#define PST_FEWA_RULES(R)                                        \
	R(2, 1, 5) R(2, 2, 5) R(2, 3, 5) R(2, 4, 5) R(2, 5, 4)   \
	R(3, 1, 5) R(3, 2, 4) R(3, 3, 4) R(3, 4, 4) R(3, 5, 3)   \
	R(4, 1, 3) R(4, 2, 3) R(4, 3, 2) R(4, 4, 2) R(4, 5, 2)   \
	R(5, 1, 2) R(5, 2, 2) R(5, 3, 2) R(5, 4, 2) R(5, 5, 2)

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

/* Q in packets, a part of one counted whole. */
PST_FN u64 pst_fewa_queue_pkts(const struct pst_fewa_params *p,
			       const struct pst_queue *q)
{
	if (q->limit_packets)
		return pst_min(q->packets, PST_MAX_PKTS);
	return pst_min(pst_round_up(q->bytes, p->packet_bytes) /
			       p->packet_bytes, PST_MAX_PKTS);
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

/* A trapezoid of height 1 over its four angles, in hundredths. */
PST_FN u64 pst_fewa_membership_q16(u64 x_q16, u64 rise, u64 top, u64 fall,
				   u64 end)
{
	if (x_q16 < top << 16)
		return pst_sub_floor(x_q16, rise << 16) /
		       pst_max(top - rise, 1);
	if (x_q16 > fall << 16)
		return pst_sub_floor(end << 16, x_q16) /
		       pst_max(end - fall, 1);
	return PST_Q16_ONE;
}

/* How far each linguistic value holds; 13.2.1.2. */
PST_FN void pst_fewa_fuzzify(struct pst_fewa_state *s, u64 queue_q16,
			     u64 growth_q16)
{
#define PST_FEWA_VALUE(k, ...)           \
	s->queue_memberships_##k##_q16 = \
		pst_fewa_membership_q16(queue_q16, __VA_ARGS__);
	PST_FEWA_QUEUE(PST_FEWA_VALUE)
#undef PST_FEWA_VALUE
#define PST_FEWA_VALUE(k, ...)            \
	s->growth_memberships_##k##_q16 = \
		pst_fewa_membership_q16(growth_q16, __VA_ARGS__);
	PST_FEWA_GROWTH(PST_FEWA_VALUE)
#undef PST_FEWA_VALUE
}

/* The 22 rules by sum and product, 13.9; R1 and R22 do not look at the growth. */
PST_FN void pst_fewa_infer(struct pst_fewa_state *s)
{
	s->weights_1_q16 = s->queue_memberships_6_q16;
	s->weights_2_q16 = 0;
	s->weights_3_q16 = 0;
	s->weights_4_q16 = 0;
	s->weights_5_q16 = 0;
	s->weights_6_q16 = s->queue_memberships_1_q16;
#define PST_FEWA_RULE(queue, growth, alpha)                           \
	s->weights_##alpha##_q16 += (s->queue_memberships_##queue##_q16 * \
				     s->growth_memberships_##growth##_q16) >> 16;
	PST_FEWA_RULES(PST_FEWA_RULE)
#undef PST_FEWA_RULE
}

/* 13.11: the centre of gravity of the weights alone. */
PST_FN u64 pst_fewa_gravity_q16(const struct pst_fewa_state *s)
{
	u64 moment = 0;
	u64 weight = 0;

#define PST_FEWA_WEIGH(k, ...)                                \
	moment += s->weights_##k##_q16 * s->alphas_##k##_q16; \
	weight += s->weights_##k##_q16;
	PST_FEWA_ALPHAS(PST_FEWA_WEIGH)
#undef PST_FEWA_WEIGH
	return moment / pst_max(weight, 1);
}

/* One control interval: equations 13.1 and 13.2. */
PST_FN void pst_fewa_measure(const struct pst_fewa_params *p,
			     struct pst_fewa_state *s, const struct pst_queue *q)
{
	u64 limit_pkts = pst_fewa_limit_pkts(p, q);
	u64 queue_pkts = pst_fewa_queue_pkts(p, q);
	u64 target_pkts = pst_max((limit_pkts * p->target_q16) >> 16, 1);
	u64 before_pkts = s->measured ? s->queue_pkts : queue_pkts;
	u64 grown_pkts = pst_sub_floor(limit_pkts + queue_pkts, before_pkts);

	if (s->limit_pkts != limit_pkts)
		pst_fewa_select(p, s, limit_pkts);
	pst_fewa_fuzzify(s, (queue_pkts * 100 << 16) / target_pkts,
			 (grown_pkts * 100 << 16) / limit_pkts);
	pst_fewa_infer(s);
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
