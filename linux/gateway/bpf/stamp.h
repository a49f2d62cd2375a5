/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The timestamps of data that comes in (GW_DOWN), which say what it has waited before this
 * machine. With a rate that is told they are looked at as well, so that one above the line's is
 * noticed.
 */
#ifndef PENSTOCK_GATEWAY_STAMP_H
#define PENSTOCK_GATEWAY_STAMP_H

#include "background.h"
#include "handshake.h"
#include "core/packet/stamp.h"

#ifdef GW_DOWN

#define GW_STAMPED (1ULL << 32)

/* The queue of the line, in which what belongs to a shape waits as well. */
PST_FN struct gw_shared *gw_line(struct gw_shared *g)
{
	return gw_max_shapes() ? gw_shared() : g;
}

static long gw_step_stamp(u32 i, void *context)
{
	struct gw_scratch *at_hand = gw_scratch();

	(void)context;
	if (!at_hand || i >= PST_OPTION_BYTES)
		return 1;
	return !pst_stamp_step(at_hand->header + PST_TCP_BYTES, i, &at_hand->stamp);
}

/* Where the options are not those of all usual hosts. */
static __attribute__((noinline)) u64 gw_scan_stamp(struct __sk_buff *skb,
						   const struct pst_segment *s)
{
	struct gw_scratch *at_hand = gw_scratch();
	u32 length;

	if (!s || !at_hand || !gw_load_header(skb, s, at_hand, &length))
		return 0;
	pst_stamp_begin(length, &at_hand->stamp);
	bpf_loop(PST_OPTION_BYTES, gw_step_stamp, 0, 0);
	return at_hand->stamp.found ? GW_STAMPED | at_hand->stamp.val : 0;
}

/* GW_STAMPED | TSval, or 0. A global function, as in forward.h. */
__attribute__((noinline)) u64 gw_stamp_of(struct __sk_buff *skb, const struct pst_segment *s)
{
	struct gw_scratch *at_hand = gw_scratch();
	const u32 *words;

	if (!s || !at_hand || s->header_bytes < PST_TCP_BYTES + PST_STAMP_BYTES ||
	    bpf_skb_load_bytes(skb, s->tcp_offset + PST_TCP_BYTES, at_hand->words,
			       PST_STAMP_BYTES))
		return 0;
	words = at_hand->words;
	if (words[0] == PST_BE32(PST_STAMP_USUAL))
		return GW_STAMPED | PST_BE32(words[1]);
	return gw_scan_stamp(skb, s);
}

/* Data of @f up to @end, or its SYN, has TSval @val. Likewise. */
__attribute__((noinline)) int gw_take_stamp(struct gw_shared *g, struct pst_gateway_flow *f,
					    u32 end, u32 val, u64 now_ns)
{
	const struct gw_config *c = gw_config();
	bool upstream = pst_gateway_is_upstream(&c->gateway);

	g = gw_line(g);
	if (g && f)
		pst_gateway_take_stamp(&g->port.state, f, end, val,
				       c->mss_bytes + PST_HEADERS_BYTES, now_ns,
				       !upstream || (c->gateway.observe &&
						     !gw_is_followed(g, now_ns)));
	return 0;
}

PST_FN void gw_stamp_data(struct gw_shared *g, struct gw_counts *n, struct __sk_buff *skb,
			  const struct pst_segment *s, struct pst_gateway_flow *f, u64 now_ns)
{
	u64 stamp = gw_stamp_of(skb, s);

	if (stamp)
		gw_take_stamp(g, f, s->seq + s->payload_bytes, (u32)stamp, now_ns);
	else
		n->value[GW_COUNT_unstamped_bytes] += s->payload_bytes;
}

/* A SYN of the data's sender, which gw_on_syn() has taken in. */
PST_FN void gw_stamp_syn(struct __sk_buff *skb, const struct pst_segment *s,
			 struct gw_shared *g, const struct gw_key *k, u64 now_ns)
{
	struct gw_half_open *h = bpf_map_lookup_elem(&half_open, k);
	u64 stamp = h ? gw_stamp_of(skb, s) : 0;

	if (stamp)
		gw_take_stamp(g, &h->gateway, s->seq + s->payload_bytes, (u32)stamp, now_ns);
}

#else

PST_FN void gw_stamp_data(struct gw_shared *g, struct gw_counts *n, struct __sk_buff *skb,
			  const struct pst_segment *s, struct pst_gateway_flow *f, u64 now_ns)
{
	(void)g, (void)n, (void)skb, (void)s, (void)f, (void)now_ns;
}

PST_FN void gw_stamp_syn(struct __sk_buff *skb, const struct pst_segment *s,
			 struct gw_shared *g, const struct gw_key *k, u64 now_ns)
{
	(void)skb, (void)s, (void)g, (void)k, (void)now_ns;
}

#endif

/* Global functions, as in forward.h; for what comes in. Before the other events of a packet: */
__attribute__((noinline)) int gw_look_at_line(u64 now_ns)
{
	struct gw_shared *line = gw_shared();

	if (line)
		pst_upstream_look(&line->port.state.upstream, &line->port.state.departures,
				  now_ns);
	return 0;
}

/* And after them, of one that passes. */
__attribute__((noinline)) int gw_enter_line(u64 bytes)
{
	struct gw_shared *line = gw_shared();

	if (line)
		pst_upstream_enter(&line->port.state.upstream, bytes);
	return 0;
}

#endif
