/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams that no window controls: each that goes on has a place of its own, so that it does not
 * suffer from what others send. That is also one that nobody answers, such as multicast, or RTP
 * without RTCP. A packet takes a place of its flow's set that is free, or whose flow had no packet
 * for a slot of fair_growth.h. A flow goes on if it has one after such a slot, and lasts if it had
 * one in each slot for PST_STREAM_UNITS. So a flood of names takes places for a slot at most. Who
 * wants to keep them must send constant flows, as many as there are places, and takes none from those
 * that were there before. What all of them may have is bounded by the owner
 * (discipline/fair_spare.h).
 */
#ifndef PENSTOCK_CORE_FLOW_FAIR_STREAMS_H
#define PENSTOCK_CORE_FLOW_FAIR_STREAMS_H

#include "fair_growth.h"

#define PST_STREAM_SETS 32U
#define PST_STREAM_WAYS 4U	/* in a set */
#define PST_STREAMS (PST_STREAM_SETS * PST_STREAM_WAYS) /* at most: 128 */
#define PST_STREAM_LASTS 0x8000U /* beside a place: its flow lasts */
#define PST_STREAM_UNITS (8 * PST_GROWTH_SLOT_UNITS) /* as a step is told from growth */

struct pst_fair_stream {
	u32 tag;		/* of the flow */
	u32 since_units;	/* since when it has had packets in each slot; 0 free */
	u32 seen_units;		/* the last packet */
	bool used;		/* its cell, which the table has, is in use */
};

/* All zero at first. */
struct pst_fair_streams {
	struct pst_fair_stream place[PST_STREAMS];
};

/* True if the last packet came within a slot; of another CPU, it may have come later. */
PST_FN bool pst_stream_runs(const struct pst_fair_stream *f, u32 now_units)
{
	u32 units = pst_units_since(now_units, f->seen_units);

	return f->since_units && (units <= PST_GROWTH_SLOT_UNITS || units >> 31);
}

PST_FN void pst_stream_begin(struct pst_fair_stream *f, u32 tag, u32 now_units)
{
	f->tag = tag;
	f->since_units = now_units;
	f->seen_units = now_units;
	f->used = false;
}

/* A packet of the flow at @place: this place if it goes on, with PST_STREAM_LASTS if it lasts; else 0. */
PST_FN u16 pst_stream_goes_on(struct pst_fair_stream *f, u32 place, u32 now_units)
{
	u32 units;

	if (!pst_stream_runs(f, now_units))
		pst_stream_begin(f, f->tag, now_units);
	f->seen_units = now_units;
	units = pst_units_since(now_units, f->since_units);
	if (units < PST_GROWTH_SLOT_UNITS || units >> 31)
		return 0;
	return (u16)(units < PST_STREAM_UNITS ? place : place | PST_STREAM_LASTS);
}

/* The place of @flow, a packet of which came, from 1 if it goes on; else 0. */
PST_FN u16 pst_fair_stream_of(struct pst_fair_streams *s, u64 flow, u32 now_units)
{
	u32 set = (u32)(flow >> 20) % PST_STREAM_SETS * PST_STREAM_WAYS;
	u32 tag = (u32)(flow >> 32);
	u32 free = PST_STREAM_WAYS;
	u32 i;

	for (i = 0; i < PST_STREAM_WAYS; i++) {
		struct pst_fair_stream *f = s->place + (set + i);

		if (f->tag == tag && f->since_units)
			return pst_stream_goes_on(f, set + i + 1, now_units);
		if (!pst_stream_runs(f, now_units))
			free = i;
	}
	if (free < PST_STREAM_WAYS)
		pst_stream_begin(s->place + (set + free), tag, now_units);
	return 0;
}

/* What is kept of the stream @number, 0 .. PST_STREAMS - 1. */
PST_FN struct pst_fair_stream *pst_fair_stream_at(struct pst_fair_streams *s, u64 number)
{
	return s->place + number;
}

#endif
