/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connections with the same addresses and ports, told apart by their numbers (R7, R35). A
 * handshake proves only that three packets were sent, perhaps by somebody who sees none of
 * the connection whose ends they name. So one that completes replaces no connection that
 * has not ended: it stands beside it, and each segment belongs to the one among whose
 * numbers it is. Whichever is genuine goes on, the old one or the new.
 *
 * The host keeps up to PST_CONTENDERS of them, and asks these functions for each.
 */
#ifndef PENSTOCK_CORE_GATEWAY_CONTEST_H
#define PENSTOCK_CORE_GATEWAY_CONTEST_H

#include "../packet/ends.h"

/* One that has proved itself, one that took its place, and one that is new. */
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

/* The standing of a flow beside others: the least gives way to a new one. 0 if it is over. */
PST_FN u64 pst_contest_standing(const struct pst_flow *f, const struct pst_ends *e,
				u64 seen_ns)
{
	if (e->over)
		return 0;
	return (f->proved ? PST_PROVED : 0) | pst_clamp(seen_ns, 1, PST_PROVED - 1);
}

/*
 * How well @s fits a flow that was seen last at @seen_ns; the highest has it. Of flows whose
 * numbers it is among, one whose data was acknowledged comes first; then the one seen last,
 * as a long transfer uses every number once; and then the one with fewer of them, which it
 * fits less likely by chance. Where it fits none (0), it passes: a guess might teach a forged
 * flow the numbers of the genuine one. @numbered is false for a flow that passes, whose
 * numbers the host does not follow: it may be any of them.
 */
PST_FN u64 pst_contest_fit(const struct pst_flow *f, const struct pst_ends *e, bool numbered,
			   u64 seen_ns, const struct pst_segment *s, bool forward)
{
	u32 number = forward ? s->seq : s->ack;
	u32 from = f->has_edge ? f->ack : f->sent;
	u32 claim_bytes = pst_contest_claim_bytes(f);
	u64 fit = PST_FITS | pst_min(seen_ns, PST_PROVED - 1) >> PST_SEEN_UNIT << PST_CLAIM_BITS;

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
