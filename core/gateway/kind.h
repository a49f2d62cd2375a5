/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kind of a packet on its way out, which says whom a discipline may hit: hosts find what it
 * carries and whether a window or a rule has its flow, and ask here.
 */
#ifndef PENSTOCK_CORE_GATEWAY_KIND_H
#define PENSTOCK_CORE_GATEWAY_KIND_H

#include "../queue/queue.h"

/* What a packet carries, by its headers. */
enum pst_content {
	PST_CONTENT_OTHER,	/* UDP, another protocol, or no whole segment */
	PST_CONTENT_DATA,	/* a TCP segment with data */
	PST_CONTENT_EMPTY,	/* a TCP segment without */
	PST_CONTENT_ICMP,
	PST_CONTENT_LINK,	/* what the link itself is run by, as ARP */
};

/* The content of a whole TCP segment. */
PST_FN enum pst_content pst_content_of(u32 payload_bytes)
{
	return payload_bytes ? PST_CONTENT_DATA : PST_CONTENT_EMPTY;
}

/* @held: of a flow whose windows the gateway writes, and within these; else false. */
PST_FN u8 pst_kind_of(enum pst_content content, bool held)
{
	switch (content) {
	case PST_CONTENT_DATA:
		return held ? PST_KIND_CONTROLLED : PST_KIND_OTHER;
	case PST_CONTENT_EMPTY:
	case PST_CONTENT_ICMP:
		return PST_KIND_SMALL;
	case PST_CONTENT_LINK:
		return PST_KIND_SPARED;
	default:
		return PST_KIND_OTHER;
	}
}

/*
 * What a packet of this @kind becomes where a rule spares it: no rule is about what a window holds,
 * nor about segments without data.
 */
PST_FN u8 pst_kind_by_rule(u8 kind, bool tcp)
{
	if (kind == PST_KIND_OTHER || (kind == PST_KIND_SMALL && !tcp))
		return PST_KIND_BY_RULE;
	return kind;
}

#endif
