/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which flows were answered: kept by the flow, as some forged flows have the cells of answered
 * ones. A flow's answer has a place in one of two sets, by two hashes of the flow, and gives
 * way when it is the oldest of them. Where one gave way that was valid, the owner must find out
 * by other means who is answered. Times are of pst_fair_units().
 */
#ifndef PENSTOCK_CORE_FLOW_FAIR_ANSWERS_H
#define PENSTOCK_CORE_FLOW_FAIR_ANSWERS_H

#include "../base.h"

#define PST_ANSWER_SETS 1024U
#define PST_ANSWER_WAYS 4U	/* in a set */
#define PST_ANSWER_PLACES (2 * PST_ANSWER_WAYS) /* of a flow: 2,000 flows fit */
/* An answer is valid for this long: QUIC's usual idle time-out (RFC 9308 3.2). */
#define PST_ANSWER_UNITS 28610U /* 30 s */
#define PST_ANSWER_AHEAD_UNITS 16U /* that another CPU, which saw it, may be ahead */

/* All zero at first. */
struct pst_fair_answers {
	u64 place[2][PST_ANSWER_SETS * PST_ANSWER_WAYS]; /* tag << 32 | units; 0 free */
	u32 crowded_units;	/* when a valid answer last gave way to another; 0 never */
};

/* Since an answer at @units, plus PST_ANSWER_AHEAD_UNITS; the most of all if 0, never. */
PST_FN u32 pst_answer_age(u32 units, u32 now_units)
{
	return units ? now_units - units + PST_ANSWER_AHEAD_UNITS : 0xffffffff;
}

PST_FN bool pst_answer_is_valid(u32 units, u32 now_units)
{
	return pst_answer_age(units, now_units) <= PST_ANSWER_UNITS + PST_ANSWER_AHEAD_UNITS;
}

/* The bits of @flow that do not select its sets. */
PST_FN u32 pst_answer_tag(u64 flow)
{
	return (u32)(flow >> 10 << 10 ^ flow >> 42);
}

/* Place number @i of @flow, below PST_ANSWER_PLACES. */
PST_FN u64 *pst_answer_place(struct pst_fair_answers *a, u64 flow, u32 i)
{
	if (i < PST_ANSWER_WAYS)
		return a->place[0] + (flow % PST_ANSWER_SETS * PST_ANSWER_WAYS + i);
	return a->place[1] +
	       ((flow >> 32) % PST_ANSWER_SETS * PST_ANSWER_WAYS + i - PST_ANSWER_WAYS);
}

/*
 * Keeps that @flow was answered: in the place that it has, else in that of the oldest answer.
 * If two CPUs choose the same place, the next answer of the flow that lost it corrects that.
 */
PST_FN void pst_fair_keep_answer(struct pst_fair_answers *a, u64 flow, u32 now_units)
{
	u32 tag = pst_answer_tag(flow);
	u32 oldest_age = 0;
	u32 oldest = 0;
	u32 i;

	for (i = 0; i < PST_ANSWER_PLACES; i++) {
		u64 kept = *pst_answer_place(a, flow, i);
		u32 age = pst_answer_age((u32)kept, now_units);

		if ((u32)kept && kept >> 32 == tag) {
			oldest = i;
			oldest_age = 0xffffffff;
			break;
		}
		if (age > oldest_age) {
			oldest = i;
			oldest_age = age;
		}
	}
	if (oldest_age <= PST_ANSWER_UNITS + PST_ANSWER_AHEAD_UNITS)
		a->crowded_units = now_units;
	*pst_answer_place(a, flow, oldest) = (u64)tag << 32 | now_units;
}

/* True if an answer of @flow is kept. */
PST_FN bool pst_fair_has_answer(struct pst_fair_answers *a, u64 flow, u32 now_units)
{
	u32 tag = pst_answer_tag(flow);
	u32 i;

	for (i = 0; i < PST_ANSWER_PLACES; i++) {
		u64 kept = *pst_answer_place(a, flow, i);

		if (kept >> 32 == tag && pst_answer_is_valid((u32)kept, now_units))
			return true;
	}
	return false;
}

/* True if valid answers may have given way, so that fewer are kept than there are. */
PST_FN bool pst_fair_is_crowded(const struct pst_fair_answers *a, u32 now_units)
{
	return pst_answer_is_valid(a->crowded_units, now_units);
}

#endif
