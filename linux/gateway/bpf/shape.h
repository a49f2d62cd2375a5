/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shapes: a separate queue for the packets of each subscriber, on one device. The mark,
 * class, cgroup or addresses of a forward packet select the shape; its flow keeps the shape for
 * the ACKs.
 *
 * A shape has no timer: its clock advances when its packets pass, so an idle shape costs
 * nothing. It drops packets that do not fit its buffer, as the device has no queue for it.
 */
#ifndef PENSTOCK_GATEWAY_SHAPE_H
#define PENSTOCK_GATEWAY_SHAPE_H

#include "background.h"
#include "cgroup.h"
#include "packet.h"
#include "queue.h"

#define GW_MISSED_TICKS 32 /* made up for, at most, when a packet passes */
#define GW_KNOWN_SHIFT 29 /* of ns: half a second, after which an address is looked up again */

/* Initialises the method; the rate that was measured here is still the link's. */
__attribute__((noinline)) u64 gw_init(struct gw_shared *g, u64 now_ns)
{
	const struct gw_config *c = gw_config();
	struct pst_departure_rate known;
	struct pst_queue q;

	if (!g)
		return 0;
	known = g->port.state.departures;
	if (pst_gateway_is_elsewhere(&c->gateway))
		known.known_ns = 0;
	gw_queue_fill(c, g, 0, now_ns, &q);
	if (!known.known_ns)
		q.rate_bytes_per_s = g->link.rate_bytes_per_s;
	pst_port_init(&g->port, &q);
	if (known.known_ns) {
		g->port.state.departures.bytes_per_s = known.bytes_per_s;
		g->port.state.departures.sent_bytes_per_s = known.sent_bytes_per_s;
		g->port.state.departures.known_ns = known.known_ns;
	}
	return pst_gateway_next_tick_ns(&g->port.state, now_ns);
}

/*
 * The clock's work in a shape, at @now_ns. Returns the nanoseconds to the next tick. A global
 * function, as in forward.h.
 */
__attribute__((noinline)) u64 gw_tick_shape(struct gw_shared *g, u64 now_ns)
{
	struct gw_scratch *at_hand = gw_scratch();

	if (!g || !at_hand)
		return 0;
	gw_queue_fill(gw_config(), g, gw_virtual_bytes(g, now_ns), now_ns, &at_hand->queue);
	return pst_stage_tick(&g->port, &at_hand->queue);
}

/* The target of @p: its own, or the time of the attachment's, for its buffer. */
PST_FN void gw_aim_shape(const struct gw_shape *p, u64 *target_bytes, u64 *target_ns)
{
	if (p->background)
		return;
	*target_bytes = p->target_ns ? p->limit_bytes : 3 * p->limit_bytes / 10;
	if (p->target_ns)
		*target_ns = p->target_ns;
}

/* The attachment's settings, with those that the shape has of its own. */
PST_FN void gw_link_of_shape(struct gw_shape *p)
{
	const struct gw_config *c = gw_config();
	struct pst_gateway_config *of = &p->shared.port.config;
	struct gw_link *l = &p->shared.link;

	gw_link_of(gw_settings(), l, of);
	if (p->background) {
		gw_link_of_background(p);
	} else {
		l->rate_bytes_per_s = p->rate_bytes_per_s;
		l->line_bytes_per_s = p->line_bytes_per_s;
		l->limit_bytes = p->limit_bytes;
	}
	if (c->gateway.law == PST_LAW_PENSTOCK)
		gw_aim_shape(p, &of->law_params.penstock.target_bytes,
			     &of->law_params.penstock.target_ns);
	if (c->gateway.discipline == PST_DISCIPLINE_FAIR)
		gw_aim_shape(p, &of->discipline_params.fair.target_bytes,
			     &of->discipline_params.fair.target_ns);
}

/* Takes over what the settings or the shape's owner have changed. */
__attribute__((noinline)) int gw_renew(struct gw_shape *p, u32 id, u64 now_ns)
{
	u32 epoch = gw_config()->gateway.epoch + 1;
	struct gw_shared *g;

	if (!p)
		return 0;
	g = &p->shared;
	gw_link_of_shape(p);
	g->shape = id;
	g->background = p->background;
	g->serial = p->serial;
	g->revision = gw_settings()->revision;
	if (g->epoch != epoch) {
		g->due_ns = now_ns + gw_init(g, now_ns);
		g->epoch = epoch;
	}
	g->port.state.apart = pst_gateway_is_upstream(&gw_config()->gateway);
	return 0;
}

/* Shape @id; 0 if there is none. */
PST_FN struct gw_shape *gw_shape(u32 id)
{
	struct gw_shape *p = id ? bpf_map_lookup_elem(&shapes, &id) : 0;

	return p && p->rate_bytes_per_s ? p : 0;
}

PST_FN bool gw_is_ready(const struct gw_shape *p)
{
	return p->shared.epoch == gw_config()->gateway.epoch + 1;
}

/*
 * The queue of shape @id, once a packet has gone forward in it; the device's own where there
 * is none.
 */
static __attribute__((noinline)) struct gw_shared *gw_queue_of(u32 id)
{
	struct gw_shape *p = gw_shape(id);

	return p && gw_is_ready(p) ? &p->shared : gw_shared();
}

/* The same for a device that may have no shapes, which then costs nothing. */
PST_FN struct gw_shared *gw_queue(u32 id)
{
	return gw_has_shapes() ? gw_queue_of(id) : gw_shared();
}

/* The place in the cache for @address. */
PST_FN struct gw_known_shape *gw_known_at(const u32 *address)
{
	u32 slot = (address[0] ^ address[1] * 0x85ebca6bU ^ address[2] ^
		    address[3] * 0xc2b2ae35U) * (u32)PST_GOLDEN_Q32;

	slot = slot >> 16 & (GW_SHAPE_CACHE - 1);
	return bpf_map_lookup_elem(&shape_cache, &slot);
}

/* Looks up the shape with the prefix of @address; 0 for none. */
static __attribute__((noinline)) u32 gw_find_shape(struct gw_known_shape *known,
						   const u32 *address, u32 until)
{
	u32 *found;

	if (!known || !address)
		return 0;
	known->of.bits = 128;
	__builtin_memcpy(known->of.address, address, sizeof(known->of.address));
	found = bpf_map_lookup_elem(&shape_prefixes, &known->of);
	known->shape = found ? *found : 0;
	known->until = until;
	return known->shape;
}

/* The same, from the cache if it was looked up before @until. */
PST_FN u32 gw_shape_at(const u32 *address, u32 until)
{
	struct gw_known_shape *known = gw_known_at(address);

	if (!known)
		return 0;
	if (known->until == until && known->of.address[3] == address[3] &&
	    known->of.address[2] == address[2] && known->of.address[1] == address[1] &&
	    known->of.address[0] == address[0])
		return known->shape;
	return gw_find_shape(known, address, until);
}

/*
 * The shape of a packet with the ends @s, by the most certain selector; 0 for none. Of the
 * addresses, the data receiver's comes first, as an ISP mostly shapes downloads.
 */
__attribute__((noinline)) u32 gw_shape_of(struct __sk_buff *skb, const struct pst_segment *s,
					  int forward, u64 now_ns)
{
	u32 until = (u32)(now_ns >> GW_KNOWN_SHIFT) + 1;
	struct gw_scratch *at_hand = gw_scratch();
	struct gw_selector *key;
	u32 *found = 0;
	u32 id;

	if (!s || !at_hand)
		return 0;
	/* Linux 6.1's limit leaves no stack for it. */
	key = &at_hand->selector;
	key->depth = 0;
	key->by = GW_BY_MARK;
	key->value = skb->mark;
	if (key->value)
		found = bpf_map_lookup_elem(&shape_selectors, key);
	key->by = GW_BY_CLASS;
	key->value = skb->priority;
	if (!found && key->value >> 16)
		found = bpf_map_lookup_elem(&shape_selectors, key);
	if (found)
		return *found;
	id = gw_shape_of_program(skb);
	if (!id && forward)
		id = gw_shape_answered(skb, s);
	if (id)
		return id;
	id = gw_shape_at(forward ? s->target : s->source, until);
	return id ? id : gw_shape_at(forward ? s->source : s->target, until);
}

/*
 * A packet of shape @id, which is @p, goes forward; it counts it. Shapes are made ready here
 * alone, where there is stack left for it. A global function, as in forward.h.
 */
__attribute__((noinline)) int gw_enter_shape(struct __sk_buff *skb, struct gw_shape *p, u32 id,
					     u64 now_ns)
{
	if (!p)
		return 0;
	if (!gw_is_ready(p) || p->shared.serial != p->serial ||
	    p->shared.revision != gw_settings()->revision)
		gw_renew(p, id, now_ns);
	p->shared.counts.packets++;
	p->shared.counts.bytes += skb->wire_len;
	gw_follow(p, now_ns);
	return 0;
}

/* The queue of a packet that goes forward, of shape @id. */
PST_FN struct gw_shared *gw_queue_forward(const struct gw_config *c, struct __sk_buff *skb,
					  u32 id, u64 now_ns)
{
	struct gw_shape *p;

	if (!c->max_shapes)
		return gw_shared();
	p = gw_shape(id);
	gw_note_came(skb, p);
	if (!p)
		return gw_shared();
	gw_enter_shape(skb, p, id, now_ns);
	return &p->shared;
}

/* A shape's clock. */
PST_FN void gw_advance(const struct gw_config *c, struct gw_shared *g, u64 now_ns)
{
	u64 then_ns;
	u32 left;

	if (!c->ticks || !gw_is_shape(g))
		return;
	for (left = GW_MISSED_TICKS; left && g->due_ns <= now_ns; left--) {
		then_ns = left > 1 ? g->due_ns : now_ns;
		g->due_ns = then_ns + gw_tick_shape(g, then_ns);
	}
}

/* The table of a flow that belongs to a shape. */
PST_FN struct pst_fair_table *gw_shape_table(u64 flow)
{
	u64 tables = gw_shape_tables(gw_config());

	return gw_fair_table(1 + (u32)((flow >> 32) * tables >> 32));
}

/*
 * Flows of all shapes share their tables, so a flow's name there includes its shape;
 * reverse packets are recorded under the name without it. All unanswered flows of a shape
 * are one flow, under the shape's own name.
 */
PST_FN struct pst_fair_table *gw_name_in_shape(const struct gw_shared *g,
					       struct pst_packet *k)
{
	bool shares = k->kind != PST_KIND_CONTROLLED && !k->answered;
	u64 by = shares ? pst_fair_hash(g->shape) : k->flow;

	k->flow = shares ? by : by + g->shape * PST_GOLDEN_Q32;
	k->answered = true;
	return gw_shape_table(by);
}

#endif
