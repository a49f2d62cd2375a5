/* SPDX-License-Identifier: GPL-2.0-only */
/* The group of a flow, where the link is divided by hosts, prefixes or marks. */
#ifndef PENSTOCK_GATEWAY_GROUP_H
#define PENSTOCK_GATEWAY_GROUP_H

#include "maps.h"

PST_FN void gw_group_key_of(const struct gw_config *c, const struct pst_flow *f,
			    u32 mark, const struct gw_key *k,
			    struct gw_group_key *group)
{
	u64 by_receiver = pst_opaque(f->reverse_opened) & 1;
	u32 receivers = (u32)(0 - by_receiver);
	u32 address[4];
	bool ipv4;
	int i;

	/* Without a pointer to either: the stack is read at constant offsets only. */
	for (i = 0; i < 4; i++)
		address[i] = (k->sender[i] & ~receivers) |
			     (k->receiver[i] & receivers);
	ipv4 = !address[0] && !address[1] && address[2] == PST_BE32(0xffff);
	for (i = 0; i < 4; i++)
		group->word[i] = address[i] & c->share_mask[i];
	if (ipv4) {
		group->word[2] = address[2];
		group->word[3] = address[3] & c->share_mask_ipv4;
	}
	if (c->gateway.share_by == PST_SHARE_BY_MARK)
		*group = (struct gw_group_key){ { mark, 0, 0, 0 }, 0 };
}

/* Null where there are none, or no room for one more. */
static __attribute__((noinline)) struct pst_flow_group *
gw_group_of(const struct pst_flow *f, u32 mark, u32 shape, const struct gw_key *k)
{
	const struct gw_config *c = gw_config();
	struct pst_flow_group fresh = {};
	struct pst_flow_group *found;
	struct gw_group_key group;

	if (!f || !k)
		return 0;
	gw_group_key_of(c, f, mark, k, &group);
	group.shape = shape;
	found = bpf_map_lookup_elem(&groups, &group);
	if (found)
		return found;
	bpf_map_update_elem(&groups, &group, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&groups, &group);
}

/* The group in @shape of @f, whose data has @mark; null where it is on its own, as without. */
PST_FN struct pst_flow_group *gw_group(const struct gw_config *c,
				       const struct pst_flow *f, u32 mark, u32 shape,
				       const struct gw_key *k)
{
	bool alone = c->gateway.share_by == PST_SHARE_BY_FLOW ||
		     (c->gateway.share_by == PST_SHARE_BY_MARK && !mark);

	return alone ? 0 : gw_group_of(f, mark, shape, k);
}

#endif
