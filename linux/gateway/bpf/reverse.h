/* SPDX-License-Identifier: GPL-2.0-only */
/* ACKs and SYN-ACKs at ingress: calls the law and writes the window. */
#ifndef PENSTOCK_GATEWAY_REVERSE_H
#define PENSTOCK_GATEWAY_REVERSE_H

#include "ack_wait.h"
#include "flow.h"
#include "group.h"
#include "packet.h"
#include "stamp.h"
#include "core/rewrite/checksum.h"

/* fq(8), the queue of the device by which the ACK leaves, holds it until then. */
PST_FN void gw_hold(struct gw_counts *n, struct __sk_buff *skb, u64 release_ns,
		    u64 now_ns)
{
	if (release_ns <= now_ns)
		return;
	n->value[GW_COUNT_acks_held]++;
	skb->tstamp = release_ns;
}

/*
 * A complete checksum is updated here (R14) and written with the adjacent window in one
 * call. Only the kernel knows whether the device will complete a partial one.
 */
PST_FN void gw_write_window(struct gw_counts *n, struct __sk_buff *skb,
			    const struct pst_segment *s, u32 checksum, u16 field)
{
	u32 window_offset = s->tcp_offset + PST_TCP_WINDOW_AT;
	u16 from = PST_BE16(s->window);
	u16 words[2] = { PST_BE16(field), 0 };
	long failed;

	if (checksum == GW_CHECKSUM_RIGHT) {
		words[1] = pst_checksum_update(s->checksum, from, words[0]);
		failed = bpf_skb_store_bytes(skb, window_offset, words, 4, 0);
	} else {
		failed = bpf_l4_csum_replace(skb, window_offset + 2, from, words[0], 2) ||
			 bpf_skb_store_bytes(skb, window_offset, words, 2, 0);
	}
	if (failed)
		n->value[GW_COUNT_write_errors]++;
}

PST_FN void gw_apply(const struct gw_shared *g, struct gw_counts *n,
		     struct __sk_buff *skb, const struct pst_segment *s,
		     u32 checksum, const struct pst_rewrite *out)
{
	gw_count(n, GW_BY_LIMIT + out->limit);
	n->value[GW_COUNT_acks_seen]++;
	if (out->field == s->window)
		return;
	n->value[GW_COUNT_acks_rewritten]++;
	if (!gw_observes(g))
		gw_write_window(n, skb, s, checksum, out->field);
}

/* An ACK of new data: the first page continues, unless there was a pause. */
PST_FN void gw_page_on_ack(struct gw_flow *f, u64 now_ns)
{
	u64 opened_ns = f->gateway.rtt.opened_ns;
	u64 page_us = pst_sub_floor(now_ns, opened_ns) / 1000;

	if (!opened_ns || !f->sent_bytes ||
	    (f->page_us && page_us > (u64)f->page_us + GW_PAGE_GAP_US))
		return;
	f->page_us = (u32)pst_min(page_us, ~0U);
	f->page_bytes = (u32)pst_min(f->sent_bytes, ~0U);
}

/*
 * The ACK has ended the round trip beyond the gateway of a segment of @f, which took @trip_ns.
 * @pair: it is of two segments or more. A global function, as in forward.h.
 */
__attribute__((noinline)) int gw_note_far(struct gw_shared *g, struct gw_flow *f, u64 now_ns,
					  u64 trip_ns, u32 pair)
{
	if (!g || !f)
		return 0;
	if (!f->far_ns || trip_ns < f->far_ns)
		f->far_ns = pst_max(trip_ns, 1);
	if (pair)
		pst_far_wait_say(&g->far, trip_ns - pst_min(f->far_ns, trip_ns), now_ns);
	return 0;
}

/* What was timed when an ACK came: by whether it still is afterwards, that ACK ended it. */
struct gw_timed {
	u64 probe_ns;		/* 0: nothing was */
	u32 ack;		/* the newest before */
};

PST_FN struct gw_timed gw_timed_of(struct gw_flow *f)
{
	const struct pst_rtt *r = &f->gateway.rtt;
	struct gw_timed t = { r->probing ? r->probe_ns : 0, f->gateway.flow.ack };

	/* The handshake's, before any other. */
	if (!f->far_ns)
		f->far_ns = r->far_ns;
	return t;
}

PST_FN void gw_time_far(struct gw_shared *g, struct gw_flow *f, const struct gw_timed *t,
			u64 now_ns)
{
	u32 acked_bytes = f->gateway.flow.ack - t->ack;

	if (t->probe_ns && !f->gateway.rtt.probing && now_ns > t->probe_ns)
		gw_note_far(g, f, now_ns, now_ns - t->probe_ns,
			    acked_bytes >= 2 * f->gateway.flow.mss_bytes);
}

PST_FN void gw_on_ack(const struct gw_config *c, struct gw_shared *g,
		      struct gw_counts *n, struct __sk_buff *skb,
		      const struct pst_segment *s, u32 checksum,
		      struct gw_flow *f, const struct gw_key *k, u64 now_ns)
{
	struct pst_flow_group *group = gw_group(c, &f->gateway.flow, f->mark,
						g->shape, k);
	struct pst_ack_header h = { s->ack, s->window, false,
				    !s->payload_bytes &&
				    !(s->flags & PST_TCP_FIN) };
	struct pst_queue *q = gw_queue_found(c, g, now_ns);
	struct gw_timed timed;
	struct pst_back back;

	if (!q)
		return;
	gw_ask_ack_wait(q);
	if (!gw_lock(f)) {
		n->value[GW_PASS_busy]++;
		return;
	}
	gw_take_missed(f);
	timed = gw_timed_of(f);
#ifdef GW_PASSIVE
	if (gw_stamp_of(skb, s))
		gw_take_returned(s, g, &f->gateway, k, q);
	else
		pst_gateway_unreturned(&g->port.state, q);
#endif
	back = pst_port_back(&g->port, &f->gateway, &f->pace, group, q, &h);
	if (f->gateway.rtt.asks_stamp)
		gw_stamp_ack(skb, s, &f->gateway);
	if (f->gateway.flow.ack != timed.ack)
		gw_page_on_ack(f, now_ns);
	gw_time_far(g, f, &timed, now_ns);
	f->limit = back.out.limit;
	f->seen_ns = now_ns;
	f->acks++;
	if (back.out.field != h.field)
		f->rewritten++;
	gw_unlock(f);
	if (gw_is_shape(g)) {
		g->counts.acks++;
		g->counts.rewritten += back.out.field != h.field;
	}
	gw_apply(g, n, skb, s, checksum, &back.out);
	gw_hold(n, skb, back.release_ns, now_ns);
}

PST_FN bool gw_is_stale(const struct gw_config *c, const struct gw_shared *g,
			u64 now_ns)
{
	return c->ticks && !gw_is_shape(g) && now_ns > g->due_ns + GW_STALE_NS;
}

/*
 * A SYN-ACK, which gw_reverse_tcp() took in at @now_ns, is the first grant: the law may
 * reduce its window (R6), which is not scaled, unless both ends ask for what makes the
 * gateway bypass the flow.
 */
__attribute__((noinline)) int gw_on_syn_ack(struct __sk_buff *skb,
					    const struct pst_segment *s,
					    struct gw_counts *n, u64 now_ns)
{
	const struct gw_config *c = gw_config();
	struct pst_ack_header h = { 0, 0, true, false };
	struct pst_back back = { { 0, PST_BY_SYN }, 0 };
	struct pst_flow_group *group;
	struct gw_half_open *half;
	struct gw_shared *g;
	struct pst_queue *q;
	struct gw_key k;

	if (!s || !n)
		return 0;
	gw_key_of(s, false, gw_vlan(skb), &k);
	half = bpf_map_lookup_elem(&half_open, &k);
	if (!half)
		return 0;
	g = gw_queue(half->shape);
	if (!g)
		return 0;
	h.ack = s->ack;
	h.field = s->window;
	back.out.field = s->window;
	if (half->skip || gw_both_ask(half) ||
	    gw_is_stale(c, g, now_ns)) {
		pst_back_record(&c->gateway, &g->port.state, &half->gateway, &h, &back.out,
				now_ns);
	} else {
		group = gw_group(c, &half->gateway.flow, half->mark, g->shape, &k);
		q = gw_queue_found(c, g, now_ns);
		if (!q)
			return 0;
		back = pst_port_back(&g->port, &half->gateway, &half->pace, group, q, &h);
	}
	gw_apply(g, n, skb, s, GW_CHECKSUM_OPEN, &back.out);
	gw_hold(n, skb, back.release_ns, now_ns);
	return 0;
}

/* @flow of @t is answered. A global function, as in forward.h. */
__attribute__((noinline)) int gw_answer(struct pst_fair_table *t, u64 flow)
{
	u64 now_ns = gw_now_ns();

	if (t)
		pst_fair_answer(t, flow, now_ns);
	if (!gw_has_shapes())
		return 0;
	t = gw_shape_table(flow);
	if (t)
		pst_fair_answer(t, flow, now_ns);
	return 0;
}

/* The flow of @t that the packet answers; 0 for none. Likewise. */
__attribute__((noinline)) u64 gw_answered_flow(struct __sk_buff *skb, const struct pst_fair_table *t)
{
	struct pst_identity i = {};

	if (!t)
		return 0;
	gw_identify(skb, &i);
	return i.control || i.icmp ? 0 : pst_flow_name(t->key, &i.ends, i.protocol, gw_vlan(skb));
}

/*
 * A packet of an unknown flow passes back: the flow counts as answered. A RST does not
 * count, as a host sends it to refuse traffic.
 */
PST_FN void gw_on_answer(struct __sk_buff *skb)
{
	struct pst_fair_table *t = gw_fairness();
	u64 flow = gw_answered_flow(skb, t);

	if (flow)
		gw_answer(t, flow);
}

/* Returns the time at which the handshake of a SYN-ACK recorded it; 0 for other segments. */
__attribute__((noinline)) u64 gw_reverse_tcp(struct __sk_buff *skb,
					     const struct pst_segment *s,
					     struct gw_counts *n)
{
	const struct gw_config *c = gw_config();
	struct gw_shared *g;
	struct gw_key k;
	struct gw_flow *f;
	u64 now_ns;
	int checksum;
	u32 skip;

	if (!s || !n)
		return 0;
	gw_key_of(s, false, gw_vlan(skb), &k);
	f = bpf_map_lookup_elem(&flows, &k);
	if (gw_is_unknown(s, f, &k)) {
		n->value[GW_PASS_unknown_flow]++;
		if (c->names_flows && !(s->flags & PST_TCP_RST))
			gw_on_answer(skb);
		return 0;
	}
	checksum = gw_checksum_of(skb, s);
	if (checksum == GW_CHECKSUM_WRONG) {
		n->value[GW_PASS_damaged]++;
		return 0;
	}
	if (s->flags & PST_TCP_SYN) {
		now_ns = gw_on_syn(skb, s, &k, false);
		if (now_ns && s->flags & PST_TCP_ACK)
			return now_ns;
		n->value[GW_BY_LIMIT + PST_BY_SYN]++;
		return 0;
	}
	f = gw_open_flow(skb, s, f, &k, n, false);
	if (!f) {
		n->value[GW_PASS_unknown_flow]++;
		return 0;
	}
	gw_note_end(s, f, n, false);
	skip = gw_skip_of(c, f);
	if (s->flags & PST_TCP_RST)
		n->value[GW_PASS_reset]++;
	else if (!(s->flags & PST_TCP_ACK))
		n->value[GW_PASS_no_ack]++;
	else if (skip != GW_CONTROLLED)
		gw_count(n, GW_PASS_authenticated + skip - 1);
	if ((s->flags & PST_TCP_RST) || !(s->flags & PST_TCP_ACK) ||
	    skip != GW_CONTROLLED)
		return 0;
	if (gw_has_shapes())
		gw_note_program(skb, &f->program_shape);
	g = gw_queue(f->shape);
	if (!g)
		return 0;
	now_ns = gw_now_ns();
	if (gw_is_stale(c, g, now_ns))
		n->value[GW_PASS_stale]++;
	else
		gw_on_ack(c, g, n, skb, s, (u32)checksum, f, &k, now_ns);
	return 0;
}

#endif
