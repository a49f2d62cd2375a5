/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pairs of hosts, between which flows run that no window controls and that are answered: who
 * controls both ends can have any number of such flows. What flows of a pair count is kept here;
 * what it may have says the owner (discipline/fair_count.h).
 *
 * The memory is bounded. A packet takes a place of its pair's set that is free, or whose pair had no
 * packet for a slot of fair_growth.h. All pairs without a place are one pair together. So forged
 * addresses, which a server behind the gateway answers, take places for a slot each, and what they
 * take beyond that has what one pair has.
 */
#ifndef PENSTOCK_CORE_FLOW_FAIR_PAIRS_H
#define PENSTOCK_CORE_FLOW_FAIR_PAIRS_H

#include "fair_growth.h"

#define PST_PAIR_SETS 256U
#define PST_PAIR_WAYS 4U	/* in a set: 1,024 pairs at most, 57 kB */
#define PST_PAIR_REST (PST_PAIR_SETS * PST_PAIR_WAYS) /* place of all that have none */
/* More than this part of what came was dropped: BBR sends at most a quarter more than passes. */
#define PST_PAIR_LOST_PART 3ULL
#define PST_PAIR_LOST_SLOTS 4U	/* in each of so many slots: senders that respond have responded */
#define PST_PAIR_MOST_Q16 (4096ULL << 16)
#define PST_PAIR_BURST 5ULL /* intervals, as of what is spared */
#define PST_PAIR_LEAST_FIT_Q16 64ULL /* a thousandth: it rises again from there */

struct pst_fair_pair {
	u32 tag;
	u32 seen_units;		/* the last packet; 0 free */
	u32 epoch;		/* interval of the next two */
	u32 running_q16;	/* its flows in it, as they count */
	u32 last_q16;		/* and in the interval before */
	u32 fit_q16;		/* what corrects the part that its flows have */
	u64 passed_bytes;	/* in the interval */
	u64 spent_bytes;	/* and in all, beyond what the pair may have */
	u32 slot_units;		/* when the slot of the next two began */
	u32 came_bytes;
	u32 lost_bytes;		/* of these, what was dropped */
	u32 lost_slots;		/* in which more was dropped than of who responds, in a row */
};

/* All zero at first. */
struct pst_fair_pairs {
	struct pst_fair_pair place[PST_PAIR_REST + 1];
};

PST_FN bool pst_fair_pair_invariant(const struct pst_fair_pair *p)
{
	return p->running_q16 <= PST_PAIR_MOST_Q16 && p->last_q16 <= PST_PAIR_MOST_Q16 &&
	       p->fit_q16 <= PST_Q16_ONE && p->passed_bytes <= PST_MAX_BYTES &&
	       p->spent_bytes <= PST_MAX_BYTES && p->lost_slots <= PST_PAIR_LOST_SLOTS;
}

/* True if the last packet came within a slot; of another CPU, it may have come later. */
PST_FN bool pst_fair_pair_runs(const struct pst_fair_pair *p, u32 now_units)
{
	u32 units = pst_units_since(now_units, p->seen_units);

	return p->seen_units && (units <= PST_GROWTH_SLOT_UNITS || units >> 31);
}

PST_FN void pst_fair_pair_begin(struct pst_fair_pair *p, u32 tag, u32 now_units)
{
	p->tag = tag;
	p->epoch = 0;
	p->running_q16 = 0;
	p->last_q16 = 0;
	p->fit_q16 = PST_Q16_ONE;
	p->passed_bytes = 0;
	p->spent_bytes = 0;
	p->slot_units = now_units;
	p->came_bytes = 0;
	p->lost_bytes = 0;
	p->lost_slots = 0;
}

/* The place of @pair, a hash, of which a packet came; from 1. */
PST_FN u16 pst_fair_pair_of(struct pst_fair_pairs *s, u64 pair, u32 now_units)
{
	u32 set = (u32)(pair >> 20) % PST_PAIR_SETS * PST_PAIR_WAYS;
	u32 tag = (u32)(pair >> 32);
	u32 place = PST_PAIR_REST;
	struct pst_fair_pair *p;
	u32 i;

	for (i = 0; i < PST_PAIR_WAYS; i++) {
		p = s->place + (set + i);
		if (!pst_fair_pair_runs(p, now_units)) {
			place = set + i;
		} else if (p->tag == tag) {
			p->seen_units = now_units;
			return (u16)(set + i + 1);
		}
	}
	if (place < PST_PAIR_REST) {
		p = s->place + place;
		pst_fair_pair_begin(p, tag, now_units);
		p->seen_units = now_units;
	}
	return (u16)(place + 1);
}

/* What is kept at @place, as of pst_fair_pair_of(). */
PST_FN struct pst_fair_pair *pst_fair_pair_at(struct pst_fair_pairs *s, u16 place)
{
	return s->place + pst_min(place - 1U, PST_PAIR_REST);
}

/*
 * An interval of the pair ends, in which it might have @most_bytes. Its flows' part falls once it
 * has had more for PST_PAIR_BURST intervals: flows that send less than a packet in an interval do
 * not count in most of them.
 */
PST_FN void pst_fair_pair_fit(struct pst_fair_pair *p, u64 most_bytes)
{
	u64 fit_q16 = p->fit_q16;

	PST_REQUIRE(pst_fair_pair_invariant(p) && most_bytes <= PST_MAX_BYTES);
	p->spent_bytes = pst_min(pst_sub_floor(p->spent_bytes + p->passed_bytes, most_bytes),
				 pst_min(2 * PST_PAIR_BURST * most_bytes, PST_MAX_BYTES));
	if (p->spent_bytes < PST_PAIR_BURST * most_bytes)
		fit_q16 += fit_q16 / 8;
	else if (p->passed_bytes > most_bytes)
		fit_q16 = pst_mul_div(fit_q16, most_bytes, p->passed_bytes);
	p->fit_q16 = (u32)pst_clamp(fit_q16, PST_PAIR_LEAST_FIT_Q16, PST_Q16_ONE);
	p->passed_bytes = 0;
	PST_ENSURE(pst_fair_pair_invariant(p));
}

/* As how many flows those of the pair count. */
PST_FN u64 pst_fair_pair_flows_q16(const struct pst_fair_pair *p)
{
	return pst_max(p->last_q16, p->running_q16);
}

/* @bytes came of the pair, and were dropped if @lost. */
PST_FN void pst_fair_pair_note(struct pst_fair_pair *p, u32 bytes, bool lost, u32 now_units)
{
	u32 units = pst_units_since(now_units, p->slot_units);

	PST_REQUIRE(pst_fair_pair_invariant(p));
	if (units >= PST_GROWTH_SLOT_UNITS && !(units >> 31)) {
		if (PST_PAIR_LOST_PART * p->lost_bytes > p->came_bytes)
			p->lost_slots = (u32)pst_min(p->lost_slots + 1ULL, PST_PAIR_LOST_SLOTS);
		else
			p->lost_slots = 0;
		p->slot_units = now_units;
		p->came_bytes = 0;
		p->lost_bytes = 0;
	}
	p->came_bytes = (u32)pst_min((u64)p->came_bytes + bytes, 0xffffffff);
	if (lost)
		p->lost_bytes = (u32)pst_min((u64)p->lost_bytes + bytes, 0xffffffff);
	else
		p->passed_bytes = pst_min(p->passed_bytes + bytes, PST_MAX_BYTES);
	PST_ENSURE(pst_fair_pair_invariant(p));
}

/* The same of the pair at @place, 0 of none. */
PST_APART(int) pst_fair_note_at(struct pst_fair_pairs *s, u32 place, u32 bytes, u32 lost,
				u32 now_units)
{
	if (s && place)
		pst_fair_pair_note(pst_fair_pair_at(s, (u16)place), bytes, lost, now_units);
	return 0;
}

/* True if nothing controls what its senders send: what is dropped does not slow them down. */
PST_FN bool pst_fair_pair_is_deaf(const struct pst_fair_pair *p)
{
	return p->lost_slots >= PST_PAIR_LOST_SLOTS;
}

#endif
