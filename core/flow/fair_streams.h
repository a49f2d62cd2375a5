/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams that nobody answers, such as multicast, or RTP without RTCP: each that lasts has a place
 * of its own, so that it does not suffer from what others send. A packet takes a place of its
 * flow's set that is free, or whose flow had no packet for a slot of fair_growth.h. A flow has
 * lasted if it had one in each slot for PST_STREAM_UNITS. So a flood of forged flows takes places
 * for a slot at most, and who wants to keep them must send constant flows, of which there are as
 * many as places. What all of them may have is bounded by the owner (discipline/fair_spare.h).
 */
#ifndef PENSTOCK_CORE_FLOW_FAIR_STREAMS_H
#define PENSTOCK_CORE_FLOW_FAIR_STREAMS_H

#include "fair_cell.h"

#define PST_STREAM_SETS 32U
#define PST_STREAM_WAYS 4U	/* in a set: 128 streams at most, 11 kB */
#define PST_STREAM_UNITS (8 * PST_GROWTH_SLOT_UNITS) /* as a step is told from growth */

struct pst_fair_stream {
	struct pst_fair_cell cell;
	u32 tag;		/* of the flow */
	u32 since_units;	/* since when it has had packets in each slot; 0 free */
	u32 seen_units;		/* the last packet */
};

/* All zero at first. */
struct pst_fair_streams {
	struct pst_fair_stream place[PST_STREAM_SETS * PST_STREAM_WAYS];
};

/* True if the last packet came within a slot; of another CPU, it may have come later. */
PST_FN bool pst_stream_runs(const struct pst_fair_stream *f, u32 now_units)
{
	u32 units = pst_units_since(now_units, f->seen_units);

	return f->since_units && (units <= PST_GROWTH_SLOT_UNITS || units >> 31);
}

/* A packet of @flow: true if it has lasted, in this place. */
PST_FN bool pst_stream_goes_on(struct pst_fair_stream *f, u32 now_units)
{
	u32 units;

	if (!pst_stream_runs(f, now_units))
		f->since_units = now_units;
	f->seen_units = now_units;
	units = pst_units_since(now_units, f->since_units);
	return units >= PST_STREAM_UNITS && !(units >> 31);
}

PST_FN void pst_stream_begin(struct pst_fair_stream *f, u32 tag, u32 now_units)
{
	__builtin_memset(&f->cell, 0, sizeof(f->cell));
	f->tag = tag;
	f->since_units = now_units;
	f->seen_units = now_units;
}

/* The cell of @flow, a packet of which nobody has answered, if it has lasted; or null. */
PST_FN struct pst_fair_cell *pst_fair_stream_of(struct pst_fair_streams *s, u64 flow,
						u32 now_units)
{
	u32 set = (u32)(flow >> 20) % PST_STREAM_SETS * PST_STREAM_WAYS;
	u32 tag = (u32)(flow >> 32);
	u32 free = PST_STREAM_WAYS;
	u32 i;

	for (i = 0; i < PST_STREAM_WAYS; i++) {
		struct pst_fair_stream *f = s->place + (set + i);

		if (f->tag == tag && f->since_units)
			return pst_stream_goes_on(f, now_units) ? &f->cell : 0;
		if (!pst_stream_runs(f, now_units))
			free = i;
	}
	if (free < PST_STREAM_WAYS)
		pst_stream_begin(s->place + (set + free), tag, now_units);
	return 0;
}

#endif
