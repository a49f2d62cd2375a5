/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Delayed ACKs, for more flows than path and queue hold segments: no window is less than
 * one segment. The data that an ACK releases is booked on a clock, which runs at a rate set
 * by the law, about the link's rate; the ACK leaves at its booked time. N flows then send N
 * segments in a round of N * L / C. The ACK before a first flight is booked with that
 * flight, and may be delayed where other ACKs are only booked.
 *
 * An ACK waits at most 50 ms longer than the flow's ACK before. A sender's timeout is its
 * smoothed RTT and 200 ms, or more (RFC 6298 with Linux' minimum). The smoothed RTT
 * follows by an eighth per sample, and four times the variation soon exceeds the 200 ms;
 * while the round grows by 50 ms at a time, 64 ms remain for queues and receivers that
 * delay their ACKs. A SYN-ACK may wait longer: no timeout for data runs yet, and a SYN is
 * repeated for longer than that.
 *
 * For hosts that can delay an ACK; passage_back.h books each.
 */
#ifndef PENSTOCK_CORE_GATEWAY_PACE_H
#define PENSTOCK_CORE_GATEWAY_PACE_H

#include "state.h"

#define PST_PACE_STEP_NS 50000000ULL
#define PST_PACE_MOST_NS (10 * PST_NS_PER_S)
#define PST_PACE_FIRST_SEGMENTS 10U /* RFC 6928 */

struct pst_pace {
	u64 turn_ns;		/* when all booked data will have been released */
};

struct pst_pace_flow {
	u64 release_ns;		/* of the last ACK */
	u64 hold_ns;		/* of the last ACK that was booked */
	u32 booked;		/* end of what it was booked for */
	bool has_booked;
	bool waits;		/* the ACK that is booked now, for its turn */
};

/* Bytes in whole segments that @h, sent on with @field, releases and that are not booked yet. */
PST_FN u64 pst_pace_let_out(struct pst_pace_flow *p, const struct pst_flow *f,
			    const struct pst_ack_header *h, u32 field)
{
	u64 window_bytes = (u64)field << (h->syn ? 0 : f->scale);
	u32 mss_bytes = (u32)pst_max(f->mss_bytes, 1);
	u32 from = h->ack, to, bytes;

	if (h->syn)
		window_bytes = pst_min(window_bytes, (u64)PST_PACE_FIRST_SEGMENTS *
							     mss_bytes);
	to = h->ack + (u32)window_bytes;
	if (f->has_sent && pst_seq_after(f->sent, from))
		from = f->sent;
	if (p->has_booked && pst_seq_after(p->booked, from))
		from = p->booked;
	if (!pst_seq_after(to, from))
		return 0;
	bytes = (to - from) / mss_bytes * mss_bytes;
	p->booked = from + bytes;
	p->has_booked = true;
	PST_ENSURE(p->has_booked && bytes <= to - from);
	return bytes;
}

/* When an ACK may go that is booked for @cost_ns, 0 for one that is not. */
PST_FN u64 pst_pace_release_ns(struct pst_pace *c, struct pst_pace_flow *p,
			       u64 now_ns, u64 cost_ns, bool opens)
{
	u64 hold_ns = opens ? PST_PACE_MOST_NS : p->hold_ns + PST_PACE_STEP_NS;
	u64 turn_ns = pst_max(c->turn_ns, now_ns);
	u64 release_ns = now_ns;

	if (cost_ns)
		c->turn_ns = turn_ns + cost_ns;
	if (cost_ns && p->waits)
		release_ns = pst_min(turn_ns, now_ns + pst_min(hold_ns,
							       PST_PACE_MOST_NS));
	/* In the order in which they came. */
	p->release_ns = pst_max(release_ns, p->release_ns);
	if (cost_ns)
		p->hold_ns = p->release_ns - now_ns;
	PST_ENSURE(p->release_ns >= now_ns);
	return p->release_ns;
}

#endif
