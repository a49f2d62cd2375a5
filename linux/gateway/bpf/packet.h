/* SPDX-License-Identifier: GPL-2.0-only */
/* From an skb to a segment, or the reason to pass it. */
#ifndef PENSTOCK_GATEWAY_PACKET_H
#define PENSTOCK_GATEWAY_PACKET_H

#include "maps.h"
#include "core/packet/checksum.h"
#include "core/packet/identity.h"
#include "core/flow/flow_name.h"

#define GW_HEAD_BYTES 192 /* link, IP and TCP headers of any usual length */

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

PST_FN enum pst_parsed gw_parse_at_hand(struct __sk_buff *skb,
					struct pst_segment *s)
{
	return pst_parse((const u8 *)(long)skb->data,
			 (const u8 *)(long)skb->data_end, skb->len,
			 gw_config()->ethernet, s);
}

/* Makes headers in non-linear pages readable. A global function, as in forward.h. */
__attribute__((noinline)) int gw_pull_and_parse(struct __sk_buff *skb,
						struct pst_segment *s)
{
	if (!s || bpf_skb_pull_data(skb, pst_min(skb->len, GW_HEAD_BYTES)))
		return PST_TRUNCATED;
	return gw_parse_at_hand(skb, s);
}

/*
 * Further processing of the segment is best done in a global function, or the verifier
 * follows each path through the headers to the program's end.
 */
PST_FN enum pst_parsed gw_parse(struct __sk_buff *skb, struct pst_segment *s)
{
	enum pst_parsed r = gw_parse_at_hand(skb, s);

	if (r != PST_TRUNCATED)
		return r;
	*s = (struct pst_segment){}; /* or Linux 6.1 does not accept it as an argument */
	return gw_pull_and_parse(skb, s);
}

PST_FN void gw_identify(struct __sk_buff *skb, struct pst_identity *i)
{
	pst_identify((const u8 *)(long)skb->data, (const u8 *)(long)skb->data_end,
		     gw_config()->ethernet, i);
}

/* Where few packets come. A global function, as in forward.h. */
__attribute__((noinline)) int gw_identify_apart(struct __sk_buff *skb, struct pst_identity *i)
{
	if (i)
		gw_identify(skb, i);
	return 0;
}

/* @stripped is the VLAN id outside of the bytes' own, 0 without one. */
PST_FN void gw_key_of(const struct pst_segment *s, bool forward, u32 stripped,
		      struct gw_key *k)
{
	const u32 *sender = forward ? s->source : s->target;
	const u32 *receiver = forward ? s->target : s->source;
	int i;

	for (i = 0; i < 4; i++) {
		k->sender[i] = sender[i];
		k->receiver[i] = receiver[i];
	}
	k->sender_port = forward ? s->source_port : s->target_port;
	k->receiver_port = forward ? s->target_port : s->source_port;
	/* Of three tags the outermost counts by its lowest bits. */
	k->tags = s->tags | stripped << (s->tags >> 12 ? 24 : s->tags ? 12 : 0);
	k->session = s->session;
	k->ipv6 = s->ipv6;
	k->contender = 0;
}

#define GW_MAX_CHUNKS 20	/* a jumbo frame */
#define GW_NO_SUM (1ULL << 32)

/* The sum of @bytes from @offset in wire order; GW_NO_SUM if they cannot be read. */
__attribute__((noinline)) u64 gw_sum(struct __sk_buff *skb, u32 offset, u32 bytes)
{
	struct gw_scratch *at_hand = gw_scratch();
	s64 sum = 0;
	u32 i, last;

	if (!at_hand)
		return GW_NO_SUM;
	/* All of one length: the verifier follows one way through each. */
	for (i = 0; i < GW_MAX_CHUNKS && bytes >= GW_CHUNK_BYTES; i++) {
		if (bpf_skb_load_bytes(skb, offset, at_hand->words, GW_CHUNK_BYTES))
			return GW_NO_SUM;
		sum = bpf_csum_diff(0, 0, at_hand->words, GW_CHUNK_BYTES, (u32)sum);
		offset += GW_CHUNK_BYTES;
		bytes -= GW_CHUNK_BYTES;
	}
	if (bytes >= GW_CHUNK_BYTES)
		return GW_NO_SUM;
	if (!bytes)
		return (u32)sum;
	/* Linux 6.1 derives the bounds of the length from this mask alone. */
	last = (u32)pst_opaque(bytes - 1) & (GW_CHUNK_BYTES - 1);
	/* The padding is zero. */
	at_hand->words[last / 4] = 0;
	if (bpf_skb_load_bytes(skb, offset, at_hand->words, last + 1))
		return GW_NO_SUM;
	return (u32)bpf_csum_diff(0, 0, at_hand->words, (last + 4) & ~3U, (u32)sum);
}

enum gw_checksum {
	GW_CHECKSUM_RIGHT,	/* the device, GRO or gw_checksum_of() has verified it */
	GW_CHECKSUM_OPEN,	/* to be completed by the device, or not verified */
	GW_CHECKSUM_WRONG,
};

/* gw_checksum_of() where the device has not verified it. */
__attribute__((noinline)) int gw_verify_checksum(struct __sk_buff *skb,
						 const struct pst_segment *s)
{
	u64 sum;

	if (!s)
		return GW_CHECKSUM_OPEN;
	sum = gw_sum(skb, s->tcp_offset, s->header_bytes + s->payload_bytes);
	if (sum == GW_NO_SUM)
		return GW_CHECKSUM_OPEN;
	return pst_checksum_holds(s, (u32)sum) ? GW_CHECKSUM_RIGHT : GW_CHECKSUM_WRONG;
}

/*
 * A segment with a wrong checksum is ignored (R35). A segment longer than a jumbo frame
 * cannot be summed; GRO has merged it.
 */
PST_FN int gw_checksum_of(struct __sk_buff *skb, const struct pst_segment *s)
{
	if (pst_checksum_is_partial(s))
		return GW_CHECKSUM_OPEN;
	if (bpf_csum_level(skb, BPF_CSUM_LEVEL_QUERY) >= 0)
		return GW_CHECKSUM_RIGHT;
	return gw_verify_checksum(skb, s);
}

/* VLAN id that the device has stripped; 0 if none. */
PST_FN u16 gw_vlan(const struct __sk_buff *skb)
{
	return skb->vlan_present ? skb->vlan_tci & 0xfff : 0;
}

#endif
