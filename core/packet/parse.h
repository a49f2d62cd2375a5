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

#include "bytes.h"

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

#define PST_TCP_FIN 0x01
#define PST_TCP_SYN 0x02
#define PST_TCP_RST 0x04
#define PST_TCP_ACK 0x10
#define PST_TCP_ECE 0x40
#define PST_TCP_CWR 0x80
#define PST_TCP_AE 0x100 /* RFC 9768 */


#define PST_MAX_EXTENSIONS 6
#define PST_MAX_VLANS 2

struct pst_segment {
	u32 source[4];		/* as on the wire; IPv4 as ::ffff:a.b.c.d */
	u32 target[4];
	u16 source_port;	/* as on the wire */
	u16 target_port;
	u16 vlan;		/* innermost VLAN id of the bytes, 0 without one */
	u16 window;		/* host byte order, as are all below */
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
		if (c->type != 0x8100 && c->type != 0x88a8)
			break;
		p = pst_peek(c, 4);
		if (!p)
			return PST_TRUNCATED;
		s->vlan = pst_load_be16(p) & 0xfff;
		c->type = pst_load_be16(p + 2);
		c->at += 4;
	}
	return PST_PARSED_TCP;
}

/* A PPPoE session: version and type 0x11, code 0, then the PPP protocol. */
PST_FN enum pst_parsed pst_parse_pppoe(struct pst_cursor *c)
{
	const u8 *p = pst_peek(c, 8);
	u16 ppp;

	if (!p)
		return PST_TRUNCATED;
	ppp = pst_load_be16(p + 6);
	if (pst_load_be16(p) != 0x1100 || (ppp != 0x0021 && ppp != 0x0057))
		return PST_NOT_IP;
	c->type = ppp == 0x0021 ? 0x0800 : 0x86dd;
	c->at += 8;
	return PST_PARSED_TCP;
}

PST_FN enum pst_parsed pst_parse_link(struct pst_cursor *c, bool ethernet,
				      struct pst_segment *s)
{
	const u8 *p = pst_peek(c, ethernet ? 14 : 1);
	enum pst_parsed r;

	if (!p)
		return PST_TRUNCATED;
	if (!ethernet) {
		c->type = p[0] >> 4 == 4 ? 0x0800 : 0;
		if (p[0] >> 4 == 6)
			c->type = 0x86dd;
		return PST_PARSED_TCP;
	}
	c->type = pst_load_be16(p + 12);
	c->at = 14;
	if (c->type == 0x0800 || c->type == 0x86dd)
		return PST_PARSED_TCP;
	r = pst_parse_vlans(c, s);
	if (r == PST_PARSED_TCP && c->type == 0x8864)
		r = pst_parse_pppoe(c);
	return r;
}

/* A total length of 0 means a GSO packet above 65,535 bytes. */
PST_FN enum pst_parsed pst_parse_ipv4(struct pst_cursor *c,
				      struct pst_segment *s)
{
	const u8 *p = pst_peek(c, 20);
	u32 header_bytes, total_bytes;

	if (!p)
		return PST_TRUNCATED;
	header_bytes = (p[0] & 15U) * 4;
	total_bytes = pst_load_be16(p + 2);
	if (!total_bytes)
		total_bytes = c->wire_bytes - c->at;
	if (p[0] >> 4 != 4 || header_bytes < 20 || header_bytes > total_bytes ||
	    c->at + total_bytes > c->wire_bytes)
		return PST_MALFORMED;
	if (pst_load_be16(p + 6) & 0x3fff) /* offset or more fragments */
		return PST_FRAGMENT;
	s->ecn = p[1] & 3;
	s->source[0] = 0;
	s->source[1] = 0;
	s->source[2] = PST_BE32(0xffffU);
	s->source[3] = pst_load32(p + 12);
	s->target[0] = 0;
	s->target[1] = 0;
	s->target[2] = PST_BE32(0xffffU);
	s->target[3] = pst_load32(p + 16);
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
		if (c->protocol == 44)
			return PST_FRAGMENT;
		if (c->protocol != 0 && c->protocol != 43 && c->protocol != 60)
			return PST_PARSED_TCP;
		p = pst_peek(c, 2);
		if (!p)
			return PST_TRUNCATED;
		c->protocol = p[0];
		c->at += (p[1] + 1U) * 8;
	}
	return c->protocol == 6 ? PST_PARSED_TCP : PST_EXTENDED;
}

PST_FN enum pst_parsed pst_parse_ipv6(struct pst_cursor *c,
				      struct pst_segment *s)
{
	const u8 *p = pst_peek(c, 40);
	u32 total_bytes, i;

	if (!p)
		return PST_TRUNCATED;
	total_bytes = 40U + pst_load_be16(p + 4);
	if (total_bytes == 40)
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
	c->at += 40;
	if (c->protocol == 6)
		return PST_PARSED_TCP;
	return pst_parse_extensions(c);
}

PST_FN enum pst_parsed pst_parse_tcp(struct pst_cursor *c,
				     struct pst_segment *s)
{
	const u8 *p = pst_peek(c, 20);

	if (c->protocol != 6)
		return PST_NOT_TCP;
	if (c->at + 20 > c->limit)
		return PST_MALFORMED;
	if (!p)
		return PST_TRUNCATED;
	s->header_bytes = (u16)((p[12] >> 4) * 4U);
	if (s->header_bytes < 20 || c->at + s->header_bytes > c->limit)
		return PST_MALFORMED;
	s->source_port = pst_load16(p);
	s->target_port = pst_load16(p + 2);
	s->seq = pst_load_be32(p + 4);
	s->ack = pst_load_be32(p + 8);
	s->flags = pst_load_be16(p + 12) & 0x1ff;
	s->window = pst_load_be16(p + 14);
	s->checksum = pst_load16(p + 16);
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

	s->vlan = 0;
	s->ipv6 = false;
	r = pst_parse_link(&c, ethernet, s);
	if (r != PST_PARSED_TCP)
		return r;
	if (c.type == 0x0800)
		r = pst_parse_ipv4(&c, s);
	else if (c.type == 0x86dd)
		r = pst_parse_ipv6(&c, s);
	else
		return PST_NOT_IP;
	if (r != PST_PARSED_TCP)
		return r;
	return pst_parse_tcp(&c, s);
}

#endif
