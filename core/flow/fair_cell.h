/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of a flow, or of those that share a cell of fair_table.h. */
#ifndef PENSTOCK_CORE_FLOW_FAIR_CELL_H
#define PENSTOCK_CORE_FLOW_FAIR_CELL_H

#include "fair_growth.h"

#define PST_FAIR_MOST_PARTS 4096U /* as how many flows one counts, at most */

struct pst_fair_cell {
	u64 seen_ns;		/* the last packet */
	u64 level_bytes;	/* what came in the averaging time before it */
	u64 mean_bytes;		/* what passed in the 2^PST_FAIR_MEAN_SHIFT ns before it */
	u32 epoch;		/* interval in which counted_q16 was counted */
	u32 counted_q16;	/* as this part of a flow */
	u32 above_units;	/* since when above its share; 0 not */
	u32 hit_units;		/* when it was last marked or dropped; 0 never */
	u32 answered_units;	/* when something last passed back; 0 never */
	u16 held;		/* was marked or dropped, and still has half its share: */
				/* since when it is above it all the same, or PST_FAIR_HEEDS */
	u16 deaf_steps;		/* last drop since it ignored marks; 0 none */
	struct pst_fair_growth growth;	/* of what no window controls */
};

/* What each event finds and leaves. */
PST_FN bool pst_fair_cell_invariant(const struct pst_fair_cell *c)
{
	return c->level_bytes < PST_MAX_BYTES && c->mean_bytes < PST_MAX_BYTES &&
	       c->counted_q16 <= PST_FAIR_MOST_PARTS * PST_Q16_ONE &&
	       pst_growth_invariant(&c->growth);
}

#endif
