/* SPDX-License-Identifier: GPL-2.0-only */
/* Data at egress: packets stay unchanged; flows and queue are updated. */
#ifndef PENSTOCK_GATEWAY_FORWARD_H
#define PENSTOCK_GATEWAY_FORWARD_H

#include "arrival.h"
#include "flow.h"
#include "group.h"
#include "packet.h"
#include "place.h"
#include "stamp.h"

PST_FN void gw_packet_of(const struct __sk_buff *skb, u64 now_ns, struct pst_packet *k)
{
	__builtin_memset(k, 0, sizeof(*k));
	k->queued_ns = now_ns;
	k->bytes = gw_wire_bytes(skb);
}

/*
 * The events of packets are in global functions, which the verifier checks once and on
 * their own, not for each path that leads to the call. This one, before the flow's: the
 * departures since the last packet, as one event at their end. A queue found empty became
 * empty when the backlog of that time had been sent.
 */
__attribute__((noinline)) int gw_on_departures(struct gw_shared *g, u64 queue_bytes, u64 now_ns,
					       const struct pst_packet *k)
{
	struct pst_packet left;
	struct pst_queue q;

	if (!g || !k)
		return 0;
	gw_queue_fill(gw_config(), g, queue_bytes, now_ns, &q);
	left = *k;
	if (!queue_bytes)
		q.now_ns = pst_min(now_ns, pst_rtt_departure_ns(g->arrived_ns,
								g->arrived_bytes,
								q.rate_bytes_per_s));
	/* Its delay was the transmission time of the current queue. */
	left.queued_ns = pst_sub_floor(now_ns, pst_rtt_departure_ns(0, queue_bytes,
								    q.rate_bytes_per_s));
	pst_port_left(&g->port, &q, &left);
	return 0;
}

/* @k passes on to the queue, if there is room. */
__attribute__((noinline)) int gw_on_accepted(struct gw_shared *g, u64 queue_bytes, u64 now_ns,
					     const struct pst_packet *k)
{
	const struct gw_config *c = gw_config();
	struct pst_queue q;

	if (!g || !k)
		return 0;
	gw_queue_fill(c, g, queue_bytes, now_ns, &q);
	if (q.bytes + k->bytes > q.limit_bytes) {
		pst_port_overflow(&g->port, &q, k);
	} else {
		q.bytes += k->bytes;
		pst_port_accepted(&g->port, &q, k);
	}
	g->arrived_ns = now_ns;
	g->arrived_bytes = q.bytes;
	return 0;
}

/*
 * A packet passes on to the queue, which was of @queue_bytes when it arrived. The limit of one
 * further down is not known here.
 */
PST_FN void gw_entered(const struct gw_config *c, struct gw_shared *g,
		       u64 queue_bytes, u64 bytes)
{
	if (gw_is_down())
		gw_enter_line(bytes);
	else if (gw_is_measured(c, g) &&
		 (pst_gateway_is_elsewhere(&c->gateway) ||
		  pst_departure_rate_fits(&g->port.state.departures, queue_bytes,
					  g->link.limit_bytes, bytes)))
		pst_gateway_entered(&c->gateway, &g->port.state, bytes);
}

/* The length at this packet's arrival, which penstock_forward() has read if it was needed. */
PST_FN u64 gw_length_found(const struct gw_config *c, struct gw_shared *g, u64 now_ns)
{
	return c->measures || c->sees_packets ? g->queue_bytes : gw_queue_bytes(c, g, now_ns);
}

/*
 * Data beyond every window passes; true if it must be dropped. Most of this data passes:
 * once it is acknowledged, it corrects the gateway's estimate if that was wrong.
 */
PST_FN bool gw_on_beyond(const struct gw_config *c, struct gw_counts *n,
			 struct gw_flow *f, u32 payload_bytes)
{
	n->value[GW_COUNT_beyond_bytes] += payload_bytes;
	f->beyond_bytes += payload_bytes;
	f->beyond_segments++;
	if (!gw_settings()->police || c->gateway.observe ||
	    f->beyond_segments % GW_POLICED_EACH)
		return false;
	n->value[GW_COUNT_policed_packets]++;
	return true;
}

/* Counts data up to @end; true if the packet must be dropped. */
PST_FN bool gw_count_data(const struct gw_config *c, struct gw_counts *n,
			  struct gw_flow *f, u32 end, u32 payload_bytes)
{
	n->value[GW_COUNT_data_bytes] += payload_bytes;
	f->sent_bytes += payload_bytes;
	if (f->gateway.flow.has_sent && !pst_seq_after(end, f->gateway.flow.sent)) {
		n->value[GW_COUNT_retransmitted_bytes] += payload_bytes;
		f->again_bytes += payload_bytes;
	}
	return pst_flow_is_beyond(&f->gateway.flow, end) &&
	       gw_on_beyond(c, n, f, payload_bytes);
}

/* Data or FIN; true if the packet must be dropped. Completes *@k for the discipline. */
PST_FN bool gw_on_data(const struct gw_config *c, struct gw_shared *g,
		       struct gw_counts *n,
		       struct __sk_buff *skb, const struct pst_segment *s,
		       struct gw_flow *f, struct pst_flow_group *group,
		       struct pst_packet *k)
{
	u64 now_ns = k->queued_ns;
	struct pst_data_header h = { s->seq, s->payload_bytes, s->payload_bytes, s->ecn,
				     s->flags & PST_TCP_FIN, s->flags & PST_TCP_PSH, false,
				     0 };
	bool dropped = false;
	struct pst_queue q;
	bool counts;

	/* A GSO packet: its last whole segment represents all. */
	if (skb->gso_size && skb->gso_size < h.segment_bytes)
		h.segment_bytes = skb->gso_size;
	q.now_ns = now_ns;
	q.rate_bytes_per_s = gw_link_rate(c, g);
	q.phantom = gw_is_phantom(c, g);
	q.bytes = pst_gateway_times_data(&f->gateway) ? gw_length_found(c, g, now_ns) : 0;
	if (!gw_lock(f)) {
		gw_miss_data(f, h.seq + h.payload_bytes);
		k->kind = pst_kind_of(pst_content_of(h.payload_bytes), c->rewrites);
		return false;
	}
	if (h.payload_bytes) {
		dropped = gw_count_data(c, n, f, h.seq + h.payload_bytes,
					h.payload_bytes);
		gw_stamp_data(g, n, skb, s, &f->gateway, now_ns);
	}
	counts = pst_port_segment(&g->port, &f->gateway, group, &q, &h, k);
	f->seen_ns = now_ns;
	gw_unlock(f);
	/* Not of @s: Linux 6.1's limit leaves no stack to keep it until here. */
	if (!counts)
		gw_on_other(skb, g, k, h.payload_bytes);
	return dropped;
}

/*
 * Names the flow of @k, a segment, for the discipline's table; @f, if known, keeps its name. All
 * handshakes are one flow, as anyone may begin some.
 */
PST_FN void gw_name_segment(struct __sk_buff *skb, const struct pst_segment *s,
			    struct gw_flow *f, struct pst_packet *k)
{
	struct pst_fair_table *t = gw_fairness();

	if (s->flags & PST_TCP_SYN && !s->payload_bytes && t && !gw_config()->labels) {
		k->flow = pst_flow_name_all(t->key, PST_IP_TCP);
		k->answered = true;
		return;
	}
	if (f && f->name) {
		k->flow = f->name;
		return;
	}
	if (t)
		k->flow = pst_flow_name(t->key, s, PST_IP_TCP, gw_vlan(skb));
	if (f)
		f->name = k->flow;
}

/*
 * 1 if the packet must be dropped. *@k gets its kind: the discipline limits data of a flow
 * that its windows do not limit, and spares all other packets.
 */
__attribute__((noinline)) int gw_forward_tcp(struct __sk_buff *skb,
					     const struct pst_segment *s,
					     struct gw_shared *g, struct pst_packet *k)
{
	const struct gw_config *c = gw_config();
	struct gw_counts *n = gw_counts();
	struct gw_key key;
	struct gw_flow *f;

	if (!s || !g || !n || !k)
		return 0;
	n->value[GW_COUNT_forward_tcp_bytes] += gw_wire_bytes(skb);
	gw_key_of(s, true, gw_vlan(skb), &key);
	f = bpf_map_lookup_elem(&flows, &key);
	k->kind = pst_kind_of(pst_content_of(s->payload_bytes), false);
	k->tos = s->ecn;
	k->elastic = true;
	k->answered = f != 0;
	if (c->names_flows)
		gw_name_segment(skb, s, f, k);
	if (gw_is_unknown(s, f, &key)) {
		gw_on_other(skb, g, k, gw_wire_bytes(skb));
		return 0;
	}
	if (gw_checksum_of(skb, s) == GW_CHECKSUM_WRONG) {
		n->value[GW_PASS_damaged]++;
		return 0;
	}
	if (s->flags & PST_TCP_SYN) {
		gw_on_syn(skb, s, &key, true);
		gw_stamp_syn(skb, s, g, &key, k->queued_ns);
		return 0;
	}
	f = gw_open_flow(skb, s, f, &key, n, true);
	if (!f) {
		gw_on_other(skb, g, k, gw_wire_bytes(skb));
		return 0;
	}
	k->answered = true;
	gw_note_end(s, f, n, true);
	c = gw_config(); /* again, as Linux 6.1's limit leaves no stack to keep it */
	if (gw_skip_of(c, f) != GW_CONTROLLED) {
		f->seen_ns = k->queued_ns;
		f->sent_bytes += s->payload_bytes;
		gw_on_other(skb, g, k, gw_wire_bytes(skb));
		return 0;
	}
	n->value[GW_COUNT_forward_controlled_bytes] += gw_wire_bytes(skb);
	f->mark = skb->mark;
	if (c->max_shapes)
		f->shape = g->shape;
	if (s->flags & PST_TCP_RST || !(s->payload_bytes || s->flags & PST_TCP_FIN))
		return 0;
	return gw_on_data(c, g, n, skb, s, f,
			  gw_group(c, &f->gateway.flow, f->mark, g->shape, &key), k);
}

PST_FN enum pst_content gw_content_of(const struct pst_identity *i)
{
	if (i->icmp)
		return PST_CONTENT_ICMP;
	return i->control ? PST_CONTENT_LINK : PST_CONTENT_OTHER;
}

/*
 * The kind and the flow of @k, which is no whole segment, for the discipline. Returns its
 * shape. A global function, as above.
 */
__attribute__((noinline)) u32 gw_on_unparsed(struct __sk_buff *skb, struct pst_packet *k)
{
	const struct gw_config *c = gw_config();
	struct gw_scratch *at_hand = gw_scratch();
	struct pst_fair_table *t = gw_fairness();
	struct pst_identity i = {};

	if (!k || !t || !at_hand)
		return 0;
	gw_identify(skb, &i);
	if (c->sees_packets) {
		at_hand->pair = i.ip && !i.icmp ? pst_flow_pair(t->key, &i.ends, gw_vlan(skb)) : 0;
		k->kind = pst_kind_of(gw_content_of(&i), false);
		k->tos = i.ends.ecn;
		/* All packets that are not IP are one flow, which nobody can multiply. */
		k->answered = !i.ip || i.icmp;
		k->flow = i.icmp ? pst_flow_name_all(t->key, PST_IP_ICMP) :
				   pst_flow_name(t->key, &i.ends, i.protocol, gw_vlan(skb));
	}
	return gw_has_shapes() ? gw_shape_of(skb, &i.ends, true, k->queued_ns) : 0;
}

#endif
