/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sending rate of each flow, in two tables of cells, by two hashes of the flow: a flow
 * has the value of the smaller of its two cells, so it is charged for another flow only if
 * both collide (Feng et al. 2001, "Stochastic Fair Blue"; Cormode and Muthukrishnan 2005,
 * "count-min").
 *
 * The memory is bounded. If nothing passes back, no receiver is known to accept a flow, and
 * one sender may forge any number of such flows: all of them share one cell, outside the
 * tables, and are one flow. While more flows are answered than their answers have places
 * (fair_answers.h), a flow counts as answered if both of its cells belong to answered ones.
 */
#ifndef PENSTOCK_CORE_FLOW_FAIR_TABLE_H
#define PENSTOCK_CORE_FLOW_FAIR_TABLE_H

#include "fair_answers.h"
#include "fair_cell.h"
#include "fair_decay.h"
#include "fair_pairs.h"
#include "fair_streams.h"

#define PST_FAIR_CELLS 1024U /* of a table: one of 100 flows collides in both with 1 % */
/* Places of cells: the two tables, then those of streams that last, and of all unanswered flows. */
#define PST_FAIR_STREAM_CELLS (2 * PST_FAIR_CELLS)
#define PST_FAIR_UNANSWERED (PST_FAIR_STREAM_CELLS + PST_STREAMS)
#define PST_FAIR_ALL_CELLS (PST_FAIR_UNANSWERED + 1)
/* Times in cells are of 2^20 ns, about a millisecond, and wrap after 52 days. */
#define PST_FAIR_UNIT_SHIFT 20
/* Times of cells in 16 bits are of 2^30 ns, about a second, and wrap after 19 hours. */
#define PST_FAIR_STEP_SHIFT 30
#define PST_FAIR_DEAF_STEPS 28U /* 30 s */
#define PST_FAIR_HEED_UNITS 1907U /* 2 s: some round trips of any path */
#define PST_FAIR_PAUSE_UNITS 381U /* 0.4 s: so long without a mark, and none was needed */
#define PST_FAIR_HEEDS 1U /* not above its share; no time that pst_fair_cell_hit() writes */

/* All zero at first, except the key. */
struct pst_fair_table {
	u64 key;		/* of the hash, a secret */
	struct pst_fair_cell cells[PST_FAIR_ALL_CELLS];
	struct pst_fair_answers answers;
	struct pst_fair_streams streams;
	struct pst_fair_pairs pairs;
};

/* The two cells of a flow: one and the same for unanswered ones, of which most share theirs. */
struct pst_fair_entry {
	struct pst_fair_cell *first;
	struct pst_fair_cell *second;
	bool answered;
	u32 stream;		/* as of pst_fair_stream_of(), or 0: its cell is not its own */
};

/* Spreads @v over 64 bits (Steele, Lea and Flood 2014, "SplitMix64"). */
PST_FN u64 pst_fair_hash(u64 v)
{
	v += 0x9e3779b97f4a7c15ULL;
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ULL;
	v = (v ^ v >> 27) * 0x94d049bb133111ebULL;
	return v ^ v >> 31;
}

/* Never 0. */
PST_FN u32 pst_fair_units(u64 now_ns)
{
	return (u32)(now_ns >> PST_FAIR_UNIT_SHIFT) | 1;
}

/* True if @units was set, more than @for_units before @now_units. */
PST_FN bool pst_fair_is_past(u32 units, u32 now_units, u32 for_units)
{
	return units && pst_units_since(now_units, units) > for_units;
}

PST_FN struct pst_fair_cell *pst_fair_cell_at(struct pst_fair_table *t, u64 place)
{
	return t->cells + pst_min(place, PST_FAIR_UNANSWERED);
}

/* The two cells of @flow, as one that is answered. */
PST_FN struct pst_fair_entry pst_fair_cells(struct pst_fair_table *t, u64 flow)
{
	struct pst_fair_entry e = {
		t->cells + flow % PST_FAIR_CELLS,
		t->cells + (PST_FAIR_CELLS + (flow >> 32) % PST_FAIR_CELLS),
		true,
		0,
	};

	return e;
}

/* True if the flow's cell is its own, and has been for a while. */
PST_FN bool pst_fair_lasts(const struct pst_fair_entry *e)
{
	return e->stream & PST_STREAM_LASTS;
}

/* As that of all flows that nobody answers. */
PST_FN struct pst_fair_entry pst_fair_unanswered(struct pst_fair_table *t)
{
	struct pst_fair_cell *c = t->cells + PST_FAIR_UNANSWERED;
	struct pst_fair_entry e = { c, c, false, 0 };

	return e;
}

/* A packet of @flow passes in the other direction. */
PST_FN void pst_fair_answer(struct pst_fair_table *t, u64 flow, u64 now_ns)
{
	struct pst_fair_entry e = pst_fair_cells(t, flow);
	u32 now_units = pst_fair_units(now_ns);

	e.first->answered_units = now_units;
	e.second->answered_units = now_units;
	pst_fair_keep_answer(&t->answers, flow, now_units);
}

PST_FN bool pst_fair_is_answered(struct pst_fair_table *t, u64 flow, u32 now_units)
{
	struct pst_fair_entry e = pst_fair_cells(t, flow);

	if (pst_fair_has_answer(&t->answers, flow, now_units))
		return true;
	return pst_fair_is_crowded(&t->answers, now_units) &&
	       pst_answer_is_valid(e.first->answered_units, now_units) &&
	       pst_answer_is_valid(e.second->answered_units, now_units);
}

/*
 * The exponential average, as (1 - x / 4)^4: what a flow has sent is not forgotten during a
 * pause of @average_ns, or pulses would be worth more than a steady flow.
 */
PST_FN u64 pst_fair_level_decayed(u64 level_bytes, u64 passed_ns, u64 average_ns, u64 inverse)
{
	u64 root_q20, square_q20;

	if (passed_ns >= 4 * average_ns)
		return 0;
	root_q20 = (1ULL << 20) - pst_fair_passed_q20(passed_ns / 4, average_ns, inverse);
	square_q20 = root_q20 * root_q20 >> 20;
	return level_bytes * (square_q20 * square_q20 >> 20) >> 20;
}

/*
 * @bytes more, which pass unless pst_fair_take_back() follows. A new flow counts as one that
 * has had @share_bytes in each averaging time; else a new name would be worth more.
 */
PST_FN void pst_fair_cell_add(struct pst_fair_cell *c, u32 bytes, u64 share_bytes,
			      u64 now_ns, u64 average_ns, u64 inverse)
{
	u64 passed_ns = pst_sub_floor(now_ns, c->seen_ns);
	u64 level_bytes, mean_bytes;

	PST_REQUIRE(pst_fair_cell_invariant(c));
	level_bytes = pst_fair_level_decayed(c->level_bytes, passed_ns, average_ns, inverse);
	if (!c->seen_ns || passed_ns >= 4 * average_ns)
		mean_bytes = pst_mul_div(share_bytes, 1ULL << PST_FAIR_MEAN_SHIFT, average_ns);
	else
		mean_bytes = pst_fair_mean_decayed(c->mean_bytes, passed_ns);
	c->level_bytes = pst_min(level_bytes + bytes, PST_MAX_BYTES - 1);
	c->mean_bytes = pst_min(mean_bytes, PST_MAX_BYTES - 1 - bytes) + bytes;
	c->seen_ns = pst_max(now_ns, c->seen_ns);
	PST_ENSURE(pst_fair_cell_invariant(c) && c->level_bytes >= bytes);
}

/* To both cells of a flow; @inverse as of pst_fair_passed_q20(). */
PST_FN void pst_fair_add(const struct pst_fair_entry *e, u32 bytes, u64 share_bytes,
			 u64 now_ns, u64 average_ns, u64 inverse)
{
	pst_fair_cell_add(e->first, bytes, share_bytes, now_ns, average_ns, inverse);
	if (e->second != e->first)
		pst_fair_cell_add(e->second, bytes, share_bytes, now_ns, average_ns, inverse);
}

/* A packet of @bytes was dropped. */
PST_FN void pst_fair_take_back(const struct pst_fair_entry *e, u32 bytes)
{
	e->first->mean_bytes = pst_sub_floor(e->first->mean_bytes, bytes);
	if (e->second != e->first)
		e->second->mean_bytes = pst_sub_floor(e->second->mean_bytes, bytes);
}

/* What passes of the flow in @average_ns, as its mean over 2^PST_FAIR_MEAN_SHIFT ns. */
PST_FN u64 pst_fair_mean_bytes(const struct pst_fair_entry *e, u64 average_ns)
{
	u64 mean_bytes = pst_min(e->first->mean_bytes, e->second->mean_bytes);

	return (mean_bytes >> 8) * average_ns >> (PST_FAIR_MEAN_SHIFT - 8);
}

PST_FN u64 pst_fair_level_bytes(const struct pst_fair_entry *e)
{
	return pst_min(e->first->level_bytes, e->second->level_bytes);
}

PST_FN u32 pst_fair_counted_q16(const struct pst_fair_entry *e, u32 epoch)
{
	if (e->first->epoch != epoch || e->second->epoch != epoch)
		return 0;
	return (u32)pst_min(e->first->counted_q16, e->second->counted_q16);
}

PST_FN void pst_fair_cell_count(struct pst_fair_cell *c, u32 epoch, u32 part_q16)
{
	PST_REQUIRE(part_q16 <= PST_FAIR_MOST_PARTS * PST_Q16_ONE && pst_fair_cell_invariant(c));
	if (c->epoch != epoch || c->counted_q16 < part_q16)
		c->counted_q16 = part_q16;
	c->epoch = epoch;
	PST_ENSURE(c->counted_q16 >= part_q16 && pst_fair_cell_invariant(c));
}

/* Compares the level of a cell with @share_bytes, the share of a flow, and records the result. */
PST_FN void pst_fair_cell_judge(struct pst_fair_cell *c, u64 share_bytes, u64 now_ns)
{
	PST_REQUIRE(pst_fair_cell_invariant(c));
	if (2 * c->level_bytes < share_bytes)
		c->held = 0;
	if (c->level_bytes <= share_bytes) {
		c->above_units = 0;
		c->held = (u16)pst_min(c->held, PST_FAIR_HEEDS);
	} else if (!c->above_units) {
		c->above_units = pst_fair_units(now_ns);
	}
	PST_ENSURE(c->above_units == 0 || c->level_bytes > share_bytes);
}

/* True if the flow of a cell is above its share since it was first marked or dropped for it. */
PST_FN bool pst_fair_cell_is_vain(const struct pst_fair_cell *c, u32 now_units)
{
	return c->held > PST_FAIR_HEEDS &&
	       !pst_fair_is_past(c->hit_units, now_units, PST_FAIR_PAUSE_UNITS);
}

PST_FN void pst_fair_cell_hit(struct pst_fair_cell *c, u32 now_units)
{
	PST_REQUIRE(pst_fair_cell_invariant(c));
	if (!pst_fair_cell_is_vain(c, now_units))
		c->held = (u16)pst_max((u16)now_units, PST_FAIR_HEEDS + 1);
	c->hit_units = now_units;
	pst_growth_hit(&c->growth);
	PST_ENSURE(c->held > PST_FAIR_HEEDS && pst_fair_cell_invariant(c));
}

PST_FN void pst_fair_hit(const struct pst_fair_entry *e, u32 now_units)
{
	pst_fair_cell_hit(e->first, now_units);
	if (e->second != e->first)
		pst_fair_cell_hit(e->second, now_units);
}

/* And as one of those that are spared. */
PST_FN void pst_fair_limited(const struct pst_fair_entry *e)
{
	pst_growth_limit(&e->first->growth);
	pst_growth_limit(&e->second->growth);
}

/* @bytes came of a flow that no window controls. */
PST_FN void pst_fair_grow(const struct pst_fair_entry *e, const struct pst_growth_bounds *b,
			  u32 bytes, u32 now_units)
{
	pst_growth_add(&e->first->growth, b, bytes, now_units);
	if (e->second != e->first)
		pst_growth_add(&e->second->growth, b, bytes, now_units);
}

/* True if the flow grows while it has room. */
PST_FN bool pst_fair_is_grown(const struct pst_fair_entry *e)
{
	return e->first->growth.grown_slots && e->second->growth.grown_slots;
}

/* True if the flow was marked or dropped within the last @for_units. */
PST_FN bool pst_fair_was_hit(const struct pst_fair_entry *e, u32 now_units, u32 for_units)
{
	return e->first->hit_units && e->second->hit_units &&
	       !pst_fair_is_past(e->first->hit_units, now_units, for_units) &&
	       !pst_fair_is_past(e->second->hit_units, now_units, for_units);
}

/* Never 0. */
PST_FN u16 pst_fair_steps(u64 now_ns)
{
	return (u16)((now_ns >> PST_FAIR_STEP_SHIFT) | 1);
}

/* The flow has ignored marks, and is dropped instead. */
PST_FN void pst_fair_deafen(const struct pst_fair_entry *e, u64 now_ns)
{
	e->first->deaf_steps = pst_fair_steps(now_ns);
	e->second->deaf_steps = pst_fair_steps(now_ns);
}

PST_FN bool pst_fair_cell_is_deaf(const struct pst_fair_cell *c, u64 now_ns)
{
	return c->deaf_steps &&
	       (u16)(pst_fair_steps(now_ns) - c->deaf_steps) <= PST_FAIR_DEAF_STEPS;
}

/* True if the flow has ignored marks, and was dropped for it within PST_FAIR_DEAF_STEPS. */
PST_FN bool pst_fair_is_deaf(const struct pst_fair_entry *e, u64 now_ns)
{
	return pst_fair_cell_is_deaf(e->first, now_ns) &&
	       pst_fair_cell_is_deaf(e->second, now_ns);
}

/* The same for PST_FAIR_HEED_UNITS; half of all differences are of a later time. */
PST_FN bool pst_fair_cell_is_long_vain(const struct pst_fair_cell *c, u32 now_units)
{
	u16 for_units = (u16)pst_units_since(now_units, c->held);

	return pst_fair_cell_is_vain(c, now_units) && for_units > PST_FAIR_HEED_UNITS &&
	       for_units < 1U << 15;
}

/* True if the flow is above its share although it was hit for that long, and does not fall. */
PST_FN bool pst_fair_is_vain(const struct pst_fair_entry *e, u64 average_ns, u32 now_units)
{
	return pst_fair_cell_is_long_vain(e->first, now_units) &&
	       pst_fair_cell_is_long_vain(e->second, now_units) &&
	       8 * pst_fair_level_bytes(e) > 7 * pst_fair_mean_bytes(e, average_ns);
}

/* True if the flow has been above its share for more than @for_units. */
PST_FN bool pst_fair_is_above(const struct pst_fair_entry *e, u32 now_units, u32 for_units)
{
	return pst_fair_is_past(e->first->above_units, now_units, for_units) &&
	       pst_fair_is_past(e->second->above_units, now_units, for_units);
}

#endif
