/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A group of flows that counts as one flow: those of a host, or of a subscriber. Its
 * demand is the sum of its flows' demands, but at most that of one flow; its flows divide
 * what the group is granted.
 *
 * The host keeps the groups, and finds the group of a flow at each event.
 */
#ifndef PENSTOCK_CORE_FLOW_FLOW_GROUP_H
#define PENSTOCK_CORE_FLOW_FLOW_GROUP_H

#include "../base.h"

/* What the link is divided among: S(name, NAME, text). */
#define PST_SHARE_BYS(S)                                               \
	S(flow, FLOW, "each flow on its own")                          \
	S(host, HOST, "the host that opened the connection")           \
	S(prefix, PREFIX, "the first bits of that host's address")     \
	S(mark, MARK, "the mark that the data's packets carry")

#define PST_ENUM(name, NAME, help) PST_SHARE_BY_##NAME,
enum pst_share_by {
	PST_SHARE_BYS(PST_ENUM)
	PST_SHARE_BY_COUNT,
};
#undef PST_ENUM

struct pst_flow_group {
	u64 epoch;		/* interval of the counts; 0 none */
	u64 running_q16;	/* its flows by use */
	u64 last_q16;		/* and in the interval before */
};

PST_FN void pst_flow_group_advance(struct pst_flow_group *g, u64 epoch)
{
	if (epoch <= g->epoch)
		return;
	g->last_q16 = epoch == g->epoch + 1 ? g->running_q16 : 0;
	g->running_q16 = 0;
	g->epoch = epoch;
}

/* A flow counts as @part_q16 more in @epoch: by how much more its group @g does, if any. */
PST_FN u64 pst_flow_group_add(struct pst_flow_group *g, u64 epoch, u64 part_q16)
{
	u64 before_q16;

	PST_REQUIRE(part_q16 <= PST_Q16_ONE);
	if (!g)
		return part_q16;
	pst_flow_group_advance(g, epoch);
	before_q16 = pst_min(g->running_q16, PST_Q16_ONE);
	g->running_q16 += part_q16;
	return pst_min(g->running_q16, PST_Q16_ONE) - before_q16;
}

/* A flow takes @part_q16 out of *@sum_q16, one of its group's: by how much that is less. */
PST_FN u64 pst_flow_group_take(u64 *sum_q16, u64 part_q16)
{
	u64 before_q16 = pst_min(*sum_q16, PST_Q16_ONE);

	PST_REQUIRE(part_q16 <= PST_Q16_ONE);
	*sum_q16 = pst_sub_floor(*sum_q16, part_q16);
	return before_q16 - pst_min(*sum_q16, PST_Q16_ONE);
}

/* The number of flows among which the group divides its share, by use; at least 1. */
PST_FN u64 pst_flow_group_members_q16(struct pst_flow_group *g, u64 epoch)
{
	pst_flow_group_advance(g, epoch);
	return pst_max(PST_Q16_ONE, pst_max(g->last_q16, g->running_q16));
}

#endif
