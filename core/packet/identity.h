/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The source and destination of a packet, as far as its headers say. It serves to count the
 * bytes of each flow, of any protocol: unlike parse.h it refuses nothing.
 */
#ifndef PENSTOCK_CORE_PACKET_IDENTITY_H
#define PENSTOCK_CORE_PACKET_IDENTITY_H

#include "parse.h"

/* All zero where the headers do not say. */
struct pst_identity {
	struct pst_segment ends;	/* of it: addresses, ports, tags, session, ecn */
	u32 protocol;			/* of IP; 0 of what is not IP */
	u8 tos;				/* IPv4 TOS or IPv6 traffic class octet */
	bool ip;
	bool fragment;			/* without ports */
	bool control;			/* what a link is run by: ARP, PPP, neighbours of IPv6 */
	bool icmp;			/* any other ICMP */
	u8 hops;			/* of IPv6, that it may still take */
};

/* True if the first four bytes of @protocol are its ports. */
PST_FN bool pst_has_ports(u32 protocol)
{
	return protocol == PST_IP_UDP || protocol == PST_IP_TCP ||
	       protocol == PST_IP_SCTP || protocol == PST_IP_DCCP ||
	       protocol == PST_IP_UDP_LITE;
}

PST_FN void pst_identify_ipv4(struct pst_cursor *c, struct pst_identity *i)
{
	const u8 *p = pst_peek(c, PST_IPV4_BYTES);

	if (!p)
		return;
	i->ip = true;
	i->tos = p[1];
	i->ends.ecn = i->tos & 3;
	i->fragment = pst_load_be16(p + 6) & PST_IPV4_FRAGMENT;
	i->protocol = p[9];
	pst_map_ipv4(i->ends.source, pst_load32(p + 12));
	pst_map_ipv4(i->ends.target, pst_load32(p + 16));
	c->at += (p[0] & 15U) * 4;
}

/* Past the headers between IPv6's and the protocol's, as far as there are few. */
PST_FN void pst_identify_extensions(struct pst_cursor *c, struct pst_identity *i)
{
	const u8 *p;
	int n;

	for (n = 0; n < PST_MAX_EXTENSIONS; n++) {
		i->fragment |= i->protocol == PST_IP_FRAGMENT;
		if (i->protocol != PST_IP_HOP_BY_HOP && i->protocol != PST_IP_ROUTING &&
		    i->protocol != PST_IP_DESTINATION && i->protocol != PST_IP_FRAGMENT)
			return;
		p = pst_peek(c, 8);
		if (!p)
			return;
		c->at += PST_CHOOSE(i->protocol == PST_IP_FRAGMENT, 8U, (p[1] + 1U) * 8);
		i->protocol = p[0];
	}
}

PST_FN void pst_identify_ipv6(struct pst_cursor *c, struct pst_identity *i)
{
	const u8 *p = pst_peek(c, PST_IPV6_BYTES);
	int n;

	if (!p)
		return;
	i->ip = true;
	i->tos = (u8)(p[0] << 4 | p[1] >> 4);
	i->ends.ecn = i->tos & 3;
	for (n = 0; n < 4; n++) {
		i->ends.source[n] = pst_load32(p + 8 + 4 * n);
		i->ends.target[n] = pst_load32(p + 24 + 4 * n);
	}
	i->protocol = p[6];
	i->hops = p[7];
	c->at += PST_IPV6_BYTES;
	pst_identify_extensions(c, i);
}

/* ICMP, as neighbours of this link find each other by it (RFC 4861 section 7.1), or other. */
PST_FN void pst_identify_icmp(const struct pst_cursor *c, struct pst_identity *i)
{
	const u8 *p = pst_peek(c, 1);
	bool neighbours;
	u8 type = 0;

	if (p)
		type = p[0];
	neighbours = i->protocol == PST_IP_ICMPV6 && i->hops == PST_HOPS_OF_LINK &&
		     !i->fragment && type >= PST_ICMPV6_FIRST_OF_LINK &&
		     type <= PST_ICMPV6_LAST_OF_LINK;
	i->control |= neighbours;
	i->icmp = !neighbours;
}

/* Fills *@i, which is all zero, from the bytes @data .. @end. */
PST_FN void pst_identify(const u8 *data, const u8 *end, bool ethernet,
			 struct pst_identity *i)
{
	struct pst_cursor c = { data, end, 0, 0, 0, 0, 0 };
	enum pst_parsed r = pst_parse_link(&c, ethernet, &i->ends);
	const u8 *p;

	if (c.type == PST_ETHERTYPE_ARP || c.type == PST_ETHERTYPE_PPPOE_DISCOVERY ||
	    (c.type == PST_ETHERTYPE_PPPOE && r == PST_NOT_IP))
		i->control = true;
	if (r != PST_PARSED_TCP)
		return;
	if (c.type == PST_ETHERTYPE_IPV4)
		pst_identify_ipv4(&c, i);
	else if (c.type == PST_ETHERTYPE_IPV6)
		pst_identify_ipv6(&c, i);
	if (i->protocol == PST_IP_ICMP || i->protocol == PST_IP_ICMPV6)
		pst_identify_icmp(&c, i);
	if (i->fragment || !pst_has_ports(i->protocol))
		return;
	p = pst_peek(&c, 4);
	if (!p)
		return;
	i->ends.source_port = pst_load16(p);
	i->ends.target_port = pst_load16(p + 2);
}

#endif
