/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a flow at a gateway: the window scale negotiated in the handshake (R7, RFC
 * 7323 section 2), the end of the data seen, and the newest ACK. "Forward" is the
 * direction of the data.
 */
#ifndef PENSTOCK_CORE_PACKET_FLOW_H
#define PENSTOCK_CORE_PACKET_FLOW_H

#include "../base.h"

#define PST_MAX_SCALE 14 /* RFC 7323 section 2.3: larger ones count as 14 */
#define PST_NO_SCALE 255 /* a SYN without the window scale option */
#define PST_LEAST_MSS_BYTES 536U /* and of a SYN without the option; RFC 9293 section 3.7.1 */
#define PST_SMALLER_SEGMENTS 64U /* as many show that segments have become smaller */
#define PST_UNUSED_TURNS 8U /* as many show that the sender reads less than it is granted */
#define PST_PROVED_TURNS 32U /* as many, that what proved the scale was a grant on another path */

struct pst_flow {
	u64 epoch;		/* interval in which data was last counted */
	u32 edge;		/* rightmost edge granted to the sender */
	u32 sent;		/* end of the rightmost data seen */
	u32 ack;		/* newest ACK */
	u32 doubted_from;	/* data beyond every edge: its first byte */
	u32 doubted_to;		/* and its end */
	u32 ramp_bytes;		/* window that R26 permits; 0 if it was not reduced */
	u32 half_edge;		/* rightmost edge of a sender that reads half of each window */
	u32 mss_bytes;		/* largest payload that a segment carries */
	u16 smaller_bytes;	/* candidate for a smaller segment size; 0 none */
	u16 smaller_count;	/* number of consecutive ones */
	u16 field_in;		/* window field of the newest ACK, as received */
	u16 field_out;		/* and as sent on */
	u16 forward_mss_bytes;	/* payload limit by the data sender's SYN; 0 none */
	u16 reverse_mss_bytes;	/* and by the data receiver's */
	u8 scale;		/* shift of the receiver's window field */
	u8 forward_scale;	/* option of the data sender's SYN */
	u8 reverse_scale;	/* option of the data receiver's SYN */
	bool scale_known;	/* both SYNs seen */
	bool has_forward_syn;
	bool has_reverse_syn;
	bool reverse_opened;	/* the data receiver sent the first SYN */
	bool has_edge;
	bool has_sent;
	bool has_ack;
	bool has_doubted;
	u8 unseen_acks;		/* of data not seen sent, since data was seen */
	bool scalable;		/* ECT(1) was seen: an L4S sender (RFC 9331) */
	bool proved;		/* data was acknowledged */
	bool contested;		/* by another handshake, another scale in its own, or new numbers */
	bool waits;		/* the newest data was full or had no PSH: its sender has more */
	bool scale_proved;	/* data beyond half_edge: no sender with a smaller scale sends it */
	bool unsaid;		/* the newest window is far more than was meant: R3 */
	u8 unused;		/* round trips since, while windows were reduced */
};

/* Forgets edges, ramp and ACKs. */
PST_FN void pst_flow_forget_acks(struct pst_flow *f)
{
	f->has_edge = false;
	f->has_ack = false;
	f->ramp_bytes = 0;
}

/* And the data seen as well; scale, MSS and interval are kept. */
PST_FN void pst_flow_restart(struct pst_flow *f)
{
	pst_flow_forget_acks(f);
	f->has_sent = false;
	f->has_doubted = false;
}

/*
 * A SYN passes. @option is its window scale shift, or PST_NO_SCALE (pass a shift of 255
 * on the wire as PST_MAX_SCALE). Scaling applies only if both SYNs carry the option.
 *
 * Of several SYNs of one side the largest shift counts, as nobody but the other end knows
 * which one it took: a receiver that varies its shift then only loses window. Hosts may
 * repeat a SYN without options; the SYN-ACK has the option only if the SYN that it
 * answers had it.
 *
 * The initiator's SYN resets the flow, because it precedes all data, even if repeated. A
 * SYN-ACK may be repeated while data flows, if the ACK for it was lost; it then changes
 * nothing, unless its option differs.
 */
PST_FN void pst_flow_on_syn(struct pst_flow *f, bool forward, u8 option)
{
	bool seen = forward ? f->has_forward_syn : f->has_reverse_syn;
	u8 before = forward ? f->forward_scale : f->reverse_scale;

	if (option != PST_NO_SCALE && option > PST_MAX_SCALE)
		option = PST_MAX_SCALE;
	if (seen && before != option)
		f->contested = true;
	if (seen && before != PST_NO_SCALE &&
	    (option == PST_NO_SCALE || option < before))
		option = before;
	if (!f->has_forward_syn && !f->has_reverse_syn)
		f->reverse_opened = !forward;
	if (forward != f->reverse_opened || (seen && before != option))
		pst_flow_restart(f);
	else if (!seen)
		pst_flow_forget_acks(f);
	if (forward) {
		f->forward_scale = option;
		f->has_forward_syn = true;
	} else {
		f->reverse_scale = option;
		f->has_reverse_syn = true;
	}
	f->scale_known = f->has_forward_syn && f->has_reverse_syn;
	f->scale = f->forward_scale == PST_NO_SCALE ||
				   f->reverse_scale == PST_NO_SCALE ?
			   0 : f->reverse_scale;
}

/*
 * A SYN passes whose pst_options_payload() is @payload_bytes. The receiver's value limits
 * the sender, and the sender's own reflects its link: the smaller one applies.
 */
PST_FN void pst_flow_on_mss(struct pst_flow *f, bool forward, u32 payload_bytes)
{
	u16 bytes = (u16)pst_min(payload_bytes, 65535);

	if (forward)
		f->forward_mss_bytes = bytes;
	else
		f->reverse_mss_bytes = bytes;
	f->mss_bytes = bytes;
	if (f->forward_mss_bytes && f->reverse_mss_bytes)
		f->mss_bytes = (u32)pst_min(f->forward_mss_bytes,
					    f->reverse_mss_bytes);
}

/* The data sender's SYN has sequence number @isn: no data has been sent. */
PST_FN void pst_flow_on_isn(struct pst_flow *f, u32 isn)
{
	if (f->has_sent)
		return;
	f->sent = isn + 1;
	f->has_sent = true;
}

/*
 * True if no sender that obeys its window sends up to @end: it is beyond every granted
 * edge, and beyond the byte of a zero-window probe (R35).
 */
PST_FN bool pst_flow_is_beyond(const struct pst_flow *f, u32 end)
{
	return f->has_edge && pst_seq_after(end, f->edge + 1);
}

/*
 * Data from @seq to @end contradicts the estimate; see pst_flow_believes(). It counts
 * once the receiver acknowledges it; until then its contiguous range is recorded.
 */
PST_FN void pst_flow_doubt(struct pst_flow *f, u32 seq, u32 end)
{
	if (!f->has_doubted || pst_seq_before(end, f->doubted_from) ||
	    pst_seq_after(seq, f->doubted_to)) {
		f->doubted_from = seq;
		f->doubted_to = end;
		f->has_doubted = true;
		return;
	}
	if (pst_seq_before(seq, f->doubted_from))
		f->doubted_from = seq;
	if (pst_seq_after(end, f->doubted_to))
		f->doubted_to = end;
}

/*
 * Data from @seq to @end passes. False if it is beyond every granted edge and therefore
 * changes nothing yet: it is forged, or its sender ignores its window, or the gateway has
 * missed a grant, after which data proves no scale. If the newest ACK covers all of it, it
 * is a spurious retransmission, or that ACK was forged.
 */
PST_FN bool pst_flow_believes(struct pst_flow *f, u32 seq, u32 end)
{
	bool is_beyond = pst_flow_is_beyond(f, end);

	f->unseen_acks = 0;
	if (is_beyond)
		f->scale_proved = false;
	if (is_beyond || (f->has_ack && !pst_seq_after(end, f->ack)))
		pst_flow_doubt(f, seq, end);
	return !is_beyond;
}

/*
 * An ACK that offers @offered_bytes passes back. If it acknowledges doubted data, and is
 * older than the newest ACK or covers data not seen, both ends know of that data and the
 * estimate was wrong: it restarts from this ACK, with no data beyond the offer. The ramp
 * is kept, or acknowledging the same data twice would release a window. The numbers may be
 * those of another connection on the same ports, whose handshake took another path: then its
 * scale is another one, which pst_flow_on_turn() finds out.
 */
PST_FN void pst_flow_settle(struct pst_flow *f, u32 ack, u64 offered_bytes)
{
	bool is_old = f->has_ack && pst_seq_before(ack, f->ack);
	bool is_unseen = f->has_sent && pst_seq_after(ack, f->sent + 1);

	if (!f->has_doubted || !(is_old || is_unseen) ||
	    !pst_seq_after(ack, f->doubted_from) ||
	    pst_seq_after(ack, f->doubted_to + 1))
		return;
	if (f->sent - ack > offered_bytes)
		f->sent = f->doubted_to;
	f->ack = ack;
	f->has_ack = false;
	f->has_doubted = false;
	f->scale_proved = false;
	f->contested = true;
}

/*
 * True if @seq is before @ack, or further ahead than the largest window, and so was set
 * by a forged segment. An acknowledged FIN may not have been seen.
 */
PST_FN bool pst_flow_is_out_of_window(const struct pst_flow *f, u32 seq, u32 ack)
{
	return seq + 1 - ack > (65535U << f->scale) + 1;
}

/*
 * A segment of @payload_bytes, less than the sender's known segment size. If many have
 * this size while several are in flight, the path MTU has decreased (RFC 8201), and
 * windows in segments of the old size would be too large. Small writes of an application
 * look different: their size varies, or nothing else is in flight.
 */
PST_FN void pst_flow_on_smaller(struct pst_flow *f, u32 payload_bytes)
{
	if (payload_bytes < PST_LEAST_MSS_BYTES || !f->has_ack ||
	    !pst_seq_after(f->sent, f->ack + 4 * payload_bytes))
		return;
	if (payload_bytes != f->smaller_bytes) {
		f->smaller_bytes = (u16)payload_bytes;
		f->smaller_count = 0;
	}
	if (++f->smaller_count < PST_SMALLER_SEGMENTS)
		return;
	f->mss_bytes = payload_bytes;
	f->smaller_count = 0;
}

/*
 * A trusted segment with @payload_bytes of data from @seq passes forward. For a GSO
 * packet it is the last segment, whose end is that of all, and whose length is the
 * sender's segment size. Segments larger than the handshake announced, or persistently
 * smaller, update the segment size.
 */
PST_FN void pst_flow_take_data(struct pst_flow *f, u32 seq, u32 payload_bytes)
{
	u32 end = seq + payload_bytes;

	if (!f->has_sent || pst_seq_after(end, f->sent)) {
		f->sent = end;
		f->has_sent = true;
		if (f->has_edge && pst_seq_after(end, f->half_edge + 1)) {
			f->scale_proved = true;
			f->unused = 0;
		}
	}
	if (payload_bytes >= f->mss_bytes) {
		f->mss_bytes = payload_bytes;
		f->smaller_count = 0;
	} else {
		pst_flow_on_smaller(f, payload_bytes);
	}
}

/*
 * A round trip after a window was granted. A sender that has more to send and never uses
 * half of what it is granted reads it with a smaller scale than the handshake had, which was
 * forged then: the flow passes (R8). A congestion window may limit others to as little, and
 * so this holds only for flows whose handshake somebody contests. A proof of the scale
 * counts for PST_PROVED_TURNS, as the sender may have had a grant that the gateway missed.
 */
PST_FN void pst_flow_on_turn(struct pst_flow *f)
{
	if (!f->contested || !f->waits || !f->scale || !f->ramp_bytes)
		return;
	if (++f->unused >= (f->scale_proved ? PST_PROVED_TURNS : PST_UNUSED_TURNS))
		f->scale_known = false;
}

/* A segment with @payload_bytes of data from @seq passes forward. */
PST_FN void pst_flow_on_data(struct pst_flow *f, u32 seq, u32 payload_bytes)
{
	if (pst_flow_believes(f, seq, seq + payload_bytes))
		pst_flow_take_data(f, seq, payload_bytes);
}

#endif
