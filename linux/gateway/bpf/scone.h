/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Advice to QUIC, at egress: lowers the signal of SCONE packets (core/gateway/scone.h).
 * Number and length of packets do not change; two bytes change, and the UDP checksum.
 */
#ifndef PENSTOCK_GATEWAY_SCONE_H
#define PENSTOCK_GATEWAY_SCONE_H

#include "flow.h"
#include "packet.h"

/* A global function, as in forward.h: its branches are followed once. */
__attribute__((noinline)) u32 gw_scone_signal_of(u64 bps)
{
	return bps ? pst_scone_signal_of(bps) : PST_SCONE_UNKNOWN;
}

/* True if the path of a datagram may have a signal written now. */
__attribute__((noinline)) int gw_scone_path_takes(struct __sk_buff *skb,
						  const struct pst_scone_datagram *d,
						  u64 now_ns)
{
	struct pst_fair_table *t = gw_fairness();
	struct pst_scone_path fresh = {};
	struct pst_scone_path *p;
	u64 name;

	if (!d || !t)
		return false;
	name = pst_flow_name(t->key, &d->ends, PST_IP_UDP, gw_vlan(skb));
	p = bpf_map_lookup_elem(&scone_paths, &name);
	if (!p) {
		bpf_map_update_elem(&scone_paths, &name, &fresh, BPF_NOEXIST);
		p = bpf_map_lookup_elem(&scone_paths, &name);
	}
	return p && pst_scone_path_takes(p, now_ns);
}

/* A checksum of 0 is none, which UDP may have. */
PST_FN void gw_scone_write(struct gw_counts *n, struct __sk_buff *skb, u32 udp_offset,
			   bool summed, u16 from, u16 to)
{
	if (summed && bpf_l4_csum_replace(skb, udp_offset + PST_UDP_CHECKSUM_AT, from, to,
					  2 | BPF_F_MARK_MANGLED_0)) {
		n->value[GW_COUNT_write_errors]++;
		return;
	}
	if (bpf_skb_store_bytes(skb, udp_offset + PST_UDP_BYTES, &to, sizeof(to), 0))
		n->value[GW_COUNT_write_errors]++;
}

/* True if a packet of SCONE with @head may be changed: a whole one, of no exempt end. */
PST_FN bool gw_scone_is_ours(struct __sk_buff *skb, const struct pst_scone_datagram *d,
			     const u8 *head)
{
	struct gw_key key;
	u8 source_id_bytes;

	gw_key_of(&d->ends, true, gw_vlan(skb), &key);
	return !bpf_skb_load_bytes(skb, d->udp_offset + pst_scone_source_at(head),
				   &source_id_bytes, 1) &&
	       pst_scone_is_whole(head, source_id_bytes) && !gw_is_exempt(&key);
}

/* A packet enters the queue @g. */
__attribute__((noinline)) int gw_scone(struct __sk_buff *skb, struct gw_shared *g,
				     u64 now_ns)
{
	const struct gw_config *c = gw_config();
	struct gw_counts *n = gw_counts();
	struct pst_scone_datagram d = {};
	u8 head[PST_SCONE_HEAD_BYTES];
	u32 signal;
	u16 word;

	if (!g || !n || !pst_scone_find((const u8 *)(long)skb->data,
					(const u8 *)(long)skb->data_end, skb->len,
					c->ethernet, &d) ||
	    bpf_skb_load_bytes(skb, d.udp_offset, head, sizeof(head)) ||
	    !pst_scone_begins(head, d.room_bytes))
		return 0;
	n->value[GW_COUNT_scone_packets]++;
	pst_scone_ports(head, &d.ends);
	word = pst_scone_be16(head + PST_UDP_BYTES);
	signal = gw_scone_signal_of(pst_scone_advice_bps(&g->port.scone, gw_link_rate(c, g)));
	if (!gw_scone_is_ours(skb, &d, head)) {
		n->value[GW_COUNT_scone_left]++;
	} else if (signal >= pst_scone_signal(word)) {
		n->value[GW_COUNT_scone_kept]++;
	} else if (!gw_scone_path_takes(skb, &d, now_ns)) {
		n->value[GW_COUNT_scone_spared]++;
	} else {
		n->value[GW_COUNT_scone_advised]++;
		if (!c->gateway.observe)
			gw_scone_write(n, skb, d.udp_offset,
				       head[PST_UDP_CHECKSUM_AT] || head[PST_UDP_CHECKSUM_AT + 1],
				       PST_BE16(word), PST_BE16(pst_scone_with(word, signal)));
	}
	return 0;
}

#endif
