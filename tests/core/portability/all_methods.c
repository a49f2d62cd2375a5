/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every event of every method in one translation unit that generates code: what a
 * target cannot do (128-bit products, signed division, calls to libc) shows here,
 * not in a header whose functions nobody calls.
 */
#include "core/control/control.h"
#include "core/queue/flow_count.h"
#include "core/rewrite/checksum.h"
#include "core/rewrite/window.h"
#include "core/sender/control.h"

struct gateway {
	u32 method;
	union pst_params params;
	union pst_state state;
	struct pst_queue queue;
	struct pst_flow flow;
	struct pst_flow_count count;
};

struct connection {
	u32 method;
	union pst_sender_params params;
	union pst_sender_state state;
	struct pst_sender_view view;
	struct pst_cwnd cwnd;
};

u64 gateway_init(struct gateway *g);
u64 gateway_data(struct gateway *g, const struct pst_packet *k);
u64 gateway_left(struct gateway *g, const struct pst_packet *k);
u64 gateway_ack(struct gateway *g, const struct pst_ack_header *h);
u64 connection_begin(struct connection *c);
u64 connection_ack(struct connection *c);
u64 connection_recovered(struct connection *c);
u64 connection_loss(struct connection *c);

u64 gateway_init(struct gateway *g)
{
	pst_control_init(g->method, &g->params, &g->state, &g->queue);
	pst_flow_on_syn(&g->flow, true, 7);
	pst_flow_on_syn(&g->flow, false, 7);
	return pst_control_interval_ns(g->method, &g->params);
}

u64 gateway_data(struct gateway *g, const struct pst_packet *k)
{
	pst_flow_on_data(&g->flow, 1, k->bytes);
	pst_flow_count_data(&g->count, &g->flow, g->queue.now_ns);
	g->queue.flows = pst_flow_count_get(&g->count, g->queue.now_ns);
	return pst_control_enqueue(g->method, &g->params, &g->state, &g->queue, k);
}

u64 gateway_left(struct gateway *g, const struct pst_packet *k)
{
	pst_control_dequeue(g->method, &g->params, &g->state, &g->queue, k);
	pst_control_tick(g->method, &g->params, &g->state, &g->queue);
	return 0;
}

u64 gateway_ack(struct gateway *g, const struct pst_ack_header *h)
{
	struct pst_rewrite out;
	struct pst_ack a = { (u64)h->field << g->flow.scale, 0,
			     g->flow.mss_bytes, 1U << g->flow.scale };

	if (!pst_rewrite_bypassed(&g->flow, PST_SAFE, h, &out))
		out = pst_rewrite_window(&g->flow, PST_SAFE, h,
					 pst_control_ack(g->method, &g->params,
							 &g->state, &g->queue,
							 &a));
	pst_rewrite_commit(&g->flow, h, out.field);
	return pst_checksum_update(0, h->field, out.field);
}

u64 connection_ack(struct connection *c)
{
	if (pst_sender_samples(c->method))
		pst_sender_sample(c->method, &c->params, &c->state, &c->view,
				  &c->cwnd);
	pst_sender_ack(c->method, &c->params, &c->state, &c->view, &c->cwnd);
	return c->cwnd.bytes;
}

u64 connection_begin(struct connection *c)
{
	pst_sender_init(c->method, &c->params, &c->state, &c->view, &c->cwnd);
	return pst_sender_recovers_one(c->method);
}

u64 connection_recovered(struct connection *c)
{
	pst_sender_recovered(c->method, &c->params, &c->state, &c->view,
			     &c->cwnd);
	return c->cwnd.bytes;
}

u64 connection_loss(struct connection *c)
{
	return pst_sender_congestion(c->method, &c->params, &c->state, &c->view,
				     &c->cwnd, PST_LOSS);
}
