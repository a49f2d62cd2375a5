/* SPDX-License-Identifier: GPL-2.0-only */
/* The data's way, out of the device: nothing is changed, flows and queue are noted. */
#ifndef PENSTOCK_GATEWAY_FORWARD_H
#define PENSTOCK_GATEWAY_FORWARD_H

#include "flow.h"
#include "packet.h"

/*
 * The method's events stand in functions with external linkage: the verifier checks
 * those once and on their own, not again for each way that leads to the call.
 * A departure is noticed when the next packet comes.
 */
__attribute__((noinline)) int gw_method_packet(const struct pst_queue *q,
					       const struct pst_packet *k)
{
	const struct gw_config *c = gw_config();
	struct gw_shared *g = gw_shared();

	if (!g || !q || !k)
		return 0;
	pst_control_dequeue(c->method, &c->params, &g->state, q, k);
	return pst_control_enqueue(c->method, &c->params, &g->state, q, k);
}

PST_FN void gw_report_packet(const struct gw_config *c, struct gw_shared *g,
			     struct __sk_buff *skb, u64 now_ns)
{
	struct pst_packet k = { skb->len, false, 0 };
	struct pst_queue q;

	gw_queue_fill(c, g, gw_queue_bytes(c, g, skb, now_ns), now_ns, &q);
	gw_method_packet(&q, &k);
}

PST_FN void gw_on_data(const struct gw_config *c, struct gw_shared *g,
		       struct __sk_buff *skb, const struct pst_segment *s,
		       struct gw_flow *f, u64 now_ns)
{
	u32 end = s->seq + s->payload_bytes;
	u32 last = s->payload_bytes;
	u64 leaves_ns = now_ns;

	/* Joined segments: the last whole one stands for all. */
	if (skb->gso_size && skb->gso_size < last)
		last = skb->gso_size;
	if (!f->rtt.probing)
		leaves_ns = pst_rtt_departure_ns(now_ns,
						 gw_queue_bytes(c, g, skb, now_ns),
						 c->rate_bytes_per_s);
	if (!gw_lock(f)) {
		gw_miss_data(f, end);
		return;
	}
	pst_rtt_on_data(&f->rtt, &f->flow, end, leaves_ns);
	pst_flow_on_data(&f->flow, end - last, last);
	pst_flow_count_data(&g->count, &f->flow, now_ns);
	f->sent_bytes += s->payload_bytes;
	f->seen_ns = now_ns;
	gw_unlock(f);
}

__attribute__((noinline)) int gw_forward_tcp(struct __sk_buff *skb,
					     const struct pst_segment *s,
					     struct gw_shared *g,
					     struct gw_counts *n, u64 now_ns)
{
	const struct gw_config *c = gw_config();
	struct gw_key k;
	struct gw_flow *f;

	if (!s || !g || !n)
		return 0;
	n->value[GW_COUNT_forward_tcp_bytes] += skb->len;
	gw_key_of(s, true, gw_vlan(skb), &k);
	if (s->flags & PST_TCP_SYN) {
		gw_on_syn(skb, s, &k, true);
		return 0;
	}
	f = gw_find_flow(s, &k, n, true);
	if (!f)
		return 0;
	if (s->ecn == PST_ECT1)
		f->scalable = true;
	if (gw_skip_of(c, f) == GW_STEERED)
		n->value[GW_COUNT_forward_steered_bytes] += skb->len;
	if (gw_on_end(s, &k, f, n, true))
		return 0;
	if (s->payload_bytes)
		gw_on_data(c, g, skb, s, f, now_ns);
	return 0;
}

#endif
