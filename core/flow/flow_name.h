/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hashes that identify a flow in a discipline's table of flows, of its ends and protocol, and
 * its pair of hosts: the same in both directions, keyed by the table, so that nobody can choose
 * flows that collide.
 */
#ifndef PENSTOCK_CORE_FLOW_FLOW_NAME_H
#define PENSTOCK_CORE_FLOW_FLOW_NAME_H

#include "../packet/parse.h"
#include "fair_table.h"

/* The first 64 bits of an address. All of IPv4 has the same. */
PST_FN u64 pst_flow_name_net(u64 key, const u32 address[4])
{
	u64 upper = (u64)address[0] << 32 | address[1];

	return upper ? pst_fair_hash(key ^ upper) : key;
}

PST_FN u64 pst_flow_name_end(u64 key, const u32 address[4])
{
	u64 lower = (u64)address[2] << 32 | address[3];

	return pst_fair_hash(pst_flow_name_net(key, address) ^ lower);
}

/* An end of a pair: a host, or in IPv6 the 64 bits of which a host has all addresses. */
PST_FN u64 pst_flow_pair_end(u64 key, const u32 address[4])
{
	u64 net = pst_flow_name_net(key, address);

	return net == key ? pst_flow_name_end(key, address) : net;
}

/* The link of @s: @tag is the VLAN outside of the bytes' own, 0 without one. */
PST_FN u64 pst_flow_link(const struct pst_segment *s, u32 tag)
{
	return (u64)s->tags << 16 ^ (u64)tag << 40 ^ s->session;
}

/* The pair of hosts of @s, @tag as above. Never 0. */
PST_FN u64 pst_flow_pair(u64 key, const struct pst_segment *s, u32 tag)
{
	u64 ends = pst_flow_pair_end(key, s->source) + pst_flow_pair_end(key, s->target);

	return pst_fair_hash(ends ^ pst_flow_link(s, tag)) | 1;
}

/* The flow of @s, @tag as above. */
PST_FN u64 pst_flow_name(u64 key, const struct pst_segment *s, u32 protocol, u32 tag)
{
	u64 least = pst_min(s->source_port, s->target_port);
	u64 most = pst_max(s->source_port, s->target_port);
	u64 pair = pst_flow_name_end(key, s->source) + pst_flow_name_end(key, s->target);

	return pst_fair_hash(pst_fair_hash(pair ^ pst_flow_link(s, tag)) ^
			     (most << 24 | least << 8 | (protocol & 255)));
}

/* All packets of @protocol as one flow, which nobody can multiply. */
PST_FN u64 pst_flow_name_all(u64 key, u32 protocol)
{
	return pst_fair_hash(key ^ protocol);
}

#endif
