/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a flow that no window controls grows while it has room, as a sender does whose
 * congestion control looks for more, or keeps its rate, as a call or a television stream does.
 *
 * A slot is 2^30 ns. A flow's base is what it is known to need in a slot: what it sent in its
 * first 200 ms, and what its slots had below its share. Above its share the base follows by an
 * eighth in a slot, as WebRTC's control raises its rate by 8 % in a second
 * (draft-ietf-rmcat-gcc-02 section 5.5). A flow grows if a slot has
 *   - more than four times its base, or its share where that is larger: scenes of video need up
 *     to four times the mean (Fitzek and Reisslein 2001, "MPEG-4 and H.263 video traces");
 *   - or more than all flows may be spared, once its base is known: before that, the rate of the link
 *     may not be, where it is measured;
 *   - or, within 30 slots after it was limited, a quarter more than the least since then: a
 *     congestion window falls and grows back, the rate of a stream does not.
 * It counts as growing until 30 s have passed without a mark or drop. If 8 more slots than not are
 * above 1.5 times its share meanwhile, and none an eighth above the most before, it does not slow
 * down: what it did was a step. After each time that it grew again, twice as many are needed.
 */
#ifndef PENSTOCK_CORE_FLOW_FAIR_GROWTH_H
#define PENSTOCK_CORE_FLOW_FAIR_GROWTH_H

#include "../base.h"

#define PST_GROWTH_SLOT_SHIFT 30 /* ns */
#define PST_GROWTH_SLOT_UNITS 1024U /* of pst_fair_units() */
#define PST_GROWTH_FIRST_UNITS 190U /* 200 ms: the first flights of most paths */
#define PST_GROWTH_FORGET_UNITS 28610U /* 30 s, as PST_ANSWER_UNITS */
#define PST_GROWTH_TIMES 4ULL
#define PST_GROWTH_SLOTS 28U /* 30 s */
#define PST_GROWTH_STEADY_SLOTS 4U /* 8 after the first time */
#define PST_GROWTH_RELAPSES 5U /* 128 slots at most */

/* All zero at first. */
struct pst_fair_growth {
	u32 base_bytes;		/* what it needs in a slot; 0 not known yet */
	u32 slot_bytes;		/* what came in this one */
	u32 slot_units;		/* when it began; 0 no packet yet */
	u8 grown_slots;		/* for which it still counts as growing */
	u8 limited_slots;	/* for which it still counts as limited */
	u8 steady_slots;	/* in which it did not slow down, while it counts as growing */
	u8 relapses;		/* how often it grew, PST_GROWTH_RELAPSES at most */
};

/* What flows may send in a slot. */
struct pst_growth_bounds {
	u64 share_bytes;	/* one of them */
	u64 spare_bytes;	/* all that are spared */
};

/* Modulo 2^32, without a wrap. */
PST_FN u32 pst_units_since(u32 now_units, u32 then_units)
{
	return (u32)((1ULL << 32) + now_units - then_units);
}

PST_FN bool pst_growth_invariant(const struct pst_fair_growth *g)
{
	return g->grown_slots <= PST_GROWTH_SLOTS && g->limited_slots <= PST_GROWTH_SLOTS &&
	       g->relapses <= PST_GROWTH_RELAPSES;
}

PST_FN void pst_growth_found(struct pst_fair_growth *g)
{
	g->grown_slots = PST_GROWTH_SLOTS;
	g->steady_slots = 0;
	g->relapses = (u8)pst_min(g->relapses + 1ULL, PST_GROWTH_RELAPSES);
}

/* A slot of a flow that counts as growing had @bytes. */
PST_FN void pst_growth_watch(struct pst_fair_growth *g, const struct pst_growth_bounds *b,
			     u32 bytes)
{
	if (bytes > g->base_bytes + (u64)g->base_bytes / 8 || bytes > b->spare_bytes) {
		g->base_bytes = bytes;
		g->steady_slots = 0;
		return;
	}
	if (2ULL * bytes < 3 * pst_min(b->share_bytes, PST_MAX_BYTES)) {
		g->steady_slots = (u8)pst_sub_floor(g->steady_slots, 1);
		return;
	}
	g->steady_slots = (u8)pst_min(g->steady_slots + 1ULL, 255);
	if (g->steady_slots < PST_GROWTH_STEADY_SLOTS << g->relapses)
		return;
	g->grown_slots = 0;
}

/* A slot of a flow that was limited had @bytes. */
PST_FN void pst_growth_compare(struct pst_fair_growth *g, const struct pst_growth_bounds *b,
			       u32 bytes)
{
	u64 least_bytes = pst_max(g->base_bytes, b->share_bytes);

	if (bytes > least_bytes + least_bytes / 4)
		pst_growth_found(g);
	g->base_bytes = (u32)pst_min(g->base_bytes, bytes);
}

/* A slot of any other flow had @bytes. */
PST_FN void pst_growth_follow(struct pst_fair_growth *g, const struct pst_growth_bounds *b,
			      u32 bytes)
{
	u32 base_bytes = (u32)pst_max(g->base_bytes, pst_min(bytes, b->share_bytes));

	if (bytes > base_bytes)
		base_bytes += (u32)pst_min(bytes - base_bytes, base_bytes / 8);
	g->base_bytes = base_bytes;
}

/* The running slot has lasted for @units, PST_GROWTH_SLOT_UNITS .. PST_GROWTH_FORGET_UNITS. */
PST_FN void pst_growth_end_slot(struct pst_fair_growth *g, const struct pst_growth_bounds *b,
				u32 units)
{
	u32 bytes = (u32)((u64)g->slot_bytes * PST_GROWTH_SLOT_UNITS / pst_max(units, 1));
	u32 slots = units / PST_GROWTH_SLOT_UNITS;

	PST_REQUIRE(pst_growth_invariant(g) && units >= PST_GROWTH_SLOT_UNITS);
	g->grown_slots = (u8)pst_sub_floor(g->grown_slots, slots);
	g->limited_slots = (u8)pst_sub_floor(g->limited_slots, slots);
	if (!g->base_bytes)
		g->base_bytes = bytes;
	else if (g->grown_slots)
		pst_growth_watch(g, b, bytes);
	else if (!g->limited_slots)
		pst_growth_follow(g, b, bytes);
	else if (slots < 2) /* a pause says nothing */
		pst_growth_compare(g, b, bytes);
	g->base_bytes = (u32)pst_max(g->base_bytes, 1);
	PST_ENSURE(pst_growth_invariant(g));
}

PST_FN void pst_growth_forget(struct pst_fair_growth *g)
{
	g->base_bytes = 0;
	g->slot_bytes = 0;
	g->grown_slots = 0;
	g->limited_slots = 0;
	g->steady_slots = 0;
	g->relapses = 0;
}

/* @bytes more of the flow. Divides at the end of a slot, and once after the first 200 ms. */
PST_APART(int) pst_growth_add(struct pst_fair_growth *g, const struct pst_growth_bounds *b,
			      u32 bytes, u32 now_units)
{
	u64 most_bytes;
	u32 units;

	if (!g || !b)
		return 0;
	units = pst_units_since(now_units, g->slot_units);
	PST_REQUIRE(pst_growth_invariant(g));
	if (units >> 31) /* an older time, from another CPU */
		units = 0;
	if (!g->slot_units || units > PST_GROWTH_FORGET_UNITS) {
		pst_growth_forget(g);
		g->slot_units = now_units;
	} else if (units >= PST_GROWTH_SLOT_UNITS) {
		pst_growth_end_slot(g, b, units);
		g->slot_bytes = 0;
		g->slot_units = now_units;
	} else if (!g->base_bytes && units >= PST_GROWTH_FIRST_UNITS) {
		g->base_bytes = (u32)pst_clamp((u64)g->slot_bytes * PST_GROWTH_SLOT_UNITS /
						       pst_max(units, 1),
					       1, 0xffffffff);
	}
	g->slot_bytes = (u32)pst_min((u64)g->slot_bytes + bytes, 0xffffffff);
	most_bytes = pst_min(b->spare_bytes,
			     PST_GROWTH_TIMES * pst_max(g->base_bytes, b->share_bytes));
	if (!g->grown_slots && g->base_bytes && g->slot_bytes > most_bytes)
		pst_growth_found(g);
	PST_ENSURE(pst_growth_invariant(g));
	return 0;
}

/* The flow was marked or dropped. */
PST_FN void pst_growth_hit(struct pst_fair_growth *g)
{
	if (g->grown_slots)
		g->grown_slots = PST_GROWTH_SLOTS;
}

/* And it was limited, as one that is spared. */
PST_FN void pst_growth_limit(struct pst_fair_growth *g)
{
	if (!g->grown_slots)
		g->limited_slots = PST_GROWTH_SLOTS;
}

#endif
