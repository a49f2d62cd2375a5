/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From "bytes the method allows" to the window field that leaves the gateway.
 *
 * The rules that every method obeys, in the order they are applied:
 *   R6  SYN windows are unscaled: untouched.
 *   R8  unknown scale: untouched.
 *   R5  a zero window, and so a re-opening, is the receiver's: passes.
 *   R11 an ACK older than the newest changes no state.
 *   R9  a duplicate pure ACK keeps the field last sent, unless the receiver's
 *       own field changed (RFC 5681 section 2, clause e).
 *   R4  at least one whole segment, rounded up to the granule.
 *   R2  the right edge does not go left of data that was seen sent (safe), or
 *       of any edge granted before (strict). RFC 9293 section 3.8.6.
 *   R3  the field is rounded up to the granule 2^scale.
 *   R1  never more than the receiver offered.
 * `literal` keeps to R1, R3, R5, R6 and R8 and the method's own minimum.
 */
#ifndef PENSTOCK_CORE_REWRITE_WINDOW_H
#define PENSTOCK_CORE_REWRITE_WINDOW_H

#include "../packet/flow.h"

enum pst_mode {
	PST_SAFE,
	PST_STRICT,
	PST_LITERAL,
};

/* Which rule had the last word; PST_BY_METHOD where none had to step in. */
enum pst_limit {
	PST_BY_RECEIVER,	/* R1: the method allowed all that was offered */
	PST_BY_METHOD,
	PST_BY_FLOOR,		/* R4 */
	PST_BY_EDGE,		/* R2 */
	PST_BY_FREEZE,		/* R9 */
	PST_BY_OLD_ACK,		/* R11 */
	PST_BY_ZERO,		/* R5 */
	PST_BY_SYN,		/* R6 */
	PST_BY_UNKNOWN_SCALE,	/* R8 */
	PST_LIMIT_COUNT,
};

struct pst_rewrite {
	u16 field;		/* the window field to send */
	u8 limit;		/* enum pst_limit */
};

/* An ACK's header fields as they stand on the wire, host byte order. */
struct pst_ack_header {
	u32 ack;
	u16 field;
	bool syn;
	bool pure;		/* no payload, no SYN, FIN or RST */
};

/* The smallest window a method may leave: one segment, whole granules (R4). */
PST_FN u64 pst_floor_bytes(const struct pst_flow *f)
{
	return pst_round_up(f->mss_bytes, 1ULL << f->scale);
}

/* Bytes that the right edge must still cover, by @mode (R2); 0 when none. */
PST_FN u64 pst_edge_bytes(const struct pst_flow *f, u32 mode, u32 ack)
{
	u32 edge = mode == PST_STRICT ? f->edge : f->sent;
	bool known = mode == PST_STRICT ? f->has_edge : f->has_sent;

	if (mode == PST_LITERAL || !known || !pst_seq_after(edge, ack))
		return 0;
	return edge - ack;
}

/*
 * True if this ACK's window is not the gateway's to change; *@out says why.
 * To be asked before the method is: such an ACK must not feed its averages.
 */
PST_FN bool pst_rewrite_bypassed(const struct pst_flow *f, u32 mode,
				 const struct pst_ack_header *h,
				 struct pst_rewrite *out)
{
	out->field = h->field;
	if (h->syn) {
		out->limit = PST_BY_SYN;
	} else if (!f->scale_known) {
		out->limit = PST_BY_UNKNOWN_SCALE;
	} else if (!h->field) {
		out->limit = PST_BY_ZERO;
	} else if (mode == PST_LITERAL || !f->has_ack) {
		return false;
	} else if (pst_seq_before(h->ack, f->ack)) {
		out->limit = PST_BY_OLD_ACK;
		out->field = f->field_out && f->field_out < h->field ?
				     f->field_out : h->field;
	} else if (h->pure && h->ack == f->ack && h->field == f->field_in) {
		out->limit = PST_BY_FREEZE;
		out->field = f->field_out;
	} else {
		return false;
	}
	return true;
}

/* The window field for an ACK of which the method allows @allowed_bytes. */
PST_FN struct pst_rewrite pst_rewrite_window(const struct pst_flow *f, u32 mode,
					     const struct pst_ack_header *h,
					     u64 allowed_bytes)
{
	struct pst_rewrite out = { h->field, PST_BY_METHOD };
	u64 granule = 1ULL << f->scale;
	u64 offered = (u64)h->field << f->scale;
	u64 bytes = allowed_bytes;

	if (mode != PST_LITERAL && bytes < pst_floor_bytes(f)) {
		bytes = pst_floor_bytes(f);
		out.limit = PST_BY_FLOOR;
	}
	if (bytes < pst_edge_bytes(f, mode, h->ack)) {
		bytes = pst_edge_bytes(f, mode, h->ack);
		out.limit = PST_BY_EDGE;
	}
	if (bytes >= offered) {
		if (out.limit == PST_BY_METHOD)
			out.limit = PST_BY_RECEIVER;
		return out;
	}
	out.field = (u16)((bytes + granule - 1) >> f->scale);
	return out;
}

/* Remembers an ACK and what was sent in its place; not for old ACKs (R11). */
PST_FN void pst_rewrite_commit(struct pst_flow *f,
			       const struct pst_ack_header *h, u16 field_out)
{
	u32 edge;

	if (f->has_ack && pst_seq_before(h->ack, f->ack))
		return;
	edge = h->ack + ((u32)field_out << (h->syn ? 0 : f->scale));
	if (!f->has_edge || pst_seq_after(edge, f->edge))
		f->edge = edge;
	f->ack = h->ack;
	f->field_in = h->field;
	f->field_out = field_out;
	f->has_edge = true;
	f->has_ack = true;
}

#endif
