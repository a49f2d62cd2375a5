/* SPDX-License-Identifier: GPL-2.0-only */
/* Logarithm and power of two in fixed point: roots and exponential decay. */
#ifndef PENSTOCK_CORE_EXP2_H
#define PENSTOCK_CORE_EXP2_H

#include "base.h"

#define PST_Q31_ONE 2147483648ULL
#define PST_LN2_Q32 2977044472ULL
#define PST_LOG2_E_Q31 3098164010ULL

/*
 * log2(v), accurate to 2^-29; v < 2^63, and 0 for v <= 1. The mantissa, in [1, 2) as q31,
 * is squared; each square of 2 or more gives a one bit of the fraction. Branch-free,
 * because the kernel's verifier would follow both sides of each branch.
 */
PST_FN u64 pst_log2_q32(u64 v)
{
	u64 log_q32 = 62ULL << 32;
	u64 bit;
	int i;

	if (v <= 1)
		return 0;
	for (i = 5; i >= 0; i--) {
		/* 2^i bits, if as many are free: x + 2^32 - 1 has bit 32 set unless x is 0. */
		bit = ((v >> (63 - (1U << i))) + 0xffffffffULL) >> 32;
		bit = pst_opaque(bit ^ 1) << i;
		v <<= bit;
		log_q32 -= bit << 32;
	}
	v >>= 31;
	for (i = 31; i >= 0; i--) {
		v = (v * v) >> 31;
		bit = pst_opaque(v >> 32);
		v >>= bit;
		log_q32 += bit << i;
	}
	return log_q32;
}

/* 2^x for x in [0, 1), accurate to 2^-27: the series of e^(x ln 2). */
PST_FN u64 pst_exp2_q31(u64 x_q32)
{
	u64 y_q31 = ((x_q32 >> 1) * PST_LN2_Q32) >> 32;
	u64 term_q31 = PST_Q31_ONE;
	u64 sum_q31 = PST_Q31_ONE;
	u64 i;

	for (i = 1; i <= 12; i++) {
		term_q31 = ((term_q31 * y_q31) >> 31) / i;
		sum_q31 += term_q31;
	}
	return sum_q31;
}

/* e^-x for x < 2^8, accurate to 2^-27. */
PST_FN u64 pst_exp_decay_q31(u64 x_q32)
{
	u64 y_q32 = pst_mul_div(x_q32, PST_LOG2_E_Q31, PST_Q31_ONE);
	u64 whole = y_q32 >> 32;

	if (whole >= 31)
		return 0;
	return pst_exp2_q31(0xffffffffULL - (y_q32 & 0xffffffffULL)) >> (whole + 1);
}

/* @bytes * 2^@x, to the nearest byte, at most @most_bytes; all sizes <= 2^40. */
PST_FN u64 pst_scale_exp2(u64 bytes, u64 x_q32, u64 most_bytes)
{
	u64 whole = x_q32 >> 32;

	if (whole >= 40 || bytes << whole >= most_bytes)
		return most_bytes;
	bytes = pst_mul_div(bytes << whole, pst_exp2_q31(x_q32 & 0xffffffff),
			    PST_Q31_ONE / 2);
	return pst_min((bytes + 1) / 2, most_bytes);
}

#endif
