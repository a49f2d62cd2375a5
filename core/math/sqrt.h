/* SPDX-License-Identifier: GPL-2.0-only */
/* The square root of an integer. */
#ifndef PENSTOCK_CORE_MATH_SQRT_H
#define PENSTOCK_CORE_MATH_SQRT_H

#include "../base.h"

/* floor(sqrt(v)) for any v, one bit of the result per step. */
PST_FN u64 pst_sqrt(u64 v)
{
	u64 root = 0;
	u64 bit = 1ULL << 62;
	int i;

	for (i = 0; i < 32; i++) {
		if (v >= root + bit) {
			v -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
		bit >>= 2;
	}
	return root;
}

/*
 * The same or 1 more, for v > 0, without branches, which the BPF verifier would follow bit by
 * bit. Newton's method from a start that is within a factor of sqrt(2).
 */
PST_FN u64 pst_sqrt_newton(u64 v)
{
	u64 root = 1ULL << pst_bit_length(v) / 2;

	root = (root + v / root) / 2;
	root = (root + v / root) / 2;
	root = (root + v / root) / 2;
	root = (root + v / root) / 2;
	return root;
}

#endif
