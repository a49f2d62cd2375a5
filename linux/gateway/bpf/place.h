/* SPDX-License-Identifier: GPL-2.0-only */
/* What no window controls, before the discipline sees it: what is known of its flow, and its load. */
#ifndef PENSTOCK_GATEWAY_PLACE_H
#define PENSTOCK_GATEWAY_PLACE_H

#include "packet.h"
#include "shape.h"
#include "core/queue/places.h"

/* True if `fair` has found no answer to the flow of @k. */
PST_FN bool gw_lacks_answers(const struct pst_packet *k)
{
	return gw_config()->gateway.discipline == PST_DISCIPLINE_FAIR && !k->answered;
}

/* True if the flow of @k is only one of all unanswered ones, as each such flow is in a shape. */
PST_FN bool gw_is_unanswered(const struct pst_packet *k)
{
	return gw_lacks_answers(k) && !k->stream;
}

/*
 * Whose load @k, which no window controls, is: what is one flow of `fair` is one here, too. All flows
 * of a pair of hosts are one: if each counted, the windows would leave a pair with many of them the
 * link, and `fair` a queue too short to act on.
 */
PST_FN u32 gw_load_of(struct __sk_buff *skb, const struct pst_packet *k)
{
	if (k->kind == PST_KIND_SMALL)
		return (u32)k->flow;
	if (gw_is_unanswered(k))
		return 0;
	return k->pair ? k->pair : bpf_get_hash_recalc(skb);
}

/*
 * Finds, for `fair`, what it knows of the flow of @k. In a shape no flow and no pair has a place. A
 * global function, as in forward.h.
 */
__attribute__((noinline)) int gw_find_places(struct pst_packet *k)
{
	struct gw_scratch *at_hand = gw_scratch();
	bool shaped = gw_has_shapes();
	struct pst_fair_table *t;

	if (!k || !at_hand || gw_config()->gateway.discipline != PST_DISCIPLINE_FAIR)
		return 0;
	t = shaped ? gw_shape_table(k->flow) : gw_fairness();
	if (!t)
		return 0;
	if (!shaped)
		pst_place(t, k, at_hand->pair, k->queued_ns);
	else if (!k->answered)
		k->answered = pst_fair_is_answered(t, k->flow, pst_fair_units(k->queued_ns));
	return 0;
}

/* @bytes of @k are load as well (R18). */
__attribute__((noinline)) int gw_on_other(struct __sk_buff *skb, struct gw_shared *g,
					  struct pst_packet *k, u32 bytes)
{
	if (!g || !k)
		return 0;
	gw_find_places(k);
	pst_gateway_other(&gw_config()->gateway, &g->port.state, gw_load_of(skb, k), bytes,
			  k->queued_ns);
	return 0;
}

#endif
