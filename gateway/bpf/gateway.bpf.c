/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gateway in the kernel: three programs on the clsact (or TCX) hooks of the
 * bottleneck device. They never drop, delay or answer a packet; all they change
 * is the window field of TCP segments that come in, and its checksum.
 */
#include "flow.h"

#define GW_PASS (-1)	/* TC_ACT_UNSPEC, TCX_NEXT: others' filters see it too */
#define GW_HEAD_BYTES 192 /* link, IP and TCP headers of any usual length */

char LICENSE[] SEC("license") = "GPL";

PST_FN void gw_count_bypass(struct gw_counts *n, enum pst_parsed why)
{
	switch (why) {
	case PST_NOT_IP:
		n->value[GW_PASS_not_ip]++;
		break;
	case PST_NOT_TCP:
		n->value[GW_PASS_not_tcp]++;
		break;
	case PST_FRAGMENT:
		n->value[GW_PASS_fragment]++;
		break;
	case PST_EXTENDED:
		n->value[GW_PASS_extended]++;
		break;
	case PST_TRUNCATED:
		n->value[GW_PASS_truncated]++;
		break;
	default:
		n->value[GW_PASS_malformed]++;
		break;
	}
}

/* Headers in pages of their own are first made readable. */
PST_FN enum pst_parsed gw_parse(const struct gw_config *c,
				struct __sk_buff *skb, struct pst_segment *s)
{
	enum pst_parsed r = PST_TRUNCATED;
	int i;

	for (i = 0; i < 2; i++) {
		r = pst_parse((const u8 *)(long)skb->data,
			      (const u8 *)(long)skb->data_end, skb->len,
			      c->ethernet, s);
		if (r != PST_TRUNCATED)
			break;
		if (bpf_skb_pull_data(skb, skb->len < GW_HEAD_BYTES ?
					   skb->len : GW_HEAD_BYTES))
			break;
	}
	return r;
}

/* VLAN id that the device has taken out of the bytes; 0 without one. */
PST_FN u16 gw_vlan(const struct __sk_buff *skb)
{
	return skb->vlan_present ? skb->vlan_tci & 0xfff : 0;
}

/*
 * The method's events stand in functions with external linkage: the verifier checks
 * those once and on their own, not again for each way that leads to the call.
 */
__attribute__((noinline)) u64 gw_method_ack(const struct pst_queue *q,
					    const struct pst_ack *a)
{
	const struct gw_config *c = gw_config();
	struct gw_shared *g = gw_shared();

	if (!g || !q || !a)
		return 0;
	return pst_control_ack(c->method, &c->params, &g->state, q, a);
}

/* A departure is noticed when the next packet comes. */
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
	struct pst_packet k = { skb->len, false };
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

PST_FN void gw_forward_tcp(const struct gw_config *c, struct gw_shared *g,
			   struct gw_counts *n, struct __sk_buff *skb,
			   const struct pst_segment *s, u64 now_ns)
{
	struct gw_key k;
	struct gw_flow *f;

	n->value[GW_COUNT_forward_tcp_bytes] += skb->len;
	gw_key_of(s, true, gw_vlan(skb), &k);
	if (s->flags & PST_TCP_SYN) {
		gw_on_syn(skb, s, &k, true);
		return;
	}
	f = gw_find_flow(s, &k, n, true);
	if (!f)
		return;
	if (s->ecn == PST_ECT1)
		f->scalable = true;
	if (gw_skip_of(c, f) == GW_STEERED)
		n->value[GW_COUNT_forward_steered_bytes] += skb->len;
	if (gw_on_end(s, &k, f, n, true))
		return;
	if (s->payload_bytes)
		gw_on_data(c, g, skb, s, f, now_ns);
}

SEC("tc")
int penstock_forward(struct __sk_buff *skb)
{
	const struct gw_config *c = gw_config();
	struct gw_shared *g = gw_shared();
	struct gw_counts *n = gw_counts();
	struct pst_segment s;
	enum pst_parsed parsed;
	u64 now_ns;

	if (!g || !n)
		return GW_PASS;
	n->value[GW_COUNT_forward_packets]++;
	n->value[GW_COUNT_forward_bytes] += skb->len;
	gw_note_device(c, g, skb);
	parsed = gw_parse(c, skb, &s);
	if (parsed != PST_PARSED_TCP && c->queue_source == GW_QUEUE_KERNEL &&
	    !c->sees_packets)
		return GW_PASS;
	now_ns = bpf_ktime_get_ns();
	if (c->sees_packets)
		gw_report_packet(c, g, skb, now_ns);
	if (parsed == PST_PARSED_TCP)
		gw_forward_tcp(c, g, n, skb, &s, now_ns);
	if (c->queue_source == GW_QUEUE_VIRTUAL &&
	    !gw_virtual_enqueue(c, g, now_ns, skb->len))
		n->value[GW_COUNT_virtual_drops]++;
	return GW_PASS;
}

/* What the flow's rules and the method make of an ACK; under the flow's lock. */
PST_FN struct pst_rewrite gw_decide(const struct gw_config *c,
				    struct gw_flow *f,
				    const struct pst_queue *q,
				    const struct pst_ack_header *h)
{
	struct pst_rewrite out = { h->field, PST_BY_RECEIVER };
	struct pst_ack a;

	if (pst_rewrite_bypassed(&f->flow, c->mode, h, &out))
		return out;
	a.window_bytes = (u64)h->field << f->flow.scale;
	a.rtt_ns = pst_rtt_get(&f->rtt);
	a.mss_bytes = (u32)pst_max(f->flow.mss_bytes, 1);
	a.granule_bytes = 1U << f->flow.scale;
	f->allowed_bytes = gw_method_ack(q, &a);
	if (f->scalable) /* R20: marks need something to be on the way */
		f->allowed_bytes = pst_max(f->allowed_bytes, 2ULL * a.mss_bytes);
	return pst_rewrite_window(&f->flow, c->mode, h, f->allowed_bytes);
}

PST_FN void gw_write_window(struct gw_counts *n, struct __sk_buff *skb,
			    const struct pst_segment *s, u16 field)
{
	u16 from = PST_BE16(s->window);
	u16 to = PST_BE16(field);

	if (bpf_l4_csum_replace(skb, s->tcp_offset + 16, from, to, 2) ||
	    bpf_skb_store_bytes(skb, s->tcp_offset + 14, &to, 2, 0))
		n->value[GW_COUNT_write_errors]++;
}

PST_FN void gw_on_ack(const struct gw_config *c, struct gw_shared *g,
		      struct gw_counts *n, struct __sk_buff *skb,
		      const struct pst_segment *s, struct gw_flow *f,
		      u64 now_ns)
{
	struct pst_ack_header h = { s->ack, s->window, false,
				    !s->payload_bytes &&
				    !(s->flags & PST_TCP_FIN) };
	struct pst_rewrite out;
	struct pst_queue q;

	gw_queue_fill(c, g, gw_queue_bytes(c, g, skb, now_ns), now_ns, &q);
	if (!gw_lock(f)) {
		n->value[GW_PASS_busy]++;
		return;
	}
	gw_take_missed(f);
	pst_rtt_on_ack(&f->rtt, s->ack, now_ns);
	out = gw_decide(c, f, &q, &h);
	pst_rewrite_commit(&f->flow, &h, c->observe ? h.field : out.field);
	f->limit = out.limit;
	f->seen_ns = now_ns;
	f->acks++;
	if (out.field != h.field)
		f->rewritten++;
	gw_unlock(f);
	n->value[GW_COUNT_acks_seen]++;
	if (out.limit < PST_LIMIT_COUNT)
		n->value[GW_BY_LIMIT + out.limit]++;
	if (out.field == h.field)
		return;
	n->value[GW_COUNT_acks_rewritten]++;
	if (!c->observe)
		gw_write_window(n, skb, s, out.field);
}

PST_FN bool gw_is_stale(const struct gw_config *c, const struct gw_shared *g,
			u64 now_ns)
{
	return c->tick_ns &&
	       now_ns > g->ticked_ns + c->tick_ns + GW_STALE_NS;
}

PST_FN void gw_reverse_tcp(const struct gw_config *c, struct gw_shared *g,
			   struct gw_counts *n, struct __sk_buff *skb,
			   const struct pst_segment *s)
{
	struct gw_key k;
	struct gw_flow *f;
	u64 now_ns;
	u32 skip;

	gw_key_of(s, false, gw_vlan(skb), &k);
	if (s->flags & PST_TCP_SYN) {
		n->value[GW_BY_LIMIT + PST_BY_SYN]++;
		gw_on_syn(skb, s, &k, false);
		return;
	}
	f = gw_find_flow(s, &k, n, false);
	if (!f) {
		n->value[GW_PASS_unknown_flow]++;
		return;
	}
	if (gw_on_end(s, &k, f, n, false))
		return;
	skip = gw_skip_of(c, f);
	if (!(s->flags & PST_TCP_ACK))
		n->value[GW_PASS_no_ack]++;
	else if (skip != GW_STEERED && skip < GW_SKIP_COUNT)
		n->value[GW_PASS_authenticated + skip - 1]++;
	if (!(s->flags & PST_TCP_ACK) || skip != GW_STEERED)
		return;
	now_ns = bpf_ktime_get_ns();
	if (gw_is_stale(c, g, now_ns))
		n->value[GW_PASS_stale]++;
	else
		gw_on_ack(c, g, n, skb, s, f, now_ns);
}

SEC("tc")
int penstock_reverse(struct __sk_buff *skb)
{
	const struct gw_config *c = gw_config();
	struct gw_shared *g = gw_shared();
	struct gw_counts *n = gw_counts();
	struct pst_segment s;
	enum pst_parsed parsed;

	if (!g || !n)
		return GW_PASS;
	n->value[GW_COUNT_reverse_packets]++;
	n->value[GW_COUNT_reverse_bytes] += skb->len;
	parsed = gw_parse(c, skb, &s);
	if (parsed == PST_PARSED_TCP)
		gw_reverse_tcp(c, g, n, skb, &s);
	else
		gw_count_bypass(n, parsed);
	return GW_PASS;
}

/* The method's clock; it sets itself anew, no process is needed. */
static int gw_tick(void *map, u32 *key, struct gw_clock *clock)
{
	const struct gw_config *c = gw_config();
	struct gw_shared *g = gw_shared();
	struct gw_counts *n = gw_counts();
	u64 now_ns = bpf_ktime_get_ns();
	struct pst_queue q;

	(void)map;
	(void)key;
	if (g && n) {
		gw_queue_fill(c, g, gw_queue_bytes_timed(c, g, now_ns), now_ns,
			      &q);
		pst_control_tick(c->method, &c->params, &g->state, &q);
		g->ticked_ns = now_ns;
		n->value[GW_COUNT_ticks]++;
	}
	bpf_timer_start(&clock->timer, c->tick_ns, 0);
	return 0;
}

/*
 * Run once by the tool, after the maps are in place and before the hooks: starts
 * the clock, and the method if the context's mark says that it is a new one.
 */
SEC("tc")
int penstock_start(struct __sk_buff *skb)
{
	const struct gw_config *c = gw_config();
	struct gw_shared *g = gw_shared();
	u64 now_ns = bpf_ktime_get_ns();
	struct gw_clock *clock;
	struct pst_queue q;
	u32 zero = 0;

	clock = bpf_map_lookup_elem(&clocks, &zero);
	if (!g || !clock)
		return 1;
	g->count.interval_ns = c->flow_interval_ns;
	if (skb->mark) {
		gw_queue_fill(c, g, 0, now_ns, &q);
		pst_control_init(c->method, &c->params, &g->state, &q);
	}
	g->ticked_ns = now_ns;
	bpf_timer_init(&clock->timer, &clocks, 1 /* CLOCK_MONOTONIC */);
	bpf_timer_cancel(&clock->timer);
	if (!c->tick_ns)
		return 0;
	if (bpf_timer_set_callback(&clock->timer, gw_tick))
		return 2;
	return bpf_timer_start(&clock->timer, c->tick_ns, 0) ? 3 : 0;
}
