/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loss rate of a stream of packets, and the window that TCP has at it.
 *
 * S. Floyd, M. Handley, J. Padhye, J. Widmer: "TCP Friendly Rate Control (TFRC): Protocol
 * Specification", RFC 5348, 2008, sections 3.1 and 5.4. An interval I is the packets from
 * one loss to the next, I_0 those since the last, k of at most 8 are complete:
 *
 *   p   = 1 / I_mean, I_mean = max(sum I_i w_i, sum I_(i+1) w_i) / sum w_i, i = 0 .. k - 1
 *   w   = 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2
 *   X R = s / (sqrt(2 p / 3) + 12 sqrt(3 p / 8) p (1 + 32 p^2)), for b = 1 and t_RTO = 4 R
 */
#ifndef PENSTOCK_CORE_MATH_TFRC_H
#define PENSTOCK_CORE_MATH_TFRC_H

#include "../base.h"
#include "average.h"
#include "sqrt.h"

#define PST_TFRC_INTERVALS(I) I(1) I(2) I(3) I(4) I(5) I(6) I(7) I(8)
#define PST_TFRC_DEPTH 8

#define PST_TFRC_STATE(S)                                                   \
	S(open_pkts, PST_PKTS, "packets since the last loss (I_0)")         \
	S(losses, PST_COUNT, "complete loss intervals that are known (k)")  \
	S(interval_1_pkts, PST_PKTS, "the last complete interval (I_1)")    \
	S(interval_2_pkts, PST_PKTS, "the one before (I_2)")                \
	S(interval_3_pkts, PST_PKTS, "the one before (I_3)")                \
	S(interval_4_pkts, PST_PKTS, "the one before (I_4)")                \
	S(interval_5_pkts, PST_PKTS, "the one before (I_5)")                \
	S(interval_6_pkts, PST_PKTS, "the one before (I_6)")                \
	S(interval_7_pkts, PST_PKTS, "the one before (I_7)")                \
	S(interval_8_pkts, PST_PKTS, "the one before (I_8)")

struct pst_tfrc {
#define PST_TFRC_FIELD(name, unit, help) u64 name;
	PST_TFRC_STATE(PST_TFRC_FIELD)
#undef PST_TFRC_FIELD
};

PST_FN bool pst_tfrc_invariant(const struct pst_tfrc *t)
{
#define PST_TFRC_FITS(i) &&t->interval_##i##_pkts <= PST_MAX_PKTS
	return t->open_pkts <= PST_MAX_PKTS &&
	       t->losses <= PST_TFRC_DEPTH PST_TFRC_INTERVALS(PST_TFRC_FITS);
#undef PST_TFRC_FITS
}

PST_FN void pst_tfrc_arrive(struct pst_tfrc *t)
{
	PST_REQUIRE(pst_tfrc_invariant(t));
	t->open_pkts = pst_min(t->open_pkts + 1, PST_MAX_PKTS);
}

/* The packet that arrived last is lost or marked. */
PST_FN void pst_tfrc_lose(struct pst_tfrc *t)
{
	PST_REQUIRE(pst_tfrc_invariant(t));
	t->interval_8_pkts = t->interval_7_pkts;
	t->interval_7_pkts = t->interval_6_pkts;
	t->interval_6_pkts = t->interval_5_pkts;
	t->interval_5_pkts = t->interval_4_pkts;
	t->interval_4_pkts = t->interval_3_pkts;
	t->interval_3_pkts = t->interval_2_pkts;
	t->interval_2_pkts = t->interval_1_pkts;
	t->interval_1_pkts = pst_max(t->open_pkts, 1);
	t->open_pkts = 0;
	t->losses = pst_min(t->losses + 1, PST_TFRC_DEPTH);
	PST_ENSURE(pst_tfrc_invariant(t));
}

/* 5 w_i, and 0 from i = @k on. */
PST_FN u64 pst_tfrc_weight(u64 i, u64 k)
{
	if (i >= k)
		return 0;
	return pst_min(PST_TFRC_DEPTH - i, 5);
}

/* p; before the first loss at most 1 / I_0. In 1 .. 2^32 - 1. */
PST_FN u64 pst_tfrc_rate_q32(const struct pst_tfrc *t)
{
	u64 k = t->losses;
	u64 with_open = t->open_pkts * pst_tfrc_weight(0, k);
	u64 without = 0;
	u64 weight = 0;

	PST_REQUIRE(pst_tfrc_invariant(t));
	if (!k) {
		with_open = t->open_pkts;
		weight = 1;
	}
#define PST_TFRC_ADD(i)                                                    \
	with_open += t->interval_##i##_pkts * pst_tfrc_weight(i, k);       \
	without += t->interval_##i##_pkts * pst_tfrc_weight((i) - 1, k);   \
	weight += pst_tfrc_weight((i) - 1, k);
	PST_TFRC_INTERVALS(PST_TFRC_ADD)
#undef PST_TFRC_ADD
	return pst_clamp((weight << 32) / pst_max(pst_max(with_open, without), 1), 1,
			 PST_Q32_ONE - 1);
}

/* X R, the window of TCP with packets of @bytes (at most 2^20) at the loss rate p. */
PST_FN u64 pst_tfrc_window_bytes(u64 bytes, u64 p_q32)
{
	/* sqrt(2 p / 3) and sqrt(3 p / 8) */
	u64 lost_q32 = pst_sqrt((p_q32 << 32) / 3 * 2);
	u64 timed_q32 = pst_sqrt((p_q32 << 32) / 8 * 3);

	PST_REQUIRE(p_q32 && p_q32 < PST_Q32_ONE && bytes <= 1 << 20);
	/* 12 sqrt(3 p / 8) p, and that 32 p^2 times again */
	timed_q32 = 12 * pst_mul_q32(timed_q32, p_q32);
	timed_q32 += 32 * pst_mul_q32(pst_mul_q32(timed_q32, p_q32), p_q32);
	return (bytes << 32) / (lost_q32 + timed_q32);
}

#endif
