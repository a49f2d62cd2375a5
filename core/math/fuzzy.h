/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * FEWA's fuzzy controller up to the weights of its output: memberships of queue over
 * target and of its growth, and the 22 rules with sum-product inference.
 *
 * M. Savoric: nis-2004 section 13.2.1.2, sections E.1 and E.2, eq. 13.9.
 */
#ifndef PENSTOCK_CORE_MATH_FUZZY_H
#define PENSTOCK_CORE_MATH_FUZZY_H

#include "../base.h"

#define PST_FUZZY_STATE(S)                                                    \
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
	S(weights_1_q16, PST_RATIO_Q16, "weight of output 1")                  \
	S(weights_2_q16, PST_RATIO_Q16, "weight of output 2")                  \
	S(weights_3_q16, PST_RATIO_Q16, "weight of output 3")                  \
	S(weights_4_q16, PST_RATIO_Q16, "weight of output 4")                  \
	S(weights_5_q16, PST_RATIO_Q16, "weight of output 5")                  \
	S(weights_6_q16, PST_RATIO_Q16, "weight of output 6")

struct pst_fuzzy {
	PST_FUZZY_STATE(PST_STATE_FIELD)
};

#define PST_FUZZY_OPEN 1099511627776ULL /* an end that is never reached */

/* Table E.1, M(k, angles): Q / QT in hundredths. */
#define PST_FUZZY_QUEUE(M)             \
	M(1, 0, 0, 20, 40)            \
	M(2, 30, 50, 80, 90)          \
	M(3, 80, 90, 110, 120)        \
	M(4, 110, 120, 140, 160)      \
	M(5, 150, 170, 190, 200)      \
	M(6, 190, 200, PST_FUZZY_OPEN, PST_FUZZY_OPEN)

/* Table E.2, M(k, angles): 1 + (Q_i - Q_(i-1)) / B in hundredths. */
#define PST_FUZZY_GROWTH(M)            \
	M(1, 0, 0, 80, 85)            \
	M(2, 80, 85, 90, 95)          \
	M(3, 90, 95, 105, 110)        \
	M(4, 105, 110, 115, 120)      \
	M(5, 115, 120, PST_FUZZY_OPEN, PST_FUZZY_OPEN)

/* Section E.1 from R2 to R21, R(queue, growth, alpha). */
#define PST_FUZZY_RULES(R)                                        \
	R(2, 1, 5) R(2, 2, 5) R(2, 3, 5) R(2, 4, 5) R(2, 5, 4)   \
	R(3, 1, 5) R(3, 2, 4) R(3, 3, 4) R(3, 4, 4) R(3, 5, 3)   \
	R(4, 1, 3) R(4, 2, 3) R(4, 3, 2) R(4, 4, 2) R(4, 5, 2)   \
	R(5, 1, 2) R(5, 2, 2) R(5, 3, 2) R(5, 4, 2) R(5, 5, 2)

/* A trapezoid of height 1 over its four corner points, in hundredths. */
PST_FN u64 pst_fuzzy_membership_q16(u64 x_q16, u64 rise, u64 top, u64 fall,
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

/* The degree of membership in each linguistic value; 13.2.1.2. */
PST_FN void pst_fuzzy_fuzzify(struct pst_fuzzy *s, u64 queue_q16,
			     u64 growth_q16)
{
#define PST_FUZZY_VALUE(k, ...)           \
	s->queue_memberships_##k##_q16 = \
		pst_fuzzy_membership_q16(queue_q16, __VA_ARGS__);
	PST_FUZZY_QUEUE(PST_FUZZY_VALUE)
#undef PST_FUZZY_VALUE
#define PST_FUZZY_VALUE(k, ...)            \
	s->growth_memberships_##k##_q16 = \
		pst_fuzzy_membership_q16(growth_q16, __VA_ARGS__);
	PST_FUZZY_GROWTH(PST_FUZZY_VALUE)
#undef PST_FUZZY_VALUE
}

/* The 22 rules with sum-product inference, 13.9; R1 and R22 ignore the growth. */
PST_FN void pst_fuzzy_infer(struct pst_fuzzy *s)
{
	s->weights_1_q16 = s->queue_memberships_6_q16;
	s->weights_2_q16 = 0;
	s->weights_3_q16 = 0;
	s->weights_4_q16 = 0;
	s->weights_5_q16 = 0;
	s->weights_6_q16 = s->queue_memberships_1_q16;
#define PST_FUZZY_RULE(queue, growth, alpha)                           \
	s->weights_##alpha##_q16 += (s->queue_memberships_##queue##_q16 * \
				     s->growth_memberships_##growth##_q16) >> 16;
	PST_FUZZY_RULES(PST_FUZZY_RULE)
#undef PST_FUZZY_RULE
}

#endif
