/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the data of a flow has waited before it came here, from its TSval (RFC 7323): the
 * one-way delay above its least value.
 *
 *   wait = now - base - tick (TSval - base's TSval)                              (1)
 *
 * `base` is when a segment with that stamp would have come without a wait. It moves to an
 * earlier time whenever a segment comes before its own, so it follows the least delay. The
 * offset of a sender's clock is part of it, and random for each connection, as in Linux.
 *
 * A sender's clock ticks every 1 us, 1, 4 or 10 ms. The mean tick since a reference, after 32 ms
 * and then twice that, tells which: within a quarter of one of them it is that one. A queue that
 * grows meanwhile blurs it, so for two seconds a mean within 2.6 times the tick of other flows
 * counts as that. A clock with any other tick is not used; nor one that is a quarter off over
 * 4 s, which is looked at for good.
 *
 * Only the first segment with a new TSval says something: one stamp serves a burst, of which the
 * rest waits for itself. Retransmissions and reordered segments have no newer one.
 */
#ifndef PENSTOCK_CORE_FLOW_ONE_WAY_H
#define PENSTOCK_CORE_FLOW_ONE_WAY_H

#include "../base.h"

#define PST_ONE_WAY_SHIFT 20 /* units of 2^20 ns, about a millisecond */
#define PST_ONE_WAY_FIRST_UNITS 32U
#define PST_ONE_WAY_SURE 7U /* doublings: from 4 s on the tick must fit */
/* A clock that stood still for as long: no queue is that long. */
#define PST_ONE_WAY_MOST_NS (10 * PST_NS_PER_S)

/* Ticks of senders: T(name, ns). */
enum pst_tick {
	PST_TICK_UNKNOWN,
	PST_TICK_US,
	PST_TICK_MS,
	PST_TICK_4MS,
	PST_TICK_10MS,
	PST_TICK_NONE,	/* none of these */
};

struct pst_one_way {
	u64 base_ns;
	u32 base_val;		/* the newest TSval */
	u32 first_val;		/* the reference of the tick, */
	u32 first_units;	/* when it came */
	u8 round;		/* in which it came last, for upstream_queue.h */
	u8 tick : 4;		/* enum pst_tick */
	u8 judged : 4;		/* 1 + doublings until the tick is judged; 0 no stamp was seen */
};

/* 0 where none is known. */
PST_FN u64 pst_tick_ns(u32 tick)
{
	if (tick == PST_TICK_US)
		return 1000;
	if (tick == PST_TICK_MS)
		return 1000000;
	if (tick == PST_TICK_4MS)
		return 4000000;
	return tick == PST_TICK_10MS ? 10000000 : 0;
}

/* True if a mean of @ns may be the tick @of_ns, within @quarters / 4 of it. */
PST_FN bool pst_tick_fits(u64 ns, u64 of_ns, u64 quarters)
{
	return 4 * ns <= of_ns * (4 + quarters) && ns * (4 + quarters) >= 4 * of_ns;
}

/* The tick whose mean was @ns over 2^@judged * 16 units, where @usual is that of other flows. */
PST_FN u32 pst_tick_of(u64 ns, u32 usual, u32 judged)
{
	u32 tick;

	for (tick = PST_TICK_US; tick < PST_TICK_NONE; tick++)
		if (pst_tick_fits(ns, pst_tick_ns(tick), 1))
			return tick;
	if (judged > PST_ONE_WAY_SURE)
		return PST_TICK_NONE;
	/* No other tick is near. */
	if (pst_tick_fits(ns, pst_tick_ns(PST_TICK_US), 12))
		return PST_TICK_US;
	if (judged < PST_ONE_WAY_SURE && pst_tick_fits(ns, pst_tick_ns(usual), 6))
		return usual;
	return PST_TICK_UNKNOWN;
}

/* The first stamp. */
PST_FN void pst_one_way_begin(struct pst_one_way *o, u32 val, u64 now_ns)
{
	o->base_ns = now_ns;
	o->base_val = val;
	o->first_val = val;
	o->first_units = (u32)(now_ns >> PST_ONE_WAY_SHIFT);
	o->tick = PST_TICK_UNKNOWN;
	o->judged = 1;
}

/* Looks at the tick again, if that is due: then @known_ns of its wait are believed. */
PST_FN void pst_one_way_judge(struct pst_one_way *o, u32 val, u32 usual, u64 known_ns,
			      u64 now_ns)
{
	u32 units = (u32)(now_ns >> PST_ONE_WAY_SHIFT) - o->first_units;
	u64 ticks = pst_max(val - o->first_val, 1);
	u32 tick;

	if (units < PST_ONE_WAY_FIRST_UNITS << (o->judged - 1))
		return;
	tick = pst_tick_of(((u64)units << PST_ONE_WAY_SHIFT) / ticks, usual, o->judged);
	if (tick != o->tick) {
		/* The first stamp, as of a SYN, may have waited less. */
		o->base_ns += pst_tick_ns(tick) * (val - o->first_val);
		if (o->tick != PST_TICK_UNKNOWN || o->base_ns > pst_sub_floor(now_ns, known_ns))
			o->base_ns = pst_sub_floor(now_ns, known_ns);
		o->tick = tick & 15;
		o->base_val = val;
	}
	if (o->judged <= PST_ONE_WAY_SURE) {
		o->judged = (o->judged + 1) & 15;
	} else {
		o->first_val = val;
		o->first_units = (u32)(now_ns >> PST_ONE_WAY_SHIFT);
	}
}

/*
 * New data with TSval @val arrives. True if it says what it waited. @usual is the tick of other
 * flows, and @known_ns what they have waited: a newcomer's first value contains it.
 */
PST_FN bool pst_one_way_take(struct pst_one_way *o, u32 val, u32 usual, u64 known_ns,
			     u64 now_ns, u64 *wait_ns)
{
	u64 tick_ns;

	if (!o->judged) {
		pst_one_way_begin(o, val, now_ns);
		return false;
	}
	if (!pst_seq_after(val, o->base_val))
		return false;
	pst_one_way_judge(o, val, usual, known_ns, now_ns);
	tick_ns = pst_tick_ns(o->tick);
	o->base_ns = pst_min(o->base_ns + tick_ns * (val - o->base_val), now_ns);
	o->base_val = val;
	if (!tick_ns)
		return false;
	if (now_ns - o->base_ns > PST_ONE_WAY_MOST_NS)
		o->base_ns = pst_sub_floor(now_ns, known_ns);
	*wait_ns = now_ns - o->base_ns;
	return true;
}

/* The flow's place among those that speak of the common wait. */
PST_FN u32 pst_one_way_place(const struct pst_one_way *o)
{
	return (u32)(o->first_val * PST_GOLDEN_Q32 >> 16) ^ o->first_units;
}

#endif
