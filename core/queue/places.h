/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a table of flows (flow/fair_table.h) keeps what it knows of a packet's flow and of its pair
 * of hosts. The host finds it once for each packet that no window controls, before the discipline
 * sees it: in the kernel apart from the discipline, so that the verifier follows either alone.
 */
#ifndef PENSTOCK_CORE_QUEUE_PLACES_H
#define PENSTOCK_CORE_QUEUE_PLACES_H

#include "../flow/fair_find.h"
#include "queue.h"

/*
 * Whether the flow of @k is answered, the place of one that goes on, and with a @pair of hosts, a hash
 * or 0, that of the pair. TCP is never spared, and who opens many connections has many shares.
 */
PST_FN void pst_place(struct pst_fair_table *t, struct pst_packet *k, u64 pair,
		      u64 now_ns)
{
	if (!k->answered)
		k->answered = pst_fair_is_answered(t, k->flow, pst_fair_units(now_ns));
	if (k->kind != PST_KIND_OTHER || k->elastic)
		return;
	k->stream = pst_fair_take_place(t, k->flow, k->answered, now_ns);
	if (k->answered && pair)
		k->pair = pst_fair_pair_of(&t->pairs, pair, pst_fair_units(now_ns));
}

#endif
