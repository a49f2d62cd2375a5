/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handshakes. Both SYNs are kept in a separate map until the final ACK shows that the
 * initiator has seen the SYN-ACK; only then a flow is created (R27). Which SYNs belong
 * together is decided by core/gateway/handshake.h. A flow that has ended is replaced.
 * Otherwise the new flow becomes a contender, with the same key except for its number, and
 * core/gateway/contest.h decides which of them a segment belongs to (R7, R35).
 */
#ifndef PENSTOCK_GATEWAY_HANDSHAKE_H
#define PENSTOCK_GATEWAY_HANDSHAKE_H

#include "shape.h"
#include "core/packet/parse.h"

/* The key's place in half_open_slots; never null. */
PST_FN struct gw_slot *gw_slot(const struct gw_key *k)
{
	u32 hash = (u32)k->sender_port << 16 | k->receiver_port;
	u32 slot;

	hash ^= k->sender[3] * 0x85ebca6bU ^ k->receiver[3] * 0xc2b2ae35U;
	hash ^= k->sender[1] ^ k->receiver[1] ^ k->tags ^ (u32)k->session << 16;
	slot = hash * (u32)PST_GOLDEN_Q32 >> 20;
	return bpf_map_lookup_elem(&half_open_slots, &slot);
}

/* The TCP header with its options, of which there are *@option_bytes; false if it cannot be. */
PST_FN bool gw_load_header(struct __sk_buff *skb, const struct pst_segment *s,
			   struct gw_scratch *at_hand, u32 *option_bytes)
{
	u32 length = s->header_bytes - PST_TCP_BYTES;

	/*
	 * The compiler must not undo the subtraction, or the check would bound another
	 * value.
	 */
	asm volatile("" : "+r"(length));
	if (length > PST_OPTION_BYTES)
		return false;
	*option_bytes = length;
	/*
	 * From the start of the header, because Linux 6.1 rejects a possibly zero-length
	 * read.
	 */
	return !bpf_skb_load_bytes(skb, s->tcp_offset, at_hand->header, PST_TCP_BYTES + length);
}

static long gw_step_options(u32 i, void *context)
{
	struct gw_scratch *at_hand = gw_scratch();
	struct pst_options *o = gw_options();

	(void)context;
	if (!o || !at_hand || i >= PST_OPTION_BYTES)
		return 1;
	return !pst_options_step(at_hand->header + PST_TCP_BYTES, i, o);
}

/*
 * Into a map, not onto the stack: the verifier does not track values in maps, and so does
 * not follow each combination of options separately.
 */
PST_FN bool gw_scan_options(struct __sk_buff *skb, const struct pst_segment *s)
{
	struct gw_scratch *at_hand = gw_scratch();
	struct pst_options *o = gw_options();
	u32 length;

	if (!s || !o || !at_hand || !gw_load_header(skb, s, at_hand, &length))
		return false;
	pst_options_begin(length, o);
	bpf_loop(PST_OPTION_BYTES, gw_step_options, 0, 0);
	return true;
}

/* A global function, as in forward.h. */
__attribute__((noinline)) int gw_read_options(struct __sk_buff *skb, const struct pst_segment *s)
{
	return gw_scan_options(skb, s);
}

PST_FN bool gw_exempts(const struct gw_exemption *e, const u32 *address,
		       u16 port)
{
	u32 differ = 0;
	int i;

	if (e->port && e->port != port)
		return false;
	for (i = 0; i < 4; i++)
		differ |= (address[i] & e->mask[i]) ^ e->address[i];
	return !differ;
}

struct gw_exempting {
	const struct gw_key *key;
	bool exempts;
};

static long gw_try_exemption(u32 i, struct gw_exempting *x)
{
	const struct gw_exemption *e;

	if (i >= GW_MAX_EXEMPTIONS)
		return 1;
	e = &gw_settings()->exemptions[i];
	x->exempts = gw_exempts(e, x->key->sender, x->key->sender_port) ||
		     gw_exempts(e, x->key->receiver, x->key->receiver_port);
	return x->exempts;
}

PST_FN bool gw_is_exempt(const struct gw_key *k)
{
	struct gw_exempting x = { k, false };

	bpf_loop(gw_settings()->exemption_count, gw_try_exemption, &x, 0);
	return x.exempts;
}

/* What both SYNs ask for so far: 1 << enum gw_skip. */
PST_FN u32 gw_both_ask(const struct gw_half_open *h)
{
	const struct pst_options *a = &h->handshake.opener.options;
	const struct pst_options *b = &h->handshake.answer.options;

	return (u32)(a->authenticated & b->authenticated) << GW_SKIP_authenticated |
	       (u32)(a->multipath & b->multipath) << GW_SKIP_multipath;
}

/*
 * The negotiated options, not those that one side requested: options of both SYNs, and
 * for MPTCP also of the final ACK, as the initiator may have fallen back to TCP (RFC 8684
 * section 3.1).
 */
static __attribute__((noinline)) u32 gw_agreed(struct __sk_buff *skb,
						const struct pst_segment *s,
						const struct gw_half_open *h)
{
	const struct pst_options *o = gw_options();
	u32 both;

	if (!s || !h)
		return GW_CONTROLLED;
	both = gw_both_ask(h);
	if (both & 1U << GW_SKIP_authenticated)
		return GW_SKIP_authenticated;
	if (h->skip)
		return h->skip;
	if (!(both & 1U << GW_SKIP_multipath) || !gw_scan_options(skb, s) || !o)
		return GW_CONTROLLED;
	return o->multipath ? GW_SKIP_multipath : GW_CONTROLLED;
}

/*
 * The entry of a new handshake. These are separate functions to keep their stack use out
 * of the caller's frame, which is limited to 512 bytes.
 */
static __attribute__((noinline)) struct gw_half_open *
gw_begin(const struct gw_key *k)
{
	struct gw_scratch *at_hand = gw_scratch();
	struct gw_half_open *h;

	if (!k || !at_hand)
		return 0;
	__builtin_memset(&at_hand->half_open, 0, sizeof(at_hand->half_open));
	bpf_map_update_elem(&half_open, k, &at_hand->half_open, BPF_ANY);
	h = bpf_map_lookup_elem(&half_open, k);
	if (h && gw_is_exempt(k))
		h->skip = GW_SKIP_exempt;
	return h;
}

/*
 * Counts one contender or handshake more (@change 1) or less (-1), which `flows` does not show.
 * A sweep that runs meanwhile may count one too many, but none too few.
 */
static __attribute__((noinline)) int gw_note_waiting(const struct gw_key *k, int change)
{
	struct gw_slot *slot;

	if (!k)
		return 0;
	slot = gw_slot(k);
	if (!slot)
		return 0;
	if (change > 0)
		__sync_fetch_and_add(&slot->counted, 1);
	__sync_fetch_and_add(&slot->waiting, (u32)change);
	return 0;
}

/* Finds the handshake of a SYN, or begins one. */
static __attribute__((noinline)) struct gw_half_open *
gw_half_open_of_syn(const struct gw_key *k)
{
	struct gw_half_open *h;
	struct gw_flow *f;

	if (!k)
		return 0;
	h = bpf_map_lookup_elem(&half_open, k);
	if (!h) {
		h = gw_begin(k);
		gw_note_waiting(k, 1);
	}
	f = bpf_map_lookup_elem(&flows, k);
	if (f)
		f->contested = true;
	return h;
}

static __attribute__((noinline)) bool gw_take_syn(struct gw_half_open *h,
						  const struct pst_segment *s,
						  bool forward, u64 now_ns)
{
	const struct pst_options *o = gw_options();
	struct gw_scratch *at_hand = gw_scratch();
	struct gw_shared *g;
	struct pst_syn *syn;
	bool taken;

	if (!h || !s || !o || !at_hand)
		return false;
	syn = &at_hand->syn;
	g = gw_queue(h->shape);
	if (!g)
		return false;
	syn->at_ns = now_ns;
	syn->isn = s->seq;
	syn->payload_bytes = (u16)pst_min(s->payload_bytes, 65535);
	syn->forward = forward;
	syn->options = *o;
	if (s->flags & PST_TCP_ACK)
		taken = pst_handshake_on_answer(&h->handshake, &h->gateway,
						&g->port.state.count, syn, s->ack);
	else
		taken = pst_handshake_on_syn(&h->handshake, &h->gateway,
					     &g->port.state.count, syn);
	/* What a bypassed flow sends is load. */
	if (h->skip)
		pst_flow_count_opened(&g->port.state.count, &h->gateway.use);
	return taken;
}

/*
 * Sets the shape of the handshake, by the packet of the data's sender: marks and classes
 * apply to the forward direction. The shape that expects the first flight counts it.
 */
static __attribute__((noinline)) int gw_take_shape(struct __sk_buff *skb,
						   const struct pst_segment *s,
						   struct gw_half_open *h, bool forward,
						   u64 now_ns)
{
	struct gw_shared *g;
	u32 shape;

	if (!s || !h)
		return 0;
	if (!forward)
		gw_note_program(skb, &h->program_shape);
	if (h->shape && !forward)
		return 0;
	shape = h->program_shape;
	if (!shape)
		shape = gw_shape_of(skb, s, forward, now_ns);
	if (shape == h->shape)
		return 0;
	h->shape = shape;
	g = gw_queue(shape);
	if (!g || !h->gateway.use.opening_epoch)
		return 0;
	h->gateway.use.opening_epoch = 0;
	pst_flow_count_syn(&g->port.state.count, &h->gateway.use, now_ns);
	return 0;
}

/*
 * A SYN, with or without ACK. Returns the time at which its handshake recorded it, 0 for
 * none.
 */
static __attribute__((noinline)) u64 gw_on_syn(struct __sk_buff *skb,
						const struct pst_segment *s,
						const struct gw_key *k,
						bool forward)
{
	struct gw_half_open *h;
	u64 now_ns;

	if (!s || !k || !gw_read_options(skb, s))
		return 0;
	/* A SYN-ACK without a recorded SYN is old, or the gateway missed the SYN (R8). */
	if (s->flags & PST_TCP_ACK)
		h = bpf_map_lookup_elem(&half_open, k);
	else
		h = gw_half_open_of_syn(k);
	now_ns = gw_now_ns();
	if (gw_has_shapes())
		gw_take_shape(skb, s, h, forward, now_ns);
	if (!h || !gw_take_syn(h, s, forward, now_ns))
		return 0;
	if (forward)
		h->mark = skb->mark;
	return now_ns;
}

/* True if there may be a half-open connection with this key. */
PST_FN bool gw_is_awaited(const struct gw_key *k)
{
	const struct gw_slot *slot = gw_slot(k);

	return slot && slot->waiting;
}

/*
 * Sets the key's contender to a free place, or to the flow with the lowest standing;
 * true if there is then one more contender than before. The next connection of hosts that used
 * signatures or several paths is assumed to use them as well.
 */
static __attribute__((noinline)) bool gw_place(struct gw_key *k, struct gw_flow *fresh)
{
	u64 least = ~0ULL, standing;
	bool is_more = false;
	u32 i, place = 0;
	struct gw_flow *f;

	if (!k || !fresh)
		return false;
	for (i = 0; i < PST_CONTENDERS; i++) {
		k->contender = (u8)i;
		f = bpf_map_lookup_elem(&flows, k);
		standing = f ? pst_contest_standing(&f->gateway.flow, &f->ends,
						    f->seen_ns) : 0;
		if (f && standing) {
			f->contested = true;
			f->gateway.flow.contested = true;
			fresh->contested = true;
			fresh->gateway.flow.contested = true;
			fresh->skip = fresh->skip ? fresh->skip : f->skip;
		}
		if (standing < least) {
			least = standing;
			place = i;
			is_more = i && !f;
		}
	}
	k->contender = (u8)place;
	return is_more;
}

/* Creates the flow of the handshake @h, if @s completes it. */
static __attribute__((noinline)) int gw_promote(struct __sk_buff *skb,
						const struct pst_segment *s,
						struct gw_key *k,
						struct gw_half_open *h,
						bool forward)
{
	struct gw_scratch *at_hand = gw_scratch();
	bool is_more, failed;
	struct gw_shared *g;
	struct gw_flow *f;

	if (!s || !k || !h || !at_hand)
		return 0;
	if (!(s->flags & PST_TCP_ACK) ||
	    !pst_handshake_completes(&h->handshake, forward, s->ack))
		return 0;
	f = &at_hand->flow;
	__builtin_memset(f, 0, sizeof(*f));
	/* First: Linux 6.1 leaves no stack to keep @skb and @s meanwhile. */
	f->skip = (u8)gw_agreed(skb, s, h);
	f->gateway = h->gateway;
	f->pace = h->pace;
	f->seen_ns = gw_now_ns();
	pst_gateway_opened(&f->gateway, forward, f->seen_ns);
	f->mark = h->mark;
	f->shape = h->shape;
	f->program_shape = h->program_shape;
	/* Last, as Linux 6.1 leaves no stack to keep it meanwhile. */
	g = gw_queue(h->shape);
	if (!g)
		return 0;
	/* What a bypassed flow sends is load. */
	if (f->skip != GW_CONTROLLED)
		pst_flow_count_opened(&g->port.state.count, &f->gateway.use);
	is_more = gw_place(k, f);
	failed = bpf_map_update_elem(&flows, k, f, BPF_ANY);
	gw_forget_returned(k);
	k->contender = 0;
	if (failed)
		return 0;
	if (!bpf_map_delete_elem(&half_open, k) && !is_more)
		gw_note_waiting(k, -1);
	return 1;
}

#endif
