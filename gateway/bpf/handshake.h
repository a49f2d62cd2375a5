/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handshakes. Both SYNs are kept in a separate map until the final ACK shows that the
 * initiator has seen the SYN-ACK; only then a flow is created (R27). Until then a SYN for
 * a known flow changes nothing, so a stray or forged one is harmless; a genuine one
 * replaces the flow (R7).
 */
#ifndef PENSTOCK_GATEWAY_HANDSHAKE_H
#define PENSTOCK_GATEWAY_HANDSHAKE_H

#include "maps.h"
#include "core/packet/parse.h"

/* How far beyond the SYN-ACK the final ACK may be: RFC 6928's ten segments, and more. */
#define GW_FIRST_FLIGHT_BYTES 131072

#define GW_TCP_BYTES 20 /* a TCP header without options */

/* The key's counter in half_open_slots; never null. */
PST_FN u32 *gw_slot(const struct gw_key *k)
{
	u32 hash = (u32)k->sender_port << 16 | k->receiver_port;
	u32 slot;

	hash ^= k->sender[3] * 0x85ebca6bU ^ k->receiver[3] * 0xc2b2ae35U;
	hash ^= k->sender[1] ^ k->receiver[1] ^ k->vlan;
	slot = hash * 0x9e3779b1U >> 20;
	return bpf_map_lookup_elem(&half_open_slots, &slot);
}

/*
 * Into a map, not onto the stack: the verifier does not track values in maps, and so does
 * not follow each combination of options separately.
 */
__attribute__((noinline)) int gw_read_options(struct __sk_buff *skb,
					      const struct pst_segment *s)
{
	u8 header[GW_TCP_BYTES + PST_OPTION_ROOM] = {};
	struct pst_options *o = gw_options();
	u32 length;

	if (!s || !o)
		return 0;
	length = s->header_bytes - GW_TCP_BYTES;
	/*
	 * The compiler must not undo the subtraction, or the check would bound another
	 * value.
	 */
	asm volatile("" : "+r"(length));
	if (length > PST_OPTION_BYTES)
		return 0;
	/*
	 * From the start of the header, because Linux 6.1 rejects a possibly zero-length
	 * read.
	 */
	if (bpf_skb_load_bytes(skb, s->tcp_offset, header, GW_TCP_BYTES + length))
		return 0;
	pst_options_parse(header + GW_TCP_BYTES, length, o);
	return !o->malformed;
}

PST_FN bool gw_exempts(const struct gw_exemption *e, const u32 *address,
		       u16 port)
{
	int i;

	if (e->port && e->port != port)
		return false;
	for (i = 0; i < 4; i++)
		if ((address[i] & e->mask[i]) != e->address[i])
			return false;
	return true;
}

static __attribute__((noinline)) bool gw_is_exempt(const struct gw_key *k)
{
	const struct gw_config *c = gw_config();
	u32 i;

	if (!k)
		return false;
	for (i = 0; i < GW_MAX_EXEMPTIONS; i++) {
		if (i >= c->exemption_count)
			break;
		if (gw_exempts(&c->exemptions[i], k->sender, k->sender_port) ||
		    gw_exempts(&c->exemptions[i], k->receiver,
			       k->receiver_port))
			return true;
	}
	return false;
}

PST_FN u8 gw_asks(const struct pst_options *o)
{
	return (u8)(o->authenticated << GW_SKIP_authenticated |
		    o->multipath << GW_SKIP_multipath);
}

PST_FN void gw_take_syn(struct gw_half_open *h, const struct pst_segment *s,
			bool forward, const struct pst_options *o, u64 now_ns)
{
	pst_gateway_syn(&h->gateway, forward, s->seq, o, now_ns);
	if (forward)
		h->sender_isn = s->seq;
	else
		h->receiver_isn = s->seq;
	if (forward)
		h->sender_asks = gw_asks(o);
	else
		h->receiver_asks = gw_asks(o);
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
		return GW_STEERED;
	both = h->sender_asks & h->receiver_asks;
	if (both & 1U << GW_SKIP_authenticated)
		return GW_SKIP_authenticated;
	if (h->skip)
		return h->skip;
	if (!(both & 1U << GW_SKIP_multipath) || !gw_read_options(skb, s) || !o)
		return GW_STEERED;
	return o->multipath ? GW_SKIP_multipath : GW_STEERED;
}

/*
 * A new handshake, which replaces an older one of the same key. These are separate
 * functions to keep their stack use out of the caller's frame, which is limited to 512
 * bytes.
 */
static __attribute__((noinline)) struct gw_half_open *
gw_begin(const struct gw_key *k, bool forward)
{
	struct gw_scratch *at_hand = gw_scratch();
	struct gw_half_open *h;

	if (!k || !at_hand)
		return 0;
	__builtin_memset(&at_hand->half_open, 0, sizeof(at_hand->half_open));
	bpf_map_update_elem(&half_open, k, &at_hand->half_open, BPF_ANY);
	h = bpf_map_lookup_elem(&half_open, k);
	if (!h)
		return 0;
	h->gateway.flow.reverse_opened = !forward;
	if (gw_is_exempt(k))
		h->skip = GW_SKIP_exempt;
	return h;
}

static __attribute__((noinline)) int gw_note_waiting(const struct gw_key *k)
{
	u32 *waiting;

	if (!k)
		return 0;
	waiting = gw_slot(k);
	if (waiting)
		__sync_fetch_and_add(waiting, 1);
	return 0;
}

/*
 * A SYN, with or without ACK. Returns the time at which its handshake took it in, 0 for
 * none.
 */
static __attribute__((noinline)) u64 gw_on_syn(struct __sk_buff *skb,
						const struct pst_segment *s,
						const struct gw_key *k,
						bool forward)
{
	struct gw_half_open *h;
	struct pst_options *o;
	struct gw_flow *f;
	u64 now_ns;

	if (!s || !k || !gw_read_options(skb, s))
		return 0;
	o = gw_options();
	if (!o)
		return 0;
	h = bpf_map_lookup_elem(&half_open, k);
	if (!(s->flags & PST_TCP_ACK)) {
		if (!h)
			gw_note_waiting(k);
		f = bpf_map_lookup_elem(&flows, k);
		if (f)
			f->reopened = true;
		/* An initiator's SYN with another number starts over. */
		if (h && s->seq != (forward ? h->sender_isn : h->receiver_isn) &&
		    h->gateway.flow.reverse_opened == !forward)
			h = 0;
		if (!h)
			h = gw_begin(k, forward);
	}
	/* A SYN-ACK without a recorded SYN is old, or the gateway missed the SYN (R8). */
	if (!h)
		return 0;
	now_ns = bpf_ktime_get_ns();
	gw_take_syn(h, s, forward, o, now_ns);
	if (forward)
		h->mark = skb->mark;
	return now_ns;
}

/* True if @s is the initiator's and acknowledges the SYN-ACK. */
PST_FN bool gw_completes(const struct gw_half_open *h,
			 const struct pst_segment *s, bool forward)
{
	const struct pst_flow *f = &h->gateway.flow;
	u32 answer_isn = f->reverse_opened ? h->sender_isn : h->receiver_isn;

	return f->scale_known && forward != f->reverse_opened &&
	       (s->flags & PST_TCP_ACK) &&
	       s->ack - answer_isn - 1 < GW_FIRST_FLIGHT_BYTES;
}

/* True if there may be a half-open connection with this key. */
PST_FN bool gw_is_awaited(const struct gw_key *k)
{
	const u32 *waiting = gw_slot(k);

	return waiting && *waiting;
}

/* Creates the flow of a handshake that @s completes. */
static __attribute__((noinline)) int gw_promote(struct __sk_buff *skb,
						const struct pst_segment *s,
						const struct gw_key *k,
						bool forward)
{
	struct gw_half_open *h;
	struct gw_scratch *at_hand = gw_scratch();
	struct gw_flow *f;
	u32 *waiting;

	if (!s || !k || !at_hand)
		return 0;
	waiting = gw_slot(k);
	if (!waiting)
		return 0;
	h = bpf_map_lookup_elem(&half_open, k);
	if (!h || !gw_completes(h, s, forward))
		return 0;
	f = &at_hand->flow;
	__builtin_memset(f, 0, sizeof(*f));
	f->gateway = h->gateway;
	f->seen_ns = bpf_ktime_get_ns();
	f->skip = (u8)gw_agreed(skb, s, h);
	f->mark = h->mark;
	pst_gateway_opened(&f->gateway, forward, f->seen_ns);
	if (bpf_map_update_elem(&flows, k, f, BPF_ANY))
		return 0;
	if (!bpf_map_delete_elem(&half_open, k))
		__sync_fetch_and_sub(waiting, 1);
	return 1;
}

#endif
