/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shape of a control group (v2): that of the socket of this machine which sends a packet. What
 * comes in has no socket yet; where data does, its flow knows the one that answers.
 */
#ifndef PENSTOCK_GATEWAY_CGROUP_H
#define PENSTOCK_GATEWAY_CGROUP_H

#include "packet.h"

/* The shape of cgroup @id at @depth; 0 for none. */
PST_FN u32 gw_shape_of_cgroup(u64 id, u32 depth)
{
	struct gw_selector key = { GW_BY_CGROUP, depth, id };
	u32 *found = id ? bpf_map_lookup_elem(&shape_selectors, &key) : 0;

	return found ? *found : 0;
}

/* The depths at which shapes have cgroups, a bit each. */
PST_FN u32 gw_cgroup_depths(void)
{
	struct gw_selector key = {};
	u32 *depths;

	key.by = GW_BY_CGROUP;
	/* No constant as a whole, which the compiler would put into a map of its own. */
	asm volatile("" : "+r"(key.by));
	depths = bpf_map_lookup_elem(&shape_selectors, &key);
	return depths ? *depths : 0;
}

/* The shape of the deepest cgroup that has one, of the socket that sends @skb; 0 for none. */
__attribute__((noinline)) u32 gw_shape_of_sender(struct __sk_buff *skb)
{
	u32 depths = gw_cgroup_depths();
	u32 shape = 0;
	u32 depth;

	for (depth = GW_CGROUP_DEPTHS - 1; depth && !shape; depth--)
		if (depths >> depth & 1)
			shape = gw_shape_of_cgroup(bpf_skb_ancestor_cgroup_id(skb, (int)depth),
						   depth);
	return shape;
}

/* The same, of a packet that may be from elsewhere. */
PST_FN u32 gw_shape_of_program(struct __sk_buff *skb)
{
	return skb->sk ? gw_shape_of_sender(skb) : 0;
}

#ifdef GW_DOWN

/* Of the program that sends @skb, which answers data; into *@shape. */
PST_FN void gw_note_program(struct __sk_buff *skb, u32 *shape)
{
	*shape = gw_shape_of_program(skb);
}

/* Of the program that gets @s, data that goes forward; 0 for none, or another machine's. */
PST_FN u32 gw_shape_answered(struct __sk_buff *skb, const struct pst_segment *s)
{
	struct gw_scratch *at_hand = gw_scratch();
	struct gw_flow *f;

	if (!at_hand)
		return 0;
	gw_key_of(s, true, gw_vlan(skb), &at_hand->key);
	f = bpf_map_lookup_elem(&flows, &at_hand->key);
	return f ? f->program_shape : 0;
}

#else

PST_FN void gw_note_program(struct __sk_buff *skb, u32 *shape)
{
	(void)skb;
	(void)shape;
}

PST_FN u32 gw_shape_answered(struct __sk_buff *skb, const struct pst_segment *s)
{
	(void)skb;
	(void)s;
	return 0;
}

#endif

#endif
