/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A queue further down the path, and the rate of its link, from the ACKs that come back: for
 * a bottleneck that is not this machine's, such as a modem. Nothing is sent to measure it.
 *
 * The trip of a segment is the time until its ACK passes, less what that has waited on its way
 * (hidden_return.h). Its least value is the path's; what is above it is the delay in the queue that
 * the segment met:
 *
 *   delay = trip - least trip of the flow - 2 L / C                              (1)
 *
 * L is a packet: an ACK waits for a pair of them. A delay proves that the link was busy for so
 * long before the segment left. If two trips in turn have delays that together cover the time
 * between them, what was acknowledged meanwhile is what the link can send, and departure_rate.h
 * averages it to C. The first 50 ms, or the first trip, of a standing queue do not count.
 *
 * A delay is known a trip too late. So the queue is a model, corrected by each trip; `then` is
 * when the segment passed:
 *
 *   U = U + arrived - C T                    between two events                  (2)
 *   U = U + (C delay - U then) / 2           at the ACK                          (3)
 *   C = C + (U then - C delay) / (8 trip)    if C is known                       (4)
 *
 * (4): a model that has to be raised drains too fast. While a queue stands C falls by it, at
 * most by 1/16; while none stands it rises, at most to 5/4 of what is acknowledged. A receiver may
 * delay the ACK of a single segment (RFC 5681 section 4.2), so ACKs of fewer than two do not
 * raise U, and two trips in turn must say so.
 *
 * No ACK reports others: UDP, or what no window controls. What of these passed before a segment
 * has left, or was dropped, when its ACK comes; it counts as acknowledged then. So if they send
 * more than the link carries and the modem drops them, C is too large, until the discipline has
 * limited them by it; and if so much is lost that no trip tells, it is supposed: hidden_supposed.h.
 * An ACK may wait for a second segment: it then reports what passed before that one.
 *
 * The queue is unknown until busy trips have covered 50 ms, and again when for 10 s neither a
 * queue stood nor half of C was used; then until half of that C is used. Delays of a link that is used by less than 3/4, and not
 * proved busy, are jitter: the queue is then what others have filled since the last trip.
 *
 * If less than half of C is left while delays stay high, windows reduce the rate, but not the
 * delay, which has another cause, such as a longer path or a queue on the way back. It is then
 * taken for path, and if that happens again within a minute, all is unknown for 30 s and more.
 * Of shorter delays a drain decides (drain.h). These delays are those of (1) with C as it was before
 * they took the rate: C falls with it, so that 2 L / C would hide what a longer path adds.
 */
#ifndef PENSTOCK_CORE_QUEUE_HIDDEN_QUEUE_H
#define PENSTOCK_CORE_QUEUE_HIDDEN_QUEUE_H

#include "departure_rate.h"
#include "drain.h"

#define PST_HIDDEN_AGAIN_BYTES (1ULL << 15) /* over which what passes again is averaged */

struct pst_hidden_queue {
	u64 bytes;		/* U at seen_ns */
	u64 seen_ns;
	u64 corrected_bytes;	/* by (3), in all; modulo 2^64 */
	u64 excess_bytes;	/* of the last trip above the model */
	u64 other_bytes;	/* of the packet that passes, if no ACK will report it */
	u64 others_bytes;	/* of such packets, in all; modulo 2^64 */
	u64 told_bytes;		/* of it, what trips have told of */
	u64 again_q16;		/* the part of data that passes again, as it was lost, */
	u64 again_ns;		/* and when it last did */
	u64 beside_bytes;	/* (2) of others alone, since the last trip */
	u64 supposed;		/* times in turn that C was what arrives, and no trip told it; 0 none */
	u64 acked_bytes;	/* with headers, in all; modulo 2^64 */
	u64 counted_bytes;	/* of it, at the last trip */
	u64 trip_ns;		/* time of that; 0 none */
	u64 delay_ns;		/* and its delay */
	u64 stands_ns;		/* since when trips have found a queue; 0 none does */
	u64 known_ns;		/* until then C is known; 0 it is not */
	u64 known_since_ns;
	u64 before_bytes_per_s;	/* C when it was forgotten; 0 it was in doubt */
	u64 proved_ns;		/* when the link was last known to be busy */
	bool idle;		/* it is not, and delays are jitter */
	struct pst_drain drain;
	u64 longer_ns;		/* what the last drain found the path to be longer by */
	u64 high_ns;		/* since when delays are about as high as then; 0 they are not */
	u64 high_delay_ns;	/* the delay then, */
	u64 high_bytes_per_s;	/* and C */
	u64 high_last_ns;	/* the last delay that was not of a single segment */
	u64 above_ns;		/* since when they are, with no such band; 0 they are not */
	u64 above_bytes_per_s;
	u64 rebased_ns;		/* when delays were last taken for path; 0 never */
	u64 doubted_ns;		/* until then nothing is believed */
	u64 doubt_shift;	/* the next doubt takes DOUBT << it */
	u32 doubts;		/* number of times; flows then forget their least trip */
	u32 longer;		/* of longer paths; flows then lengthen it */
	u64 usual_tick;		/* of receivers' clocks, the last that was learned; 0 none was */
	u64 acks_wait_ns;	/* what the last ACK had waited that said it, */
	u64 acks_waited_ns;	/* and when it came */
};

struct pst_hidden_flow {
	u64 mark_bytes;		/* U less all corrections, when the timed segment passed; likewise */
	u64 others_bytes;	/* what of others had passed then, */
	u64 others_next_bytes;	/* and when the next segment did; 0 none has */
	u64 least_ns;		/* trip without the queue; 0 unknown */
	u32 doubts;		/* in which that was measured */
	u32 longer;		/* of the queue's, when it was lengthened */
};

PST_FN bool pst_hidden_is_known(const struct pst_hidden_queue *h)
{
	return h->known_ns != 0;
}

/* U is @bytes from now on; what segments have met of it changes with it. */
PST_FN void pst_hidden_set(struct pst_hidden_queue *h, u64 bytes)
{
	h->corrected_bytes = pst_wrapping_sub(h->corrected_bytes, h->bytes);
	h->bytes = pst_min(bytes, PST_MAX_BYTES);
	h->corrected_bytes = pst_wrapping_add(h->corrected_bytes, h->bytes);
}

/* Equation 2 without what arrives: U at @now_ns. */
PST_FN u64 pst_hidden_bytes(const struct pst_hidden_queue *h,
			    const struct pst_departure_rate *r, u64 now_ns)
{
	u64 ns = pst_min(pst_sub_floor(now_ns, h->seen_ns), PST_MAX_NS);

	return pst_sub_floor(h->bytes,
			     pst_bytes_in(pst_min(r->bytes_per_s, PST_MAX_BYTES), ns));
}

/* The same of others alone: what they fill of a link that trips have found idle. */
PST_FN u64 pst_hidden_beside_bytes(const struct pst_hidden_queue *h,
				   const struct pst_departure_rate *r, u64 now_ns)
{
	u64 ns = pst_min(pst_sub_floor(now_ns, h->seen_ns), PST_MAX_NS);

	return pst_sub_floor(h->beside_bytes,
			     pst_bytes_in(pst_min(r->bytes_per_s, PST_MAX_BYTES), ns));
}

/* Call this before the other events at @now_ns. */
PST_FN void pst_hidden_look(struct pst_hidden_queue *h, struct pst_departure_rate *r,
			    u64 now_ns)
{
	h->other_bytes = 0;
	h->bytes = pst_hidden_bytes(h, r, now_ns);
	h->beside_bytes = pst_hidden_beside_bytes(h, r, now_ns);
	h->seen_ns = pst_max(now_ns, h->seen_ns);
	if (h->known_ns && now_ns > h->known_ns) {
		h->known_ns = 0;
		h->before_bytes_per_s = pst_departure_rate_forget(r);
	}
}

/* A packet of @bytes passes on. */
PST_FN void pst_hidden_enter(struct pst_hidden_queue *h, u64 bytes)
{
	h->bytes = pst_min(h->bytes + pst_min(bytes, PST_MAX_BYTES), PST_MAX_BYTES);
	h->beside_bytes = pst_min(h->beside_bytes + pst_min(h->other_bytes, PST_MAX_BYTES),
				  PST_MAX_BYTES);
	h->others_bytes = pst_wrapping_add(h->others_bytes, h->other_bytes);
	h->other_bytes = 0;
}

/* The packet is of @bytes, and no ACK will report them. */
PST_FN void pst_hidden_other(struct pst_hidden_queue *h, u64 bytes)
{
	h->other_bytes = bytes;
}

/* Data of @bytes, which ACKs will report, passes: @again, or for the first time. */
PST_FN void pst_hidden_sent(struct pst_hidden_queue *h, u64 bytes, bool again, u64 now_ns)
{
	u64 weight_q16 = (pst_min(bytes, PST_HIDDEN_AGAIN_BYTES) << 16) / PST_HIDDEN_AGAIN_BYTES;

	if (again) {
		h->again_q16 += (PST_Q16_ONE - h->again_q16) * weight_q16 >> 16;
		h->again_ns = pst_max(h->again_ns, now_ns);
	} else {
		h->again_q16 -= h->again_q16 * weight_q16 >> 16;
	}
}

/* @bytes, with their headers, are acknowledged. */
PST_FN void pst_hidden_acked(struct pst_hidden_queue *h, u64 bytes)
{
	h->acked_bytes = pst_wrapping_add(h->acked_bytes, bytes);
}

/* Of the segments that could be timed, one of four is, so that not all are a burst's first. */
PST_FN bool pst_hidden_times(u64 now_ns)
{
	return !((now_ns >> 10 ^ now_ns >> 13) & 3);
}

/* A segment that is timed passes, after pst_hidden_look(). */
PST_FN void pst_hidden_mark(const struct pst_hidden_queue *h, struct pst_hidden_flow *f)
{
	f->mark_bytes = pst_wrapping_sub(h->bytes, h->corrected_bytes);
	f->others_bytes = h->others_bytes;
	f->others_next_bytes = 0;
}

/* Data passes while a segment before it is timed, the ACK of which may wait for it. */
PST_FN void pst_hidden_follow(const struct pst_hidden_queue *h, struct pst_hidden_flow *f)
{
	if (!f->others_next_bytes)
		f->others_next_bytes = h->others_bytes;
}

#endif
