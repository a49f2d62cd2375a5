/* SPDX-License-Identifier: GPL-2.0-only */
/* Binary logarithm and power of two in fixed point: roots and exponential decay. */
#ifndef PENSTOCK_CORE_MATH_LOG2_H
#define PENSTOCK_CORE_MATH_LOG2_H

#include "../base.h"

#define PST_Q31_ONE 2147483648ULL
#define PST_LN2_Q32 2977044472ULL
#define PST_LOG2_E_Q31 3098164010ULL

/*
 * The first @bits bits of log2(@m_q31), where @m_q31 is in [1, 2). The number is squared
 * once per bit; each square of 2 or more gives a one. Branch-free, because the kernel's
 * verifier would follow both sides of each branch.
 */
PST_FN u64 pst_log2_fraction(u64 m_q31, int bits)
{
	u64 log = 0;
	u64 bit;
	int i;

	for (i = bits - 1; i >= 0; i--) {
		m_q31 = (m_q31 * m_q31) >> 31;
		bit = pst_opaque(m_q31 >> 32);
		m_q31 >>= bit;
		log += bit << i;
	}
	return log;
}

/* floor(log2(v) * 2^16) up to 1 in the last place; v < 2^32, and 0 for v <= 1. */
PST_FN u64 pst_log2_q16(u64 v)
{
	u32 places;

	if (v <= 1)
		return 0;
	places = 32 - pst_bit_length(v);
	return ((31ULL - places) << 16) + pst_log2_fraction(v << places, 16);
}

/* log2(v), accurate to 2^-29; v < 2^63, and 0 for v <= 1. */
PST_FN u64 pst_log2_q32(u64 v)
{
	u32 places;

	if (v <= 1)
		return 0;
	places = 63 - pst_bit_length(v);
	return ((62ULL - places) << 32) + pst_log2_fraction(v << places >> 31, 32);
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
