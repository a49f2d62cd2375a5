/* SPDX-License-Identifier: GPL-2.0-only */
/* From a packet of the kernel's to a segment, or the reason why it passes. */
#ifndef PENSTOCK_GATEWAY_PACKET_H
#define PENSTOCK_GATEWAY_PACKET_H

#include "maps.h"
#include "core/packet/parse.h"

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

/* Headers in pages of their own are made readable. Of external linkage, as in forward.h. */
__attribute__((noinline)) int gw_pull_and_parse(struct __sk_buff *skb,
						struct pst_segment *s)
{
	if (!s || bpf_skb_pull_data(skb, pst_min(skb->len, GW_HEAD_BYTES)))
		return PST_TRUNCATED;
	return gw_parse_at_hand(skb, s);
}

/*
 * What becomes of the segment is best done in a function with external linkage, or the
 * verifier follows each path through the headers to the program's end.
 */
PST_FN enum pst_parsed gw_parse(struct __sk_buff *skb, struct pst_segment *s)
{
	enum pst_parsed r = gw_parse_at_hand(skb, s);

	if (r != PST_TRUNCATED)
		return r;
	*s = (struct pst_segment){}; /* or Linux 6.1 takes it for no argument */
	return gw_pull_and_parse(skb, s);
}

/* VLAN id that the device has taken out of the bytes; 0 without one. */
PST_FN u16 gw_vlan(const struct __sk_buff *skb)
{
	return skb->vlan_present ? skb->vlan_tci & 0xfff : 0;
}

#endif
