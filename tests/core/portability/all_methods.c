/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every event of every discipline, law and sender in one translation unit that
 * generates code: what a target cannot do (128-bit products, signed division, calls
 * to libc) shows here, not in a header whose functions nobody calls.
 */
#include "core/gateway/gateway.h"
#include "core/rewrite/checksum.h"
#include "core/sender/control.h"

struct gateway {
	struct pst_port port;
	struct pst_gateway_flow flow;
	struct pst_pace_flow pace;
	struct pst_queue queue;
};

struct connection {
	u32 method;
	union pst_sender_params params;
	union pst_sender_state state;
	struct pst_sender_view view;
	struct pst_cwnd cwnd;
};

u64 gateway_init(struct gateway *g, const struct pst_options *o);
u64 gateway_data(struct gateway *g, const struct pst_packet *k);
u64 gateway_left(struct gateway *g, const struct pst_packet *k);
u64 gateway_ack(struct gateway *g, const struct pst_ack_header *h);
u64 connection_begin(struct connection *c);
u64 connection_ack(struct connection *c);
u64 connection_recovered(struct connection *c);
u64 connection_loss(struct connection *c);

u64 gateway_init(struct gateway *g, const struct pst_options *o)
{
	pst_gateway_syn(&g->flow, true, 0, o, g->queue.now_ns);
	pst_gateway_syn(&g->flow, false, 0, o, g->queue.now_ns);
	pst_gateway_opened(&g->flow, true, g->queue.now_ns);
	return pst_port_init(&g->port, &g->queue);
}

u64 gateway_data(struct gateway *g, const struct pst_packet *k)
{
	enum pst_verdict verdict;

	pst_gateway_data(&g->port, &g->flow, 0, &g->queue, 1, k->bytes,
			 k->bytes, PST_ECT0, 0);
	verdict = pst_port_arrive(&g->port, &g->queue, k);
	if (verdict == PST_PASS)
		pst_port_accepted(&g->port, &g->queue, k);
	else
		pst_port_overflow(&g->port, &g->queue, k);
	return verdict;
}

u64 gateway_left(struct gateway *g, const struct pst_packet *k)
{
	enum pst_verdict verdict =
		pst_port_leave(&g->port, &g->queue, k);

	pst_port_left(&g->port, &g->queue, k);
	return verdict + pst_port_tick(&g->port, &g->queue);
}

u64 gateway_ack(struct gateway *g, const struct pst_ack_header *h)
{
	struct pst_back back =
		pst_port_back(&g->port, &g->flow, &g->pace, 0, &g->queue, h);

	return back.release_ns + pst_checksum_update(0, h->field, back.out.field);
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
