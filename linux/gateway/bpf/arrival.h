/* SPDX-License-Identifier: GPL-2.0-only */
/* A packet arrives at the queue: what the discipline calls its flow, and decides. */
#ifndef PENSTOCK_GATEWAY_ARRIVAL_H
#define PENSTOCK_GATEWAY_ARRIVAL_H

#include "shape.h"

/* A label has one hop, this queue: none is read from a packet or written to it. */
PST_FN void gw_rate_of(struct pst_packet *k)
{
	u32 slot = (u32)k->flow % GW_RATES;

	k->tos = PST_NOT_ECT;
	k->feedback = 0;
	k->label = 0;
	k->flow_rate = bpf_map_lookup_elem(&rates, &slot);
}

/*
 * The discipline's verdict on @k, which arrives; @table is that of its flow, if it has one. A
 * global function, as in forward.h: its branches are followed once, whoever named the flow.
 */
__attribute__((noinline)) int gw_decide(struct gw_shared *g, u64 queue_bytes, u64 now_ns,
					const struct pst_packet *k, struct pst_fair_table *table)
{
	const struct gw_config *c = gw_config();
	struct pst_packet labelled;
	struct pst_queue q;

	if (!g || !k || gw_is_background(g))
		return PST_PASS;
	gw_queue_fill(c, g, queue_bytes, now_ns, &q);
	q.table = table;
	if (c->labels) {
		labelled = *k;
		gw_rate_of(&labelled);
		k = &labelled;
	}
	return pst_port_arrive(&g->port, &q, k);
}

PST_FN int gw_on_arrival(const struct gw_config *c, struct gw_shared *g, u64 queue_bytes,
			 const struct pst_packet *k)
{
	bool named = c->names_flows && !c->labels;
	struct pst_fair_table *table;
	struct gw_scratch *at_hand;

	/* A program that measured may still have run on another CPU when this one was started. */
	if (!c->measures && g->port.state.departures.seen_ns)
		g->port.state.departures.seen_ns = 0;
	if (named && gw_is_shape(g)) {
		at_hand = gw_scratch();
		if (!at_hand)
			return PST_PASS;
		at_hand->packet = *k;
		table = gw_name_in_shape(g, &at_hand->packet);
		return gw_decide(g, queue_bytes, k->queued_ns, &at_hand->packet, table);
	}
	return gw_decide(g, queue_bytes, k->queued_ns, k, named ? gw_fairness() : 0);
}

#endif
