/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From "bytes the method allows" to the window field that leaves the gateway.
 *
 * The rules for all methods, in the order in which they apply:
 *   R6  SYN windows are unscaled and unchanged, except that of a SYN-ACK, if the law sets
 *       it: at least two segments, and R26 applies from then on. Repeated after the
 *       first data, it carries the same window again.
 *   R8  unknown scale: unchanged.
 *   R35 an ACK of data that was not seen is forged, or the data took another path:
 *       it changes no state (RFC 5961 section 5), and carries at most the newest
 *       window, as long as data is seen. Data beyond every edge changes no state
 *       until it is acknowledged; data below the newest ACK proves that ACK forged
 *       if an older ACK acknowledges it (pst_flow_settle()).
 *   R5  a zero window is the receiver's: passes unchanged. Its re-opening is not frozen
 *       (R9), and only the law limits it.
 *   R11 an ACK older than the newest changes no state. It carries the newest
 *       field, or more if R2 requires it: the newest may be lost.
 *   R9  a duplicate pure ACK keeps the field last sent, unless the receiver's
 *       own field grew (RFC 5681 section 2, clause e).
 *   R10 a pure ACK that acknowledges nothing and offers less is ignored by senders
 *       (RFC 9293 section 3.10.7.4), so it changes no state.
 *   R26 a window that the gateway has reduced grows by at most the bytes that
 *       this ACK acknowledges, so the edge moves by at most two per byte, as in
 *       slow start. An open cwnd is thus not released as a burst (RFC 7661).
 *   R4  at least one whole segment, rounded up to the granule; never zero.
 *   R2  the right edge does not move left of data that was seen (safe), or
 *       of any edge granted before (strict). RFC 9293 section 3.8.6.
 *   R3  the field is rounded up to the granule 2^scale.
 *   R1  never more than the receiver offered.
 * `literal` applies only R1, R3, R5, R6 and R8, never zero, and the method's minimum.
 */
#ifndef PENSTOCK_CORE_REWRITE_WINDOW_H
#define PENSTOCK_CORE_REWRITE_WINDOW_H

#include "../packet/flow.h"
#include "limits.h"

/* How windows are written: M(name, NAME, text). */
#define PST_MODES(M)                                                          \
	M(safe, SAFE,                                                         \
	  "all rules; the right edge does not move left of data that was seen") \
	M(strict, STRICT, "all rules; the right edge never moves left")       \
	M(literal, LITERAL,                                                   \
	  "the window as the paper defines it, within the limits of TCP")

#define PST_ENUM(name, NAME, help) PST_##NAME,
enum pst_mode {
	PST_MODES(PST_ENUM)
	PST_MODE_COUNT,
};
#undef PST_ENUM

struct pst_rewrite {
	u16 field;		/* the window field to send */
	u8 limit;		/* enum pst_limit */
};

/*
 * The header fields of a segment with the ACK flag, in host byte order. A SYN without ACK
 * only goes to pst_flow_on_syn().
 */
struct pst_ack_header {
	u32 ack;
	u16 field;
	bool syn;
	bool pure;		/* no payload, no SYN, FIN or RST */
};

/* The smallest window by R4, whole granules; in literal mode any but 0. */
PST_FN u64 pst_floor_bytes(const struct pst_flow *f, u32 mode)
{
	if (mode == PST_LITERAL)
		return 1;
	return pst_round_up(pst_max(f->mss_bytes, 1), 1ULL << f->scale);
}

/* Bytes that the right edge must still cover, by @mode (R2); 0 if none. */
PST_FN u64 pst_edge_bytes(const struct pst_flow *f, u32 mode, u32 ack)
{
	u32 edge = mode == PST_STRICT ? f->edge : f->sent;
	bool known = mode == PST_STRICT ? f->has_edge : f->has_sent;

	if (mode == PST_LITERAL || !known || !pst_seq_after(edge, ack))
		return 0;
	return edge - ack;
}

/* The largest window that R26 permits; the limit of the offer where R26 does not apply. */
PST_FN u64 pst_ramp_bytes(const struct pst_flow *f, u32 mode, u32 ack)
{
	if (mode == PST_LITERAL || !f->ramp_bytes)
		return PST_MAX_BYTES;
	return (u64)f->ramp_bytes + (ack - f->ack);
}

/* After this many ACKs of unseen data, without data in between, the path is another one. */
#define PST_UNSEEN_ACKS 255

/* @bytes as a field, rounded up (R3) and at most @offered_field (R1). */
PST_FN u16 pst_field_of(const struct pst_flow *f, u64 bytes, u16 offered_field)
{
	u64 field = (bytes + (1ULL << f->scale) - 1) >> f->scale;

	PST_REQUIRE(f->scale <= PST_MAX_SCALE && bytes <= PST_MAX_BYTES);
	return (u16)pst_min(field, offered_field);
}

/* The newest window, at least R4's minimum, because it may have been forged. */
PST_FN u64 pst_newest_bytes(const struct pst_flow *f, u32 mode)
{
	return pst_max((u64)f->field_out << f->scale, pst_floor_bytes(f, mode));
}

/*
 * The field of an ACK of unseen data. The sender may have sent that data and then accepts
 * the window: it is at most the newest, or a receiver could evade control by
 * acknowledging data in advance.
 */
PST_FN u16 pst_unseen_field(const struct pst_flow *f, u32 mode,
			    const struct pst_ack_header *h)
{
	if (!f->has_ack || !f->field_out || f->unseen_acks >= PST_UNSEEN_ACKS)
		return h->field;
	return pst_field_of(f, pst_newest_bytes(f, mode), h->field);
}

/* The field of an ACK older than the newest (R11, R2, R1). */
PST_FN u16 pst_old_ack_field(const struct pst_flow *f, u32 mode,
			     const struct pst_ack_header *h)
{
	if (!f->field_out)
		return h->field;
	return pst_field_of(f, pst_max(pst_newest_bytes(f, mode),
				       pst_edge_bytes(f, mode, h->ack)),
			    h->field);
}

/*
 * True if the sender ignores this segment's window: it acknowledges nothing new, carries
 * no data, and offers no more than the previous one (R9, R10).
 */
PST_FN bool pst_is_ignored(const struct pst_flow *f,
			   const struct pst_ack_header *h)
{
	return f->has_ack && h->pure && h->ack == f->ack &&
	       h->field <= f->field_in;
}

/* True if @h acknowledges unseen data (R35); one sequence number more may be a FIN. */
PST_FN bool pst_is_unseen(const struct pst_flow *f, const struct pst_ack_header *h)
{
	return f->has_sent && pst_seq_after(h->ack, f->sent + 1);
}

/* True if @h is neither ahead of the data nor behind the newest ACK (R11, R35). */
PST_FN bool pst_is_current(const struct pst_flow *f, const struct pst_ack_header *h)
{
	return !pst_is_unseen(f, h) &&
	       !(f->has_ack && pst_seq_before(h->ack, f->ack));
}

/*
 * True if the gateway must not change this ACK's window; *@out has the reason. Call it
 * before the method: such an ACK must not feed its averages.
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
	} else if (pst_is_unseen(f, h)) {
		out->limit = PST_BY_UNSEEN;
		out->field = pst_unseen_field(f, mode, h);
	} else if (!h->field) {
		out->limit = PST_BY_ZERO;
	} else if (mode == PST_LITERAL || !f->has_ack) {
		return false;
	} else if (pst_seq_before(h->ack, f->ack)) {
		out->limit = PST_BY_OLD_ACK;
		out->field = pst_old_ack_field(f, mode, h);
	} else if (pst_is_ignored(f, h)) {
		out->limit = PST_BY_FREEZE;
		out->field = (u16)pst_min(f->field_out, h->field);
	} else {
		return false;
	}
	return true;
}

#define PST_UNSAID_TENTHS 13U	/* of what is meant, or of a segment: more than shares differ */

/*
 * True if the granule of the scale is too coarse to say @allowed_bytes, or a segment if that is
 * more: what such a window lets out is then held otherwise, as data beyond every window is (R36).
 */
PST_FN bool pst_is_unsaid(const struct pst_flow *f, u64 allowed_bytes)
{
	u64 meant_bytes = pst_max(allowed_bytes, pst_max(f->mss_bytes, 1));
	u64 granule_bytes = 1ULL << f->scale;

	/* What is rounded up lacks less than a granule. */
	if (meant_bytes >= 4 * granule_bytes)
		return false;
	/* One segment and no other whole one, as with the scale 10 of current receivers. */
	if (meant_bytes <= f->mss_bytes && granule_bytes <= f->mss_bytes)
		return false;
	return 10 * pst_round_up(meant_bytes, granule_bytes) > PST_UNSAID_TENTHS * meant_bytes;
}

/* The window field for an ACK for which the method allows @allowed_bytes. */
PST_FN struct pst_rewrite pst_rewrite_window(const struct pst_flow *f, u32 mode,
					     const struct pst_ack_header *h,
					     u64 allowed_bytes)
{
	struct pst_rewrite out = { h->field, PST_BY_METHOD };
	u64 floor_bytes = pst_floor_bytes(f, mode);
	u64 edge_bytes = pst_edge_bytes(f, mode, h->ack);
	u64 ramp_bytes = pst_ramp_bytes(f, mode, h->ack) >> f->scale << f->scale;
	u64 bytes = allowed_bytes;

	if (bytes > ramp_bytes) {
		bytes = ramp_bytes;
		out.limit = PST_BY_RAMP;
	}
	if (bytes < floor_bytes) {
		bytes = floor_bytes;
		out.limit = PST_BY_FLOOR;
	}
	if (bytes < edge_bytes) {
		bytes = edge_bytes;
		out.limit = PST_BY_EDGE;
	}
	if (bytes < (u64)h->field << f->scale)
		out.field = pst_field_of(f, bytes, h->field);
	else if (out.limit == PST_BY_METHOD || out.limit == PST_BY_RAMP)
		out.limit = PST_BY_RECEIVER;
	PST_ENSURE(out.field <= h->field);			/* R1 */
	PST_ENSURE((h->field == 0) == (out.field == 0));	/* R4, R5 */
	return out;
}

/*
 * True if the law may bound the first flight by this SYN-ACK's window: the sender's own
 * SYN was seen, and no data yet.
 */
PST_FN bool pst_flow_opens(const struct pst_flow *f, u32 mode)
{
	return mode != PST_LITERAL && f->has_forward_syn && !f->reverse_opened &&
	       !f->has_ack;
}

/* The field of such a SYN-ACK, unscaled; at least two segments. */
PST_FN struct pst_rewrite pst_rewrite_opening(const struct pst_flow *f,
					      const struct pst_ack_header *h,
					      u64 allowed_bytes)
{
	struct pst_rewrite out = { h->field, PST_BY_RECEIVER };
	u64 floor_bytes = 2 * pst_max(f->mss_bytes, 1);

	if (pst_max(allowed_bytes, floor_bytes) >= h->field)
		return out;
	out.limit = allowed_bytes < floor_bytes ? PST_BY_FLOOR : PST_BY_METHOD;
	out.field = (u16)pst_max(allowed_bytes, floor_bytes);
	PST_ENSURE(out.field < h->field);
	return out;
}

/*
 * The ramp after this ACK. While it determines the window, it keeps the bytes that
 * rounding down to the granule has withheld.
 */
PST_FN u32 pst_ramp_after(const struct pst_flow *f,
			  const struct pst_ack_header *h, u16 field_out)
{
	u64 ramp_bytes = pst_ramp_bytes(f, PST_SAFE, h->ack);

	if (field_out >= h->field)
		return 0;
	if (h->syn)
		return field_out;
	if (ramp_bytes >> f->scale != field_out)
		ramp_bytes = (u64)field_out << f->scale;
	return (u32)ramp_bytes;
}

/*
 * Records an ACK and the field sent in its place, unless the sender ignores it as well:
 * it is old (R11), or repeats the newest without offering more (R10); then only its edge
 * may count, which in literal mode may be further right. Of a SYN only the edge counts,
 * and before the first ACK the ramp: its unscaled field does not apply to later ones.
 */
PST_FN void pst_rewrite_commit(struct pst_flow *f,
			       const struct pst_ack_header *h, u16 field_out)
{
	u32 scale = h->syn ? 0U : f->scale;
	u32 edge, half_edge;

	if (pst_is_unseen(f, h)) {
		if (f->unseen_acks < PST_UNSEEN_ACKS)
			f->unseen_acks++;
		return;
	}
	if (f->has_ack && pst_seq_before(h->ack, f->ack))
		return;
	edge = h->ack + ((u32)field_out << scale);
	if (!h->syn && f->has_edge && h->ack != f->ack)
		f->proved = true;
	half_edge = h->syn ? edge : h->ack + ((u32)field_out << scale) / 2;
	if (!f->has_edge || pst_seq_after(half_edge, f->half_edge))
		f->half_edge = half_edge;
	if (!f->has_edge || pst_seq_after(edge, f->edge) ||
	    pst_flow_is_out_of_window(f, f->edge, h->ack))
		f->edge = edge;
	f->has_edge = true;
	if (pst_flow_is_out_of_window(f, f->sent, h->ack))
		f->sent = h->ack;
	if (!h->syn && pst_is_ignored(f, h))
		return;
	if (h->syn && f->has_ack)
		return;
	f->ramp_bytes = pst_ramp_after(f, h, field_out);
	f->ack = h->ack;
	if (h->syn)
		return;
	f->field_in = h->field;
	f->field_out = field_out;
	f->has_ack = true;
}

#endif
