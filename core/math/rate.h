/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rate of arrivals as an exponential average that follows the time between them:
 *
 *   r = (1 - e^(-T / K)) * l / T + e^(-T / K) * r        (nis-2004 12.20)
 *
 * for l bytes, a time T after the previous arrival. K is the averaging time.
 */
#ifndef PENSTOCK_CORE_MATH_RATE_H
#define PENSTOCK_CORE_MATH_RATE_H

#include "../base.h"
#include "log2.h"

#define PST_RATE_MAX_BYTES_PER_S 0xffffffffULL
#define PST_RATE_MIN_AVERAGE_NS 1000000ULL
#define PST_RATE_MAX_AVERAGE_NS (10 * PST_NS_PER_S)

/* State of one aggregate; initially all zero. */
struct pst_rate {
	u64 bytes_per_s;
	u64 last_ns;
	u64 known;	/* there was an arrival */
};

/* (1 - e^-x) / x, x < 2^8: by its series where the difference would lose precision. */
PST_FN u64 pst_rate_weight_q31(u64 x_q32)
{
	if (x_q32 < 1 << 24)
		return PST_Q31_ONE - (x_q32 >> 2) + (x_q32 * x_q32 >> 33) / 6;
	return ((PST_Q31_ONE - pst_exp_decay_q31(x_q32)) << 32) / x_q32;
}

/*
 * @bytes (at most 2^20) arrive; @average_ns is K. The first arrival counts as K after
 * another, and no gap as longer than 255 K.
 */
PST_FN void pst_rate_add(struct pst_rate *r, u64 bytes, u64 now_ns, u64 average_ns)
{
	u64 k_ns = pst_clamp(average_ns, PST_RATE_MIN_AVERAGE_NS,
			     PST_RATE_MAX_AVERAGE_NS);
	u64 t_ns = r->known ? pst_sub_floor(now_ns, r->last_ns) : k_ns;
	u64 x_q32 = pst_mul_div(pst_min(t_ns, 255 * k_ns), PST_Q32_ONE, k_ns);
	u64 weight_q31 = pst_rate_weight_q31(x_q32);
	u64 kept_q31 = pst_sub_floor(PST_Q31_ONE,
				     pst_mul_div(x_q32, weight_q31, PST_Q32_ONE));
	u64 gained_q31 = pst_mul_div(bytes * weight_q31 >> 7, PST_NS_PER_S, k_ns)
			 << 7;

	r->bytes_per_s = pst_min((r->bytes_per_s * kept_q31 + gained_q31 +
				  PST_Q31_ONE / 2) >> 31,
				 PST_RATE_MAX_BYTES_PER_S);
	r->last_ns = now_ns;
	r->known = 1;
}

#endif
