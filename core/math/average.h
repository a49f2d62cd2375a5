/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exponentially weighted averages in fixed point.
 *
 *   avg = (1 - w) * avg + w * x  =  avg + w * (x - avg)
 *
 * The weight is a q32 ratio (0 .. PST_Q32_ONE), the average a q16 number below
 * 2^56. The step w * |x - avg| is rounded down, so an average stops short of a
 * constant input by less than 1 / (w * 2^16).
 */
#ifndef PENSTOCK_CORE_MATH_AVERAGE_H
#define PENSTOCK_CORE_MATH_AVERAGE_H

#include "../base.h"

/* floor(v * ratio) for any v and ratio_q32 <= PST_Q32_ONE. */
PST_FN u64 pst_mul_q32(u64 v, u64 ratio_q32)
{
	return (v >> 32) * ratio_q32 + (((v & 0xffffffffU) * ratio_q32) >> 32);
}

/* The average after the sample @x, which is < 2^40. */
PST_FN u64 pst_average_q16(u64 avg_q16, u64 x, u64 weight_q32)
{
	u64 x_q16 = x << 16;

	if (x_q16 >= avg_q16)
		return avg_q16 + pst_mul_q32(x_q16 - avg_q16, weight_q32);
	return avg_q16 - pst_mul_q32(avg_q16 - x_q16, weight_q32);
}

/* ratio^n by squaring, rounded down at each step; n < 2^32. No branch depends on @n. */
PST_FN u64 pst_power_q32(u64 ratio_q32, u64 n)
{
	u64 result = PST_Q32_ONE;
	int i;

	for (i = 0; i < 32; i++) {
		u64 bit = pst_opaque(n & 1);

		result = pst_mul_q32(result, bit * ratio_q32 + (1 - bit) * PST_Q32_ONE);
		n >>= 1;
		ratio_q32 = pst_mul_q32(ratio_q32, ratio_q32);
	}
	return result;
}

#endif
