/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which cells of fair_table.h a flow has: its own where it goes on (fair_streams.h), the two of an
 * answered one, or that of all others.
 */
#ifndef PENSTOCK_CORE_FLOW_FAIR_FIND_H
#define PENSTOCK_CORE_FLOW_FAIR_FIND_H

#include "fair_table.h"

#define PST_FAIR_OFFSETS 0x3fff8ULL /* of all cells, with those beyond that are no cell's */
#define PST_FAIR_CELLS_AT 8ULL /* behind the key */
#ifndef __cplusplus
_Static_assert(__builtin_offsetof(struct pst_fair_table, cells) == PST_FAIR_CELLS_AT,
	       "the cells follow the key");
_Static_assert(sizeof(struct pst_fair_table) >= PST_FAIR_OFFSETS + sizeof(struct pst_fair_cell),
	       "an offset is in the table");
#endif

/*
 * The cell that is so many bytes behind the table's beginning, as of pst_fair_places(). The mask
 * says no more than that it is in the table: the verifier then follows all cells alike.
 */
PST_FN struct pst_fair_cell *pst_fair_cell_behind(struct pst_fair_table *t, u64 bytes)
{
	return (struct pst_fair_cell *)((char *)t + (bytes & PST_FAIR_OFFSETS));
}

/* The number of a stream's place, as of pst_fair_stream_of(): 0 .. PST_STREAMS - 1. */
PST_FN u64 pst_fair_stream_number(u32 stream)
{
	return pst_min((stream & ~PST_STREAM_LASTS) - 1U, PST_STREAMS - 1);
}

/* @own takes what is known of the flow, the less that its cells @e say: nothing if it is new. */
PST_FN void pst_fair_take_over(struct pst_fair_cell *own, const struct pst_fair_entry *e, bool known)
{
	if (!known)
		__builtin_memset((void *)own, 0, sizeof(*own));
	else if (e->first->level_bytes <= e->second->level_bytes)
		*own = *e->first;
	else
		*own = *e->second;
}

/*
 * The place of a packet of @flow that may be a stream, if it goes on (fair_streams.h). What is known of
 * an @answered one so far is kept there, the less that its cells say.
 */
PST_FN u16 pst_fair_take_place(struct pst_fair_table *t, u64 flow, bool answered, u64 now_ns)
{
	u16 place = pst_fair_stream_of(&t->streams, flow, pst_fair_units(now_ns));
	struct pst_fair_stream *own;
	struct pst_fair_entry e;
	u64 number;

	if (!place)
		return 0;
	number = pst_fair_stream_number(place);
	own = pst_fair_stream_at(&t->streams, number);
	if (own->used)
		return place;
	e = pst_fair_cells(t, flow);
	pst_fair_take_over(pst_fair_cell_at(t, PST_FAIR_STREAM_CELLS + number), &e, answered);
	own->used = true;
	return place;
}

PST_FN u64 pst_fair_offset(u64 place)
{
	return PST_FAIR_CELLS_AT + place * sizeof(struct pst_fair_cell);
}

/* Where the cells of a packet are, as of pst_fair_find(): the second one 2^32 times. */
PST_APART(u64) pst_fair_places(u64 flow, u32 answered, u32 stream)
{
	u64 first = PST_FAIR_UNANSWERED;
	u64 second = PST_FAIR_UNANSWERED;

	if (stream) {
		first = PST_FAIR_STREAM_CELLS + pst_fair_stream_number(stream);
		second = first;
	} else if (answered) {
		first = flow % PST_FAIR_CELLS;
		second = PST_FAIR_CELLS + (flow >> 32) % PST_FAIR_CELLS;
	}
	return pst_fair_offset(first) | pst_fair_offset(second) << 32;
}

/* The cells of a packet of @flow, with the place of a @stream, if any. */
PST_FN struct pst_fair_entry pst_fair_find(struct pst_fair_table *t, u64 flow, bool answered,
					   u16 stream)
{
	u64 places = pst_fair_places(flow, answered, stream);
	struct pst_fair_entry e = {
		pst_fair_cell_behind(t, places),
		pst_fair_cell_behind(t, places >> 32),
		answered,
		stream,
	};

	return e;
}

#endif
