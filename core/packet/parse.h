/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses a packet down to the TCP header fields that the rules need, or returns the
 * reason why the packet is not processed (R15).
 *
 * Ethernet or no link header; up to two VLAN tags (IEEE 802.1Q); PPPoE sessions
 * (RFC 2516); IPv4 with options (RFC 791); IPv6 with a bounded chain of extension
 * headers (RFC 8200 section 4); TCP (RFC 9293 section 3.1). Checks every length
 * against the packet's own end, and payload against the IP length: an Ethernet
 * frame is padded to 60 bytes.
 */
#ifndef PENSTOCK_CORE_PACKET_PARSE_H
#define PENSTOCK_CORE_PACKET_PARSE_H

#include "../sizes.h"
#include "bytes.h"
#include "protocol.h"

enum pst_parsed {
	PST_PARSED_TCP,
	PST_NOT_IP,
	PST_NOT_TCP,
	PST_FRAGMENT,		/* of IPv4 or IPv6, including the first */
	PST_EXTENDED,		/* more extension headers than the limit */
	PST_TRUNCATED,		/* the available bytes end inside a header */
	PST_MALFORMED,		/* lengths contradict each other */
	PST_PARSED_COUNT,
};

#define PST_MAX_EXTENSIONS 6
#define PST_MAX_VLANS 2

struct pst_segment {
	u32 source[4];		/* as on the wire; IPv4 as ::ffff:a.b.c.d */
	u32 target[4];
	u16 source_port;	/* as on the wire */
	u16 target_port;
	u16 session;		/* of PPPoE, 0 without one; host byte order, as are all below */
	u16 window;
	u32 tags;		/* VLAN ids of the bytes, 12 bits each, the innermost lowest */
	u32 seq;
	u32 ack;
	u32 tcp_offset;		/* of the TCP header from the first byte */
	u32 payload_bytes;
	u16 header_bytes;	/* TCP header with its options, 20 .. 60 */
	u16 checksum;		/* as on the wire */
	u16 flags;		/* nine bits, PST_TCP_* */
	u8 ecn;			/* of the IP header, 0 .. 3 */
	bool ipv6;
};

/* State of the parser: the next header and the end of the packet. */
struct pst_cursor {
	const u8 *data;
	const u8 *end;
	u32 at;			/* next header's offset */
	u32 wire_bytes;		/* length of the whole packet, from data */
	u32 limit;		/* end of the IP packet, offset */
	u16 type;		/* EtherType */
	u8 protocol;		/* of IP */
};

/* @bytes from the cursor if available, else 0. */
PST_FN const u8 *pst_peek(const struct pst_cursor *c, u32 bytes)
{
	const u8 *p = c->data + c->at;

	return p + bytes > c->end ? 0 : p;
}

PST_FN enum pst_parsed pst_parse_vlans(struct pst_cursor *c,
				       struct pst_segment *s)
{
	const u8 *p;
	int i;

	for (i = 0; i < PST_MAX_VLANS; i++) {
		if (c->type != PST_ETHERTYPE_VLAN &&
		    c->type != PST_ETHERTYPE_OUTER_VLAN)
			break;
		p = pst_peek(c, 4);
		if (!p)
			return PST_TRUNCATED;
		s->tags = s->tags << 12 | (pst_load_be16(p) & 0xfff);
		c->type = pst_load_be16(p + 2);
		c->at += 4;
	}
	return PST_PARSED_TCP;
}

/* A PPPoE session: version and type 0x11, code 0, then the PPP protocol. */
PST_FN enum pst_parsed pst_parse_pppoe(struct pst_cursor *c, struct pst_segment *s)
{
	const u8 *p = pst_peek(c, 8);
	u16 ppp;

	if (!p)
		return PST_TRUNCATED;
	ppp = pst_load_be16(p + 6);
	if (pst_load_be16(p) != 0x1100 || (ppp != PST_PPP_IPV4 && ppp != PST_PPP_IPV6))
		return PST_NOT_IP;
	s->session = pst_load_be16(p + 2);
	c->type = ppp == PST_PPP_IPV4 ? PST_ETHERTYPE_IPV4 : PST_ETHERTYPE_IPV6;
	c->at += 8;
	return PST_PARSED_TCP;
}

PST_FN enum pst_parsed pst_parse_link(struct pst_cursor *c, bool ethernet,
				      struct pst_segment *s)
{
	const u8 *p = pst_peek(c, ethernet ? PST_ETHERNET_BYTES : 1);
	enum pst_parsed r;

	if (!p)
		return PST_TRUNCATED;
	if (!ethernet) {
		c->type = p[0] >> 4 == 4 ? PST_ETHERTYPE_IPV4 : 0;
		if (p[0] >> 4 == 6)
			c->type = PST_ETHERTYPE_IPV6;
		return PST_PARSED_TCP;
	}
	c->type = pst_load_be16(p + 12);
	c->at = PST_ETHERNET_BYTES;
	if (c->type == PST_ETHERTYPE_IPV4 || c->type == PST_ETHERTYPE_IPV6)
		return PST_PARSED_TCP;
	r = pst_parse_vlans(c, s);
	if (r == PST_PARSED_TCP && c->type == PST_ETHERTYPE_PPPOE)
		r = pst_parse_pppoe(c, s);
	return r;
}

/* The IPv4 address @wire, as on the wire, in the form of struct pst_segment. */
PST_FN void pst_map_ipv4(u32 address[4], u32 wire)
{
	address[0] = 0;
	address[1] = 0;
	address[2] = PST_BE32(0xffffU);
	address[3] = wire;
}

/* A total length of 0 means a GSO packet above 65,535 bytes. */
PST_FN enum pst_parsed pst_parse_ipv4(struct pst_cursor *c,
				      struct pst_segment *s)
{
	const u8 *p = pst_peek(c, PST_IPV4_BYTES);
	u32 header_bytes, total_bytes;

	if (!p)
		return PST_TRUNCATED;
	header_bytes = (p[0] & 15U) * 4;
	total_bytes = pst_load_be16(p + 2);
	if (!total_bytes)
		total_bytes = c->wire_bytes - c->at;
	if (p[0] >> 4 != 4 || header_bytes < PST_IPV4_BYTES ||
	    header_bytes > total_bytes || c->at + total_bytes > c->wire_bytes)
		return PST_MALFORMED;
	if (pst_load_be16(p + 6) & PST_IPV4_FRAGMENT)
		return PST_FRAGMENT;
	s->ecn = p[1] & 3;
	pst_map_ipv4(s->source, pst_load32(p + 12));
	pst_map_ipv4(s->target, pst_load32(p + 16));
	c->protocol = p[9];
	c->limit = c->at + total_bytes;
	c->at += header_bytes;
	return PST_PARSED_TCP;
}

/* Skips hop-by-hop, routing and destination options headers. */
PST_FN enum pst_parsed pst_parse_extensions(struct pst_cursor *c)
{
	const u8 *p;
	int i;

	for (i = 0; i < PST_MAX_EXTENSIONS; i++) {
		if (c->protocol == PST_IP_FRAGMENT)
			return PST_FRAGMENT;
		if (c->protocol != PST_IP_HOP_BY_HOP &&
		    c->protocol != PST_IP_ROUTING &&
		    c->protocol != PST_IP_DESTINATION)
			return PST_PARSED_TCP;
		p = pst_peek(c, 2);
		if (!p)
			return PST_TRUNCATED;
		c->protocol = p[0];
		c->at += (p[1] + 1U) * 8;
	}
	return c->protocol == PST_IP_TCP ? PST_PARSED_TCP : PST_EXTENDED;
}

PST_FN enum pst_parsed pst_parse_ipv6(struct pst_cursor *c,
				      struct pst_segment *s)
{
	const u8 *p = pst_peek(c, PST_IPV6_BYTES);
	u32 total_bytes;
	int i;

	if (!p)
		return PST_TRUNCATED;
	total_bytes = PST_IPV6_BYTES + pst_load_be16(p + 4);
	if (total_bytes == PST_IPV6_BYTES)
		total_bytes = c->wire_bytes - c->at;
	if (p[0] >> 4 != 6 || c->at + total_bytes > c->wire_bytes)
		return PST_MALFORMED;
	for (i = 0; i < 4; i++) {
		s->source[i] = pst_load32(p + 8 + 4 * i);
		s->target[i] = pst_load32(p + 24 + 4 * i);
	}
	s->ipv6 = true;
	s->ecn = (p[1] >> 4) & 3;
	c->protocol = p[6];
	c->limit = c->at + total_bytes;
	c->at += PST_IPV6_BYTES;
	if (c->protocol == PST_IP_TCP)
		return PST_PARSED_TCP;
	return pst_parse_extensions(c);
}

PST_FN enum pst_parsed pst_parse_tcp(struct pst_cursor *c,
				     struct pst_segment *s)
{
	const u8 *p = pst_peek(c, PST_TCP_BYTES);

	if (c->protocol != PST_IP_TCP)
		return PST_NOT_TCP;
	if (c->at + PST_TCP_BYTES > c->limit)
		return PST_MALFORMED;
	if (!p)
		return PST_TRUNCATED;
	s->header_bytes = (u16)((p[12] >> 4) * 4U);
	if (s->header_bytes < PST_TCP_BYTES || c->at + s->header_bytes > c->limit)
		return PST_MALFORMED;
	s->source_port = pst_load16(p);
	s->target_port = pst_load16(p + 2);
	s->seq = pst_load_be32(p + 4);
	s->ack = pst_load_be32(p + 8);
	s->flags = pst_load_be16(p + 12) & PST_TCP_FLAGS;
	s->window = pst_load_be16(p + PST_TCP_WINDOW_AT);
	s->checksum = pst_load16(p + PST_TCP_CHECKSUM_AT);
	s->tcp_offset = c->at;
	s->payload_bytes = c->limit - c->at - s->header_bytes;
	return PST_PARSED_TCP;
}

/*
 * Parses the packet of @wire_bytes, of which @data .. @end are available (@wire_bytes >=
 * @end - @data). *@s is valid only if the result is PST_PARSED_TCP.
 */
PST_FN enum pst_parsed pst_parse(const u8 *data, const u8 *end, u32 wire_bytes,
				 bool ethernet, struct pst_segment *s)
{
	struct pst_cursor c = { data, end, 0, wire_bytes, 0, 0, 0 };
	enum pst_parsed r;

	s->session = 0;
	s->tags = 0;
	s->ipv6 = false;
	r = pst_parse_link(&c, ethernet, s);
	if (r != PST_PARSED_TCP)
		return r;
	if (c.type == PST_ETHERTYPE_IPV4)
		r = pst_parse_ipv4(&c, s);
	else if (c.type == PST_ETHERTYPE_IPV6)
		r = pst_parse_ipv6(&c, s);
	else
		return PST_NOT_IP;
	if (r != PST_PARSED_TCP)
		return r;
	return pst_parse_tcp(&c, s);
}

#endif
