/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The length of the forward queue in bytes: the kernel's own count (GW_KERNEL_BTF), or a
 * leaky bucket at the configured rate, which needs no kernel support and also models a
 * bottleneck in the modem behind; or a model of one from ACKs (GW_PASSIVE). Where data comes in
 * (GW_DOWN), the queue is before this machine, or a leaky bucket in which nothing waits.
 */
#ifndef PENSTOCK_GATEWAY_QUEUE_H
#define PENSTOCK_GATEWAY_QUEUE_H

#include "maps.h"

/* Whether data comes in by the device. */
PST_FN bool gw_is_down(void)
{
#ifdef GW_DOWN
	return true;
#else
	return false;
#endif
}

/* True of a queue that is one of several; the verifier knows a device without any. */
PST_FN bool gw_is_shape(const struct gw_shared *g)
{
	return gw_config()->max_shapes && g->shape;
}

/* Whether what is decided of its packets is not carried out. */
PST_FN bool gw_observes(const struct gw_shared *g)
{
	return pst_gateway_observes(gw_gateway_config(), &g->port.state);
}

/* Whether it gets what others leave, and nothing of it is dropped (background.h). */
PST_FN bool gw_is_background(const struct gw_shared *g)
{
#ifdef GW_DOWN
	return gw_is_shape(g) && g->background;
#else
	(void)g;
	return false;
#endif
}

/* Whether the queue is the model of one. */
PST_FN bool gw_is_virtual(const struct gw_config *c, const struct gw_shared *g)
{
	return c->queue_source == GW_QUEUE_VIRTUAL || gw_is_shape(g);
}

/* Whether no packet waits in it, not even elsewhere. */
PST_FN bool gw_is_phantom(const struct gw_config *c, const struct gw_shared *g)
{
#ifdef GW_DOWN
	return gw_is_virtual(c, g);
#else
	(void)c;
	return gw_is_shape(g);
#endif
}

/*
 * Whether what leaves @g is measured: shapes are models, and where data comes in, what has come by
 * the line is looked at instead.
 */
PST_FN bool gw_is_measured(const struct gw_config *c, const struct gw_shared *g)
{
	return c->measures && !gw_is_shape(g) && !gw_is_down();
}

/*
 * The virtual queue is one number, the time at which it will be empty, so that CPUs need
 * no lock: in q4 nanoseconds, which suffice for 36 years of uptime.
 */
PST_FN u64 gw_virtual_bytes(struct gw_shared *g, u64 now_ns)
{
	u64 wait_ns = pst_min(pst_sub_floor(g->drained_q4 >> 4, now_ns), PST_MAX_NS);
	u64 rate_bytes_per_s = g->link.rate_bytes_per_s;

	/* The product fits 64 bits. */
	if (rate_bytes_per_s < (wait_ns >> 32 ? 1ULL << 24 : 1ULL << 32))
		return pst_div_ns_per_s(rate_bytes_per_s * wait_ns);
	return pst_bytes_in(rate_bytes_per_s, wait_ns);
}

/* gw_rate() of what runs. */
PST_FN u64 gw_link_rate(const struct gw_config *c, const struct gw_shared *g)
{
	return c->gateway.auto_rate && !gw_is_shape(g) ?
		       g->port.state.departures.bytes_per_s :
		       g->link.rate_bytes_per_s;
}

#define GW_BY_FRAGS 0xffffU /* the gso_size of SCTP, whose segments have any */

/* The kernel has not counted those of a GSO packet from a VM: about as many. */
PST_FN u32 gw_segments(const struct __sk_buff *skb)
{
	u32 size = skb->gso_size;

	if (!size)
		return 1;
	if (skb->gso_segs || size == GW_BY_FRAGS)
		return (u32)pst_max(skb->gso_segs, 1);
	return (skb->len + size - 1) / size;
}

#define GW_JOINED_BYTES 66U /* Ethernet, IPv4, and TCP with timestamps */

/*
 * The bytes of a packet as its device counts them. At ingress the kernel adds no headers of the
 * segments that GRO has joined.
 */
PST_FN u32 gw_wire_bytes(const struct __sk_buff *skb)
{
#ifdef GW_DOWN
	return skb->len + (gw_segments(skb) - 1) * GW_JOINED_BYTES;
#else
	return skb->wire_len;
#endif
}

/* The bytes on the line of a frame of @bytes. */
PST_FN u64 gw_frame_bytes(const struct gw_config *c, u64 bytes)
{
	u32 link_bytes = c->ethernet ? PST_ETHERNET_BYTES : 0;

	return pst_line_bytes(&gw_settings()->overhead, (u32)pst_sub_floor(bytes, link_bytes));
}

/*
 * The bytes of a packet on the line (R19); of a GSO packet, the sum over its segments, which
 * are equal where their size is not known. The device's count includes their headers (R24).
 */
PST_FN u64 gw_line_bytes(const struct gw_config *c, const struct __sk_buff *skb)
{
	u64 bytes = gw_wire_bytes(skb);
	u64 others, full_bytes;

	if (!c->has_overhead)
		return bytes;
	others = gw_segments(skb) - 1;
	if (!others)
		return gw_frame_bytes(c, bytes);
	full_bytes = skb->gso_size + (bytes - skb->len) / others;
	if (others * full_bytes >= bytes)
		return (others + 1) * gw_frame_bytes(c, bytes / (others + 1));
	return others * gw_frame_bytes(c, full_bytes) +
	       gw_frame_bytes(c, bytes - others * full_bytes);
}

/*
 * False if the packet, of @bytes on the line, does not fit beside @queue_bytes. A shape drops
 * packets that do not fit. A packet of @segments fits while there is room for its first bytes: BPF
 * sees one packet, which may be longer than the whole buffer, and which is sent on.
 */
PST_FN bool gw_virtual_enqueue(struct gw_shared *g, u64 now_ns, u64 queue_bytes,
				u64 bytes, u32 segments)
{
	u64 fits_bytes = gw_is_shape(g) || segments > 1 ? 1 : bytes;
	u64 drained_q4 = g->drained_q4;
	u64 cost_q4;

	if (!g->link.rate_bytes_per_s || !g->link.line_bytes_per_s)
		return true;
	if (queue_bytes + fits_bytes > g->link.limit_bytes)
		return gw_is_background(g);
	cost_q4 = (bytes * PST_NS_PER_S * 16) / g->link.line_bytes_per_s;
	/* It was empty: start at now, unless another CPU has already done so. */
	if (drained_q4 < now_ns << 4)
		__sync_val_compare_and_swap(&g->drained_q4, drained_q4,
					    now_ns << 4);
	__sync_fetch_and_add(&g->drained_q4, cost_q4);
	return true;
}

#ifdef GW_KERNEL_BTF
#include "kernel.h"

/* Of the device whose packets were seen: the clock has none, and ACKs may have another. */
PST_FN u64 gw_queue_bytes(const struct gw_config *c, struct gw_shared *g,
			  u64 now_ns)
{
	if (gw_is_virtual(c, g))
		return gw_virtual_bytes(g, now_ns);
	if (c->leaf_class && g->device)
		return gw_leaf_backlog(g->device, c->leaf_handle, c->leaf_class);
	return gw_device_backlog(g);
}

PST_FN void gw_note_device(const struct gw_config *c, struct gw_shared *g,
			   struct __sk_buff *skb)
{
	if (c->queue_source == GW_QUEUE_KERNEL && !g->device)
		g->device = gw_kernel_device(skb);
}

#else

PST_FN u64 gw_queue_bytes(const struct gw_config *c, struct gw_shared *g,
			  u64 now_ns)
{
	return pst_gateway_is_elsewhere(&c->gateway) && !gw_is_shape(g) ?
		       pst_gateway_hidden_bytes(&c->gateway, &g->port.state, now_ns) :
		       gw_virtual_bytes(g, now_ns);
}

PST_FN void gw_note_device(const struct gw_config *c, struct gw_shared *g,
			   struct __sk_buff *skb)
{
	(void)c;
	(void)g;
	(void)skb;
}

#endif

PST_FN void gw_queue_fill(const struct gw_config *c, struct gw_shared *g,
			  u64 bytes, u64 now_ns, struct pst_queue *q)
{
	/* All fields, as core fills in N only for laws. */
	__builtin_memset(q, 0, sizeof(*q));
	q->now_ns = now_ns;
	q->bytes = bytes;
	q->limit_bytes = g->link.limit_bytes;
	q->rate_bytes_per_s = gw_link_rate(c, g);
	q->flows = 1; /* core counts */
	q->mss_bytes = c->mss_bytes;
	q->phantom = gw_is_phantom(c, g);
	g->queue_bytes = bytes;
}

/* The queue as a packet that goes out finds it, as far as that is asked for. Null as below. */
PST_FN struct pst_queue *gw_queue_before(const struct gw_config *c, struct gw_shared *g,
					 u64 now_ns)
{
	struct gw_scratch *at_hand = gw_scratch();

	if (!at_hand)
		return 0;
	if (c->measures || c->sees_packets)
		gw_queue_fill(c, g, gw_queue_bytes(c, g, now_ns), now_ns, &at_hand->queue);
	return &at_hand->queue;
}

/* Its length; kept with @g as well, so that no stack keeps @q where the queue is here. */
PST_FN u64 gw_bytes_before(const struct gw_config *c, const struct gw_shared *g,
			   const struct pst_queue *q)
{
	return pst_gateway_is_elsewhere(&c->gateway) ? q->bytes : g->queue_bytes;
}

/* The queue as it is now, for the current event; null never, but the verifier asks. */
PST_FN struct pst_queue *gw_queue_found(const struct gw_config *c, struct gw_shared *g,
					u64 now_ns)
{
	struct gw_scratch *at_hand = gw_scratch();

	if (!at_hand)
		return 0;
	gw_queue_fill(c, g, gw_queue_bytes(c, g, now_ns), now_ns, &at_hand->queue);
	return &at_hand->queue;
}

#endif
