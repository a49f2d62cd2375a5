/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cubic function of RFC 9438 and its inverse in integers. Times are q20
 * seconds (2^-20 s), at most 2^30 of them (1024 s).
 */
#ifndef PENSTOCK_CORE_SENDER_CUBIC_MATH_H
#define PENSTOCK_CORE_SENDER_CUBIC_MATH_H

#include "../base.h"

#define PST_CUBIC_MAX_T_Q20 1073741824ULL

PST_FN u64 pst_cubic_time_q20(u64 ns)
{
	return pst_min(pst_mul_div(pst_min(ns, PST_MAX_NS), 1ULL << 20,
				   PST_NS_PER_S),
		       PST_CUBIC_MAX_T_Q20);
}

#define PST_CUBE_ROOT_MOST 2642245ULL	/* its cube is the largest below 2^64 */
#define PST_CUBE_ROOT_STEPS 7		/* from twice the root to it */

/*
 * floor(v^(1/3)) by Newton steps from above, which never fall below it. Their number does
 * not depend on @v, because the kernel's verifier follows each branch on known bits.
 */
PST_FN u64 pst_cube_root(u64 v)
{
	u64 root;
	int i;

	if (!v)
		return 0;
	root = 1ULL << ((pst_bit_length(v) + 2) / 3);
	for (i = 0; i < PST_CUBE_ROOT_STEPS; i++)
		root = pst_min(root, (2 * root + v / (root * root)) / 3);
	root = pst_min(root, PST_CUBE_ROOT_MOST);
	return root * root * root > v ? root - 1 : root;
}

/*
 * C * t^3 in bytes, rounded down, for @t_q20 <= 2^30; c_bytes_q16 = C * SMSS <= 2^36. t^3
 * is q10 and t^2 is q20, so the result is too small by at most C * SMSS / 512 + 1 bytes.
 */
PST_FN u64 pst_cubic_bytes(u64 t_q20, u64 c_bytes_q16)
{
	u64 square_q20 = (t_q20 * t_q20) >> 20;
	u64 cube_q10 = pst_mul_div(square_q20, t_q20, 1ULL << 30);

	return pst_mul_div(cube_q10, c_bytes_q16, 1ULL << 26);
}

/*
 * K = cbrt(distance / (C * SMSS)) as q20 seconds, at most 2^30. The radicand is shifted
 * up in steps of three bits, so that its root keeps 20 bits or more.
 */
PST_FN u64 pst_cubic_k_q20(u64 distance_bytes, u64 c_bytes_q16)
{
	u64 x = pst_mul_div(distance_bytes, 1ULL << 37, c_bytes_q16);
	u32 root_bits, steps;
	u64 root;

	if (!x)
		return 0;
	steps = (64 - pst_bit_length(x)) / 3;
	root_bits = 7 + steps; /* x is q21, its root q7 */
	root = pst_cube_root(x << (3 * steps));
	root = root_bits > 20 ? root >> (root_bits - 20)
			      : root << (20 - root_bits);
	return pst_min(root, PST_CUBIC_MAX_T_Q20);
}

#endif
