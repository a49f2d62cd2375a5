/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * N, the flows among which `fair` divides the link (equation 2 of fair.h).
 *
 * A user who controls both ends can have any number of flows that no window controls, and that are
 * answered. So N has three parts: B, where each controlled flow counts, and each pair of hosts, as
 * one flow at most; E, what the flows of pairs count beyond one flow; and S, what is spared, in
 * shares:
 *
 *   N = B + E' + S',  E' = min(E, B),  S' = min(S, (B + E') * f / (1 - f))   (7)
 *
 * E is at most half of B + E, so what pairs have beyond one share each is half of the link at most.
 * f is the largest part of the link that is spared at once (fair_spare.h): if more than that is to
 * be spared, all others would divide nothing. A pair counts as at most 1 + l flows, where l
 * divides B by max-min among the pairs:
 *
 *   l' = l * min(1, B / E)                                                   (8)
 *
 * and rises again by an eighth in each interval. The flows of a pair that count as n > 1 + l have
 * (1 + l) / n of what flows have otherwise, and are not spared. l is 0 for a pair of which a third is
 * dropped, second by second, and that does not slow down (flow/fair_pairs.h): it has one share.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_FAIR_COUNT_H
#define PENSTOCK_CORE_DISCIPLINE_FAIR_COUNT_H

#include "fair_state.h"

#define PST_FAIR_LEAST_BEYOND_Q16 4096ULL /* a sixteenth: l rises again from there */
#define PST_FAIR_MOST_BEYOND_Q16 PST_PAIR_MOST_Q16
#define PST_FAIR_MOST_COUNT_Q16 (1ULL << 39) /* eight million flows */

/* Equation 7, of the running interval. */
PST_FN u64 pst_fair_running_q16(const struct pst_fair_state *s)
{
	u64 held_q16 = pst_min(s->running_q16, PST_FAIR_MOST_COUNT_Q16);

	held_q16 += pst_min(s->beyond_q16, held_q16);
	return held_q16 + pst_min(s->spared_q16, held_q16 * s->spared_most_q8 >> 8);
}

/* N, at least 1. */
PST_FN u64 pst_fair_flows_q16(const struct pst_fair_state *s)
{
	return pst_max(PST_Q16_ONE, pst_max(s->last_q16, pst_fair_running_q16(s)));
}

/* An interval ends: equation 8; @follows if the next one begins at once. */
PST_FN void pst_fair_count_advance(const struct pst_fair_params *p, struct pst_fair_state *s,
				   bool follows)
{
	u64 base_q16 = pst_min(s->running_q16, PST_FAIR_MOST_COUNT_Q16);
	u64 beyond_q16 = pst_min(s->beyond_q16, PST_FAIR_MOST_COUNT_Q16);
	u64 most_q16 = s->most_beyond_q16;
	u64 spared_q16 = p->spare_q16 + p->spare_q16 / 2;

	if (beyond_q16 > base_q16)
		most_q16 = pst_mul_div(most_q16, base_q16, beyond_q16);
	else
		most_q16 += most_q16 / 8;
	s->most_beyond_q16 = follows ? pst_clamp(most_q16, PST_FAIR_LEAST_BEYOND_Q16,
						 PST_FAIR_MOST_BEYOND_Q16) :
				       PST_FAIR_MOST_BEYOND_Q16;
	s->last_q16 = follows ? pst_fair_running_q16(s) : 0;
	s->running_q16 = 0;
	s->beyond_q16 = 0;
	s->spared_q16 = 0;
	/* f / (1 - f); 15 at most. */
	s->spared_most_q8 = (spared_q16 << 8) / pst_max(pst_sub_floor(PST_Q16_ONE, spared_q16),
							PST_Q16_ONE / 16);
}

/* What a pair counts as beyond one flow, where its flows count as @flows_q16. */
PST_FN u64 pst_fair_beyond_q16(const struct pst_fair_state *s, const struct pst_fair_pair *pair,
			       u64 flows_q16)
{
	u64 most_q16 = pst_fair_pair_is_deaf(pair) ? 0 : s->most_beyond_q16;

	return pst_min(pst_sub_floor(flows_q16, PST_Q16_ONE), most_q16);
}

/* As what a pair counts whose flows count as @flows_q16, as far as they are one flow or more. */
PST_FN u64 pst_fair_pair_counts_q16(const struct pst_fair_state *s,
				    const struct pst_fair_pair *pair, u64 flows_q16)
{
	return PST_Q16_ONE + pst_fair_beyond_q16(s, pair, flows_q16);
}

PST_FN void pst_fair_pair_advance(const struct pst_fair_state *s, struct pst_fair_pair *pair)
{
	u32 epoch = (u32)s->epoch;
	u64 flows_q16, counts_q16;

	if (pair->epoch == epoch)
		return;
	flows_q16 = pst_fair_pair_flows_q16(pair);
	counts_q16 = pst_fair_pair_counts_q16(s, pair, flows_q16);
	if (flows_q16 > counts_q16)
		pst_fair_pair_fit(pair, pst_min(pst_min(s->share_bytes, PST_MAX_BYTES) *
							(counts_q16 >> 8) >> 8,
						PST_MAX_BYTES));
	else
		pst_fair_pair_fit(pair, PST_MAX_BYTES);
	pair->last_q16 = pair->epoch + 1 == epoch ? pair->running_q16 : 0;
	pair->running_q16 = 0;
	pair->epoch = epoch;
}

/* The part of what a flow has otherwise that one of @pair has. */
PST_FN u64 pst_fair_pair_part_q16(const struct pst_fair_state *s, struct pst_fair_pair *pair)
{
	u64 flows_q16, counts_q16;

	pst_fair_pair_advance(s, pair);
	flows_q16 = pst_fair_pair_flows_q16(pair);
	counts_q16 = pst_fair_pair_counts_q16(s, pair, flows_q16);
	if (flows_q16 <= counts_q16)
		return PST_Q16_ONE;
	return (counts_q16 << 16) / flows_q16 * pair->fit_q16 >> 16;
}

/* The same for the pair at @place, 0 of none. */
PST_APART(u64) pst_fair_part_at_q16(const struct pst_fair_state *s, struct pst_fair_pairs *pairs,
				    u32 place)
{
	if (!s || !pairs || !place)
		return PST_Q16_ONE;
	return pst_fair_pair_part_q16(s, pst_fair_pair_at(pairs, (u16)place));
}

/* A flow of @pair counts as @more_q16 more. */
PST_FN void pst_fair_pair_count(struct pst_fair_state *s, struct pst_fair_pair *pair, u64 more_q16)
{
	u64 before_q16, after_q16;

	PST_REQUIRE(more_q16 <= PST_FAIR_MOST_PARTS * PST_Q16_ONE);
	before_q16 = pair->running_q16;
	after_q16 = pst_min(before_q16 + more_q16, PST_PAIR_MOST_Q16);
	pair->running_q16 = (u32)after_q16;
	s->running_q16 += pst_min(after_q16, PST_Q16_ONE) - pst_min(before_q16, PST_Q16_ONE);
	s->beyond_q16 += pst_sub_floor(pst_fair_beyond_q16(s, pair, after_q16),
				       pst_fair_beyond_q16(s, pair, before_q16));
	PST_ENSURE(pst_fair_pair_invariant(pair));
}

/* A flow of the pair at @place, 0 of none, counts as @more_q16 more. What is @spared counts apart. */
PST_APART(int) pst_fair_count_at(struct pst_fair_state *s, struct pst_fair_pairs *pairs, u32 place,
				 u32 more_q16, u32 spared)
{
	if (!s || !pairs)
		return 0;
	if (spared)
		s->spared_q16 += more_q16;
	else if (place)
		pst_fair_pair_count(s, pst_fair_pair_at(pairs, (u16)place), more_q16);
	else
		s->running_q16 += more_q16;
	return 0;
}

/*
 * Equation 2: the flow, of the pair at @place or 0, counts as @part_q16 in this interval, which is
 * more than @counted_q16, as it has counted so far.
 */
PST_FN void pst_fair_count(struct pst_fair_state *s, const struct pst_fair_entry *e,
			   struct pst_fair_pairs *pairs, u32 place, u32 counted_q16,
			   u32 part_q16, bool spared)
{
	u32 epoch = (u32)s->epoch;

	PST_REQUIRE(part_q16 <= PST_FAIR_MOST_PARTS * PST_Q16_ONE);
	if (part_q16 <= counted_q16)
		return;
	pst_fair_count_at(s, pairs, place, part_q16 - counted_q16, spared);
	pst_fair_cell_count(e->first, epoch, part_q16);
	pst_fair_cell_count(e->second, epoch, part_q16);
}

#endif
