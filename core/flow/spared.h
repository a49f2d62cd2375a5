/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a rule spares (packet/rule.h): its amount, and its bound, a part of the link.
 *
 * The bound is the generic cell rate algorithm (ITU-T I.371): a packet of b bytes takes the part
 * for b / part, and is spared if at most PST_SPARED_BURST_NS of that are due. In any time T a rule
 * spares at most part * (T + PST_SPARED_BURST_NS) and one packet.
 */
#ifndef PENSTOCK_CORE_FLOW_SPARED_H
#define PENSTOCK_CORE_FLOW_SPARED_H

#include "fair_decay.h"

#define PST_SPARED_BURST_NS (PST_NS_PER_S / 2) /* as of discipline/fair_spare.h */
#define PST_SPARED_QUIET_NS (4 * PST_NS_PER_S) /* after which nothing is left of a mean */

/* All zero at first. */
struct pst_spared {
	u64 packets;
	u64 bytes;
	u64 mean_bytes;		/* in the last 2^PST_FAIR_MEAN_SHIFT ns, as it decays */
	u64 seen_ns;		/* the last packet */
	u64 beyond_packets;	/* that were not spared, as the bound was reached */
};

/* What is left at @now_ns of what came before. */
PST_FN u64 pst_spared_mean_bytes(const struct pst_spared *s, u64 now_ns)
{
	u64 passed_ns = pst_sub_floor(now_ns, s->seen_ns);

	return passed_ns < PST_SPARED_QUIET_NS ? pst_fair_mean_decayed(s->mean_bytes, passed_ns) :
						 0;
}

/* Averaged over some seconds, as a rate. */
PST_FN u64 pst_spared_bytes_per_s(const struct pst_spared *s, u64 now_ns)
{
	return (pst_spared_mean_bytes(s, now_ns) >> 8) * PST_NS_PER_S >>
	       (PST_FAIR_MEAN_SHIFT - 8);
}

/* A packet of @bytes is spared. */
PST_FN void pst_spared_add(struct pst_spared *s, u32 bytes, u64 now_ns)
{
	u64 mean_bytes = pst_spared_mean_bytes(s, now_ns);

	PST_REQUIRE(s->mean_bytes < PST_MAX_BYTES);
	s->mean_bytes = pst_min(mean_bytes + bytes, PST_MAX_BYTES - 1);
	s->seen_ns = pst_max(now_ns, s->seen_ns);
	s->packets++;
	s->bytes += bytes;
	PST_ENSURE(s->mean_bytes < PST_MAX_BYTES);
}

/*
 * True if a packet of @bytes is within @part_bytes_per_s, of which all before is due until
 * *@due_ns; it is then due as well.
 */
PST_FN bool pst_spared_fits(u64 *due_ns, u64 part_bytes_per_s, u32 bytes, u64 now_ns)
{
	u64 from_ns = pst_max(*due_ns, now_ns);
	u64 each = pst_max(part_bytes_per_s, 1);

	if (from_ns - now_ns > PST_SPARED_BURST_NS)
		return false;
	*due_ns = from_ns + (bytes * PST_NS_PER_S + each - 1) / each;
	return true;
}

#endif
