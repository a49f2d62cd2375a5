/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `fair` spares: a call or a television stream cannot slow down, and does not want more.
 * The windows take what it needs from TCP, which loses nothing by it.
 *
 * A flow that does not grow (flow/fair_growth.h) is spared: it passes, whatever its share, as
 * long as its rate is at most spare * C, and so is what is spared in all, on average:
 *
 *   r_i <= limit_s,  limit_s' = limit_s * min(1, spare * C / S)           (6)
 *
 * S is what was spared in the last interval. (6) finds the limit at which the sum of
 * min(r_i, limit_s) is spare * C; it rises again by an eighth in each interval. Before that, all
 * flows together may have what may be spared in half a second, as peaks coincide, and one flow
 * three quarters of the link.
 *
 * A flow that lasts (flow/fair_streams.h), of which there are some at most, is spared first: (6) has
 * a limit of its own for these, with what was spared of them. Of all others it counts what was spared
 * of both, so these have what is left. A call that was there before does not suffer from new names.
 *
 * In (2) such a flow counts as min(r_i, limit_s) / share, as the others divide what it leaves.
 * Every 32 intervals the spared part is an eighth larger or smaller: a flow that (6) limits and
 * that follows looks for more, and counts as growing.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_FAIR_SPARE_H
#define PENSTOCK_CORE_DISCIPLINE_FAIR_SPARE_H

#include "fair_state.h"

#define PST_FAIR_SPARE_BURST 5ULL /* averaging times: flows whose peaks coincide */
#define PST_FAIR_PROBE_EPOCHS 32ULL /* a slot, and the time in which BBR follows */

/* What may be spared in this averaging time: an eighth more or less, in turn. */
PST_FN u64 pst_fair_spare_bytes(const struct pst_fair_state *s)
{
	u64 eighth_bytes = s->spare_bytes / 8;

	return s->epoch & PST_FAIR_PROBE_EPOCHS ? s->spare_bytes + eighth_bytes :
						  s->spare_bytes - eighth_bytes;
}

/* Equation 6, at the end of an interval; @follows if the next one begins at once. */
PST_FN u64 pst_fair_next_limit_bytes(u64 limit_bytes, u64 spared_bytes, u64 spent_bytes,
				     u64 spare_bytes, bool follows)
{
	if (spent_bytes < PST_FAIR_SPARE_BURST * spare_bytes)
		limit_bytes += limit_bytes / 8;
	else if (spared_bytes > spare_bytes)
		limit_bytes = pst_mul_div(limit_bytes, spare_bytes, spared_bytes);
	return follows && limit_bytes > 1 ? pst_min(limit_bytes, spare_bytes) : spare_bytes;
}

PST_FN void pst_fair_spare_advance(struct pst_fair_state *s, bool follows)
{
	u64 spare_bytes = pst_fair_spare_bytes(s);

	s->spare_limit_bytes = pst_fair_next_limit_bytes(s->spare_limit_bytes, s->spared_bytes,
							 s->spent_bytes, spare_bytes, follows);
	s->lasting_limit_bytes = pst_fair_next_limit_bytes(s->lasting_limit_bytes,
							   s->lasting_bytes,
							   s->lasting_spent_bytes, spare_bytes,
							   follows);
	s->spent_bytes = follows ? pst_sub_floor(s->spent_bytes, spare_bytes) : 0;
	s->lasting_spent_bytes =
		follows ? pst_sub_floor(s->lasting_spent_bytes, spare_bytes) : 0;
	s->spared_bytes = 0;
	s->lasting_bytes = 0;
}

/*
 * The same for a flow that is spared, with @level_bytes, less than PST_MAX_BYTES, as far as it
 * passes; see above. No share is larger than PST_MAX_BYTES / 32.
 */
PST_FN u32 pst_fair_spared_part_q16(u64 level_bytes, u64 share_bytes, u32 counted_q16)
{
	u64 one_bytes = pst_clamp(share_bytes, 1, PST_MAX_BYTES / 32);

	PST_REQUIRE(counted_q16 <= PST_FAIR_MOST_PARTS * PST_Q16_ONE);
	level_bytes = pst_min(level_bytes, PST_FAIR_MOST_PARTS * one_bytes);
	if (level_bytes << 16 < (counted_q16 + 1ULL) * one_bytes)
		return counted_q16;
	return (u32)((level_bytes << 16) / one_bytes);
}

/*
 * The limit of a flow that is spared, and that @lasts: three quarters of the link while there is
 * room for bursts, (6) afterwards, and 0 when the spared part is used up all the same.
 */
PST_FN u64 pst_fair_spared_limit_bytes(const struct pst_fair_state *s, bool lasts)
{
	u64 spare_bytes = pst_fair_spare_bytes(s);
	u64 spent_bytes = lasts ? s->lasting_spent_bytes : s->spent_bytes;

	if (spent_bytes < PST_FAIR_SPARE_BURST * spare_bytes)
		return spare_bytes + spare_bytes / 2;
	if (spent_bytes < 2 * PST_FAIR_SPARE_BURST * spare_bytes)
		return lasts ? s->lasting_limit_bytes : s->spare_limit_bytes;
	return 0;
}

/* A packet of @bytes was spared, of a flow that @lasts. */
PST_FN void pst_fair_spend(struct pst_fair_state *s, u32 bytes, bool lasts)
{
	s->spared_bytes = pst_min(s->spared_bytes + bytes, PST_MAX_BYTES);
	s->spent_bytes = pst_min(s->spent_bytes + bytes, PST_FAIR_MOST_SPENT_BYTES);
	if (!lasts)
		return;
	s->lasting_bytes = pst_min(s->lasting_bytes + bytes, PST_MAX_BYTES);
	s->lasting_spent_bytes = pst_min(s->lasting_spent_bytes + bytes, PST_FAIR_MOST_SPENT_BYTES);
}

#endif
