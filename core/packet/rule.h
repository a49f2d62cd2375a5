/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A rule names packets by what their headers say, and by the mark that the host gave them: those
 * that a discipline is to spare (queue/queue.h, PST_KIND_BY_RULE).
 *
 * A DSCP says what its sender wants. Where packets come from a network that is not one's own it
 * says nothing, unless the rule trusts it: RFC 2474 section 7, RFC 2475 section 2.3.
 */
#ifndef PENSTOCK_CORE_PACKET_RULE_H
#define PENSTOCK_CORE_PACKET_RULE_H

#include "identity.h"

#define PST_MAX_RULES 8U
#define PST_DSCPS 64U

/* All that is not zero has to hold. */
struct pst_rule {
	u32 address[4];		/* of one end, in network order; IPv4 as ::ffff:a.b.c.d */
	u32 mask[4];		/* its bits that count */
	u64 dscps;		/* 1 << codepoint for each one that it names; 0 any */
	u32 mark;		/* of the host, */
	u32 mark_bits;		/* and its bits that count */
	u32 part_q16;		/* of the link, that it spares at most; 0: no bound */
	u16 port;		/* of the same end, in network order; 0 any */
	u8 protocol;		/* of IP; 0 any */
	bool trusts;		/* a DSCP from the network outside */
};

PST_FN bool pst_rule_has_end(const struct pst_rule *r, const u32 address[4], u16 port)
{
	u32 differ = 0;
	int n;

	if (r->port && r->port != port)
		return false;
	for (n = 0; n < 4; n++)
		differ |= (address[n] & r->mask[n]) ^ r->address[n];
	return !differ;
}

/* True if the rule may hold in this direction: @outside if packets come from another network. */
PST_FN bool pst_rule_is_believed(const struct pst_rule *r, bool outside)
{
	return !r->dscps || r->trusts || !outside;
}

/* True if the rule names the packet with the headers *@i and the @mark. */
PST_FN bool pst_rule_names(const struct pst_rule *r, const struct pst_identity *i, u32 mark,
			   bool outside)
{
	if (!i->ip || (mark & r->mark_bits) != r->mark)
		return false;
	if (r->protocol && r->protocol != i->protocol)
		return false;
	if (r->dscps && !(r->dscps >> (i->tos >> 2) & 1))
		return false;
	return pst_rule_is_believed(r, outside) &&
	       (pst_rule_has_end(r, i->ends.source, i->ends.source_port) ||
		pst_rule_has_end(r, i->ends.target, i->ends.target_port));
}

#endif
