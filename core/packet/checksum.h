/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Verifies the checksum of a segment (RFC 9293 section 3.1).
 *
 * There are two special cases with offloads. A segment that the device or GRO has
 * verified is not verified again; the host knows which those are. A segment whose
 * checksum will be completed at transmission (CHECKSUM_PARTIAL: of this host, or a GRO
 * packet) holds only the sum of the pseudo-header; it cannot have been corrupted yet and
 * counts as correct. One corrupted segment in 65,536 looks the same, and its receiver
 * drops it.
 */
#ifndef PENSTOCK_CORE_PACKET_CHECKSUM_H
#define PENSTOCK_CORE_PACKET_CHECKSUM_H

#include "parse.h"

/* A one's complement sum folded to 16 bits; 0 only for a sum of 0. */
PST_FN u16 pst_checksum_fold(u64 sum)
{
	sum = (sum & 0xffffffffULL) + (sum >> 32);
	sum = (sum & 0xffff) + ((sum >> 16) & 0xffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (u16)sum;
}

/*
 * The sum of the pseudo-header, in wire order. The prefix of an IPv4-mapped address adds
 * 0xffff, which is one's complement's other zero.
 */
PST_FN u64 pst_checksum_pseudo(const struct pst_segment *s)
{
	u64 sum = PST_BE32(6U) + (u64)PST_BE32(s->header_bytes + s->payload_bytes);
	int i;

	for (i = s->ipv6 ? 0 : 3; i < 4; i++)
		sum += (u64)s->source[i] + s->target[i];
	return sum;
}

/* True if the device will complete the checksum. */
PST_FN bool pst_checksum_is_partial(const struct pst_segment *s)
{
	return s->checksum == pst_checksum_fold(pst_checksum_pseudo(s));
}

/* True if it is correct; @segment_sum is that of TCP header and payload, in wire order. */
PST_FN bool pst_checksum_holds(const struct pst_segment *s, u32 segment_sum)
{
	return pst_checksum_fold(pst_checksum_pseudo(s) + segment_sum) == 0xffff;
}

#endif
