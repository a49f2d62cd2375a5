/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timestamps: those of data that comes in (GW_DOWN), which say what it has waited before this
 * machine, with a rate that is told as well, so that one above the line's is noticed; and those of
 * an ACK that is timed and of the data that answers it.
 */
#ifndef PENSTOCK_GATEWAY_STAMP_H
#define PENSTOCK_GATEWAY_STAMP_H

#include "background.h"
#include "handshake.h"
#include "core/packet/stamp.h"

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
static __attribute__((noinline)) u32 gw_scan_stamp(struct __sk_buff *skb,
						   const struct pst_segment *s)
{
	struct gw_scratch *at_hand = gw_scratch();
	u32 length;

	if (!s || !at_hand || !gw_load_header(skb, s, at_hand, &length))
		return 0;
	pst_stamp_begin(length, &at_hand->stamp);
	bpf_loop(PST_OPTION_BYTES, gw_step_stamp, 0, 0);
	return at_hand->stamp.found;
}

/* True if there is one, which is then in the scratch memory. A global function, as in forward.h. */
__attribute__((noinline)) u32 gw_stamp_of(struct __sk_buff *skb, const struct pst_segment *s)
{
	struct gw_scratch *at_hand = gw_scratch();
	const u32 *words;

	if (!s || !at_hand || s->header_bytes < PST_TCP_BYTES + PST_STAMP_BYTES ||
	    bpf_skb_load_bytes(skb, s->tcp_offset + PST_TCP_BYTES, at_hand->words,
			       PST_STAMP_BYTES))
		return 0;
	words = at_hand->words;
	if (words[0] != PST_BE32(PST_STAMP_USUAL))
		return gw_scan_stamp(skb, s);
	at_hand->stamp.val = PST_BE32(words[1]);
	at_hand->stamp.echo = PST_BE32(words[2]);
	return 1;
}

/* An ACK of @f passes back and is timed. Likewise. */
__attribute__((noinline)) int gw_stamp_ack(struct __sk_buff *skb, const struct pst_segment *s,
					   struct pst_gateway_flow *f)
{
	struct gw_scratch *at_hand = gw_scratch();
	bool stamped = gw_stamp_of(skb, s);

	if (f && at_hand)
		pst_rtt_stamp(&f->rtt, stamped, stamped ? at_hand->stamp.val : 0);
	return 0;
}

/*
 * The timestamps in the scratch memory are those of data up to @end that may answer the timed ACK.
 * Likewise.
 */
__attribute__((noinline)) int gw_take_echo(struct gw_shared *g, struct pst_gateway_flow *f,
					   u32 end, u64 now_ns, u32 looks)
{
	struct gw_scratch *at_hand = gw_scratch();
	struct pst_stamps t = { end, 0, 0 };

	g = looks ? gw_line(g) : g;
	if (!g || !f || !at_hand)
		return 0;
	t.val = at_hand->stamp.val;
	t.echo = at_hand->stamp.echo;
	pst_gateway_take_echo(&g->port.state, f, &t, now_ns, looks);
	return 0;
}

#ifdef GW_PASSIVE

/*
 * An ACK of @f, which has the key @k, passes back with the TSval in the scratch memory: what it has
 * waited, for the scratch queue. Likewise.
 */
__attribute__((noinline)) int gw_take_returned(const struct pst_segment *s, struct gw_shared *g,
					       struct pst_gateway_flow *f, const struct gw_key *k,
					       struct pst_queue *q)
{
	struct gw_scratch *at_hand = gw_scratch();
	struct pst_ack_header h = { 0, 0, false, true };
	struct pst_return *r;

	if (!s || !g || !f || !k || !q || !at_hand)
		return 0;
	r = bpf_map_lookup_elem(&returns, k);
	if (!r) {
		struct pst_return none = {};

		bpf_map_update_elem(&returns, k, &none, BPF_ANY);
		return 0;
	}
	h.ack = s->ack;
	h.field = s->window;
	pst_gateway_returned(&g->port.state, f, r, &h, at_hand->stamp.val, q);
	return 0;
}

#endif

#ifdef GW_DOWN

/* Data of @f up to @end, or its SYN, has the TSval in the scratch memory. Likewise. */
__attribute__((noinline)) int gw_take_stamp(struct gw_shared *g, struct pst_gateway_flow *f,
					    u32 end, u64 now_ns)
{
	const struct gw_config *c = gw_config();
	struct gw_scratch *at_hand = gw_scratch();
	bool upstream = pst_gateway_is_upstream(&c->gateway);

	g = gw_line(g);
	if (g && f && at_hand)
		pst_gateway_take_stamp(&g->port.state, f, end, at_hand->stamp.val,
				       c->mss_bytes + PST_HEADERS_BYTES, now_ns,
				       pst_law_pause_ns(c->gateway.law, &g->port.state.law),
				       !upstream || (c->gateway.observe &&
						     !gw_is_followed(g, now_ns)));
	return 0;
}

PST_FN void gw_stamp_data(struct gw_shared *g, struct gw_counts *n, struct __sk_buff *skb,
			  const struct pst_segment *s, struct pst_gateway_flow *f, u64 now_ns)
{
	u32 end = s->seq + s->payload_bytes;

	if (gw_stamp_of(skb, s)) {
		gw_take_stamp(g, f, end, now_ns);
		if (pst_rtt_awaits_echo(&f->rtt, now_ns))
			gw_take_echo(g, f, end, now_ns, true);
		return;
	}
	n->value[GW_COUNT_unstamped_bytes] += s->payload_bytes;
}

/* A SYN of the data's sender, which gw_on_syn() has taken in. */
PST_FN void gw_stamp_syn(struct __sk_buff *skb, const struct pst_segment *s,
			 struct gw_shared *g, const struct gw_key *k, u64 now_ns)
{
	struct gw_half_open *h = bpf_map_lookup_elem(&half_open, k);

	if (h && gw_stamp_of(skb, s))
		gw_take_stamp(g, &h->gateway, s->seq + s->payload_bytes, now_ns);
}

#else

PST_FN void gw_stamp_data(struct gw_shared *g, struct gw_counts *n, struct __sk_buff *skb,
			  const struct pst_segment *s, struct pst_gateway_flow *f, u64 now_ns)
{
	(void)n;
	if (pst_rtt_awaits_echo(&f->rtt, now_ns) && gw_stamp_of(skb, s))
		gw_take_echo(g, f, s->seq + s->payload_bytes, now_ns, false);
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
