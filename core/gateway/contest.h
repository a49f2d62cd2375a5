/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connections with the same addresses and ports, distinguished by their sequence numbers
 * (R7, R35). A handshake proves only that three packets were sent, perhaps by an off-path
 * attacker. A completed handshake therefore does not replace a connection that is still
 * open: both are kept, and each segment is assigned to the connection whose sequence
 * numbers contain it. The genuine one continues, old or new.
 *
 * The host keeps up to PST_CONTENDERS of them, and asks these functions for each.
 */
#ifndef PENSTOCK_CORE_GATEWAY_CONTEST_H
#define PENSTOCK_CORE_GATEWAY_CONTEST_H

#include "../packet/ends.h"

/* A connection with acknowledged data, one that took its place, and a new one. */
#define PST_CONTENDERS 3U

/* A window without scale: the least that counts as a flow's numbers, as windows vary. */
#define PST_LEAST_CLAIM_BYTES 65535U

/* How well a segment fits: the first of these decides, and then what is below it. */
#define PST_FITS (1ULL << 63)
#define PST_PROVED (1ULL << 62)
#define PST_SEEN_UNIT 30 /* of 2^30 ns, about a second */
#define PST_CLAIM_BITS 27 /* of claims in units of 16 bytes: at most 2^30 bytes */

/* On each side of the newest ACK: what may be sent, or was and may be repeated. */
PST_FN u32 pst_contest_claim_bytes(const struct pst_flow *f)
{
	u32 sent_bytes = f->sent - f->ack, edge_bytes = f->edge - f->ack;

	if (!f->has_edge)
		return PST_LEAST_CLAIM_BYTES;
	if (pst_seq_after(edge_bytes, sent_bytes))
		sent_bytes = edge_bytes;
	return pst_seq_after(sent_bytes, PST_LEAST_CLAIM_BYTES) ? sent_bytes :
								  PST_LEAST_CLAIM_BYTES;
}

/* The standing of a flow among contenders: the lowest gives way to a new one. 0 if over. */
PST_FN u64 pst_contest_standing(const struct pst_flow *f, const struct pst_ends *e,
				u64 seen_ns)
{
	if (e->over)
		return 0;
	return (f->proved ? PST_PROVED : 0) | pst_clamp(seen_ns, 1, PST_PROVED - 1);
}

/*
 * How well @s fits a flow that was seen last at @seen_ns; the flow with the highest value
 * has it. Among flows whose numbers contain @s, a flow with acknowledged data comes first;
 * then the flow seen last, as a long transfer uses every number once; then the flow with
 * the smaller range, which @s fits less likely by chance. If it fits none (0), the segment
 * passes: a guess might teach a forged flow the numbers of the genuine one. @numbered is
 * false for a flow that passes, whose numbers the host does not follow.
 */
PST_FN u64 pst_contest_fit(const struct pst_flow *f, const struct pst_ends *e, bool numbered,
			   u64 seen_ns, const struct pst_segment *s, bool forward)
{
	u32 number = forward ? s->seq : s->ack;
	u32 from = f->has_edge ? f->ack : f->sent;
	u32 claim_bytes = pst_contest_claim_bytes(f);
	u64 fit = PST_FITS | pst_min(seen_ns, PST_PROVED - 1) >> PST_SEEN_UNIT << PST_CLAIM_BITS;

	PST_ENSURE(claim_bytes >= PST_LEAST_CLAIM_BYTES && claim_bytes >> 31 == 0);
	if (f->proved && !e->over)
		fit |= PST_PROVED;
	if (!numbered)
		return fit;
	if (!forward && (s->flags & PST_TCP_RST))
		return pst_ends_reset(e, f, false, s->seq) ? fit : 0;
	if (number - from + claim_bytes + 1 > 2 * claim_bytes + 2)
		return 0;
	return fit | ((1U << PST_CLAIM_BITS) - 1 - (claim_bytes >> 4));
}

#endif
