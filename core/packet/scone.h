/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The packets of SCONE (draft-ietf-scone-protocol-08): a QUIC long header, first in its UDP
 * datagram and before another QUIC packet, in which a network element writes the rate that it
 * advises for the direction of the packet.
 *
 *   byte 0        1, a reserved bit, the upper six bits of the signal
 *   bytes 1 .. 4  the version, whose first bit is the signal's lowest
 *   then          length and bytes of the destination's connection ID, and of the source's
 *
 *   rate(n) = 100 kbit/s * 10^(n/20), for n in 0 .. 126; 127 is no advice
 */
#ifndef PENSTOCK_CORE_PACKET_SCONE_H
#define PENSTOCK_CORE_PACKET_SCONE_H

#include "parse.h"

/* Section "SCONE Versions" of the draft: V(signals, number). */
#define PST_SCONE_VERSIONS(V) \
	V(even, 0x6f7dc0fdU)  \
	V(odd, 0xef7dc0fdU)

#define PST_SCONE_UNKNOWN 127U
#define PST_SCONE_MOST 126U
#define PST_SCONE_LONG_HEADER 0x80
#define PST_SCONE_SHIFT 7 /* of the signal, in the first two bytes */

/* Rates of the signals 1 .. 19 in bit/s, rounded up; the others' are these times 10, 100, ... */
#define PST_SCONE_STEPS(S)                                                    \
	S(112202) S(125893) S(141254) S(158490) S(177828) S(199527) S(223873) \
	S(251189) S(281839) S(316228) S(354814) S(398108) S(446684) S(501188) \
	S(562342) S(630958) S(707946) S(794329) S(891251)

#define PST_SCONE_DECADES 6
#define PST_SCONE_STEPS_OF_DECADE 20U
#define PST_SCONE_DECADE_BPS 1000000U

/* The header of UDP and the first bytes of its payload, up to the length of the first ID. */
#define PST_UDP_BYTES 8U
#define PST_UDP_LENGTH_AT 4U
#define PST_UDP_CHECKSUM_AT 6U
#define PST_SCONE_HEAD_BYTES 14U

struct pst_scone_datagram {
	struct pst_segment ends;	/* of it: addresses, tags, session, ipv6; and the ports */
	u32 udp_offset;
	u32 room_bytes;			/* from there to the end of the IP packet */
};

/* Finds the UDP header of a whole packet; false if there is none. */
PST_FN bool pst_scone_find(const u8 *data, const u8 *end, u32 wire_bytes, bool ethernet,
			   struct pst_scone_datagram *d)
{
	struct pst_cursor c = { data, end, 0, wire_bytes, 0, 0, 0 };
	enum pst_parsed r = pst_parse_link(&c, ethernet, &d->ends);

	if (r == PST_PARSED_TCP && c.type == PST_ETHERTYPE_IPV4)
		r = pst_parse_ipv4(&c, &d->ends);
	else if (r == PST_PARSED_TCP && c.type == PST_ETHERTYPE_IPV6)
		r = pst_parse_ipv6(&c, &d->ends);
	else
		return false;
	if (r != PST_PARSED_TCP || c.protocol != PST_IP_UDP || c.at >= c.limit)
		return false;
	d->udp_offset = c.at;
	d->room_bytes = c.limit - c.at;
	return true;
}

/* Two bytes, or four, of the copy of a packet that BPF's stack holds: only byte loads fit it. */
PST_FN u16 pst_scone_be16(const u8 *p)
{
	return (u16)(p[0] << 8 | p[1]);
}

PST_FN u32 pst_scone_be32(const u8 *p)
{
	return (u32)pst_scone_be16(p) << 16 | pst_scone_be16(p + 2);
}

PST_FN bool pst_scone_is_version(u32 version)
{
#define PST_IS_VERSION(signals, number) || version == (number)
	return false PST_SCONE_VERSIONS(PST_IS_VERSION);
#undef PST_IS_VERSION
}

/* The ports of a datagram with @head, the PST_SCONE_HEAD_BYTES from its UDP header on. */
PST_FN void pst_scone_ports(const u8 *head, struct pst_segment *ends)
{
	ends->source_port = PST_BE16(pst_scone_be16(head));
	ends->target_port = PST_BE16(pst_scone_be16(head + 2));
}

/* True if a datagram with this head is SCONE's. */
PST_FN bool pst_scone_begins(const u8 *head, u32 room_bytes)
{
	u32 udp_bytes = pst_scone_be16(head + PST_UDP_LENGTH_AT);

	return udp_bytes >= PST_SCONE_HEAD_BYTES && udp_bytes <= room_bytes &&
	       (head[PST_UDP_BYTES] & PST_SCONE_LONG_HEADER) &&
	       pst_scone_is_version(pst_scone_be32(head + PST_UDP_BYTES + 1));
}

/* Where the length of the source's connection ID is, from the UDP header on. */
PST_FN u32 pst_scone_source_at(const u8 *head)
{
	return PST_SCONE_HEAD_BYTES + head[PST_SCONE_HEAD_BYTES - 1];
}

/*
 * True if both IDs end inside the datagram, and something follows: receivers ignore the
 * signal of a datagram without another packet.
 */
PST_FN bool pst_scone_is_whole(const u8 *head, u32 source_id_bytes)
{
	return pst_scone_source_at(head) + 1 + source_id_bytes <
	       pst_scone_be16(head + PST_UDP_LENGTH_AT);
}

/* The signal in the first two bytes of a packet, as a number in host byte order. */
PST_FN u32 pst_scone_signal(u16 word)
{
	return (u32)word >> PST_SCONE_SHIFT & PST_SCONE_UNKNOWN;
}

PST_FN u16 pst_scone_with(u16 word, u32 signal)
{
	return (u16)((word & ~(PST_SCONE_UNKNOWN << PST_SCONE_SHIFT)) |
		     signal << PST_SCONE_SHIFT);
}

/* The highest signal whose rate is no more than @bps; 0 below its rate as well. */
PST_FN u32 pst_scone_signal_of(u64 bps)
{
	u32 signal = 0;
	int i;

	for (i = 0; i < PST_SCONE_DECADES && bps >= PST_SCONE_DECADE_BPS; i++) {
		bps /= 10;
		signal += PST_SCONE_STEPS_OF_DECADE;
	}
#define PST_STEP(at_bps) signal += bps >= (at_bps);
	PST_SCONE_STEPS(PST_STEP)
#undef PST_STEP
	return (u32)pst_min(signal, PST_SCONE_MOST);
}

#endif
