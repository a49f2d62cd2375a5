/* SPDX-License-Identifier: GPL-2.0-only */
/* The binary logarithm in fixed point. */
#ifndef PENSTOCK_CORE_QUEUE_LOG2_H
#define PENSTOCK_CORE_QUEUE_LOG2_H

#include "../base.h"

/*
 * floor(log2(v) * 2^16) up to 1 in the last place; v < 2^32, and 0 for v <= 1. The
 * mantissa, in [1, 2) as q31, is squared sixteen times; each square of 2 or more gives a
 * one bit of the fraction. Branch-free, because the kernel's verifier would follow both
 * sides of each branch.
 */
PST_FN u64 pst_log2_q16(u64 v)
{
	u64 log_q16, bit;
	u32 places;
	int i;

	if (v <= 1)
		return 0;
	places = 32 - pst_bit_length(v);
	v <<= places;
	log_q16 = (31ULL - places) << 16;
	for (i = 15; i >= 0; i--) {
		v = (v * v) >> 31;
		bit = pst_opaque(v >> 32);
		v >>= bit;
		log_q16 += bit << i;
	}
	return log_q16;
}

#endif
