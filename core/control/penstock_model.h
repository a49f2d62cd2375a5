/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The law `penstock`, its model: what it keeps, and the windows that follow from it.
 * Equations are those of penstock.h.
 */
#ifndef PENSTOCK_CORE_CONTROL_PENSTOCK_MODEL_H
#define PENSTOCK_CORE_CONTROL_PENSTOCK_MODEL_H

#include "pipe.h"

#define PST_PENSTOCK_PARAMS(P)                                                 \
	P(interval_ns, PST_NS, PST_IS(10000000), 100000, PST_MAX_NS,           \
	  "interval between steps (T)", "our choice: EWA's interval")         \
	P(gain_q16, PST_RATIO_Q16, PST_IS(24109), 0, PST_Q16_ONE,              \
	  "fraction of the queue's error corrected per RTT",                  \
	  "1/e, critical damping; docs/papers/penstock.md")                    \
	P(slow_gain_q16, PST_RATIO_Q16, PST_IS(8192), 0, PST_Q16_ONE,          \
	  "the same where windows are below two segments",                     \
	  "our choice; docs/papers/penstock.md")                               \
	PST_PIPE_PARAMS(P)

#define PST_PENSTOCK_STATE(S)                                                  \
	S(factor_q32, PST_RATIO_Q32, "correction of the flows' windows (c)")   \
	S(scale_q16, PST_RATIO_Q16, "c * free * give, of the last step")       \
	S(target_bytes, PST_BYTES, "queue that windows are planned with")      \
	S(target_ns, PST_NS, "time that it takes to leave")                    \
	S(segments_q16, PST_RATIO_Q16, "S of the last ACK")                    \
	S(rtt_ns_q16, PST_NS, "mean round trip of the ACKs that had one")      \
	S(promised_bytes, PST_BYTES, "first flights that are to come (V)")     \
	S(opening, PST_COUNT, "connections that open, at the last first flight (O)") \
	S(acked_bytes, PST_BYTES, "acknowledged since the last step")          \
	S(filled_bytes, PST_BYTES, "and of flows that use up their windows")   \
	S(use_q16, PST_RATIO_Q16, "part of the rate in use, over a round trip") \
	S(flight_bytes, PST_BYTES, "under way, of flows seen in this epoch (F)") \
	S(flight_before_bytes, PST_BYTES, "and of those seen in the last alone") \
	S(epoch, PST_COUNT, "number of the epoch")                             \
	S(coming_bytes, PST_BYTES, "queue that what ACKs let out will cause (Q)") \
	S(coming_ns, PST_TIME, "time of that")                                 \
	S(drain_q32, PST_RATIO_Q32, "bytes by which it falls in a nanosecond") \
	S(flows_q16, PST_RATIO_Q16, "N of the last step")                      \
	S(phase_q16, PST_RATIO_Q16, "phase that the last new flow was given")  \
	S(booked_bytes, PST_BYTES, "queue when all booked ACKs will have gone (U')") \
	S(yield_q16, PST_RATIO_Q16, "part of the others' excess left to them") \
	S(yield_ns, PST_TIME, "time of the next step of the yield")            \
	S(others_bytes_per_s, PST_BYTES, "most of the others, pressed or before the yield")

#define PST_PENSTOCK_FLOW(F)                                                   \
	F(u32, promised_bytes, PST_BYTES, "of the first flight, still to come") \
	F(u32, flight_bytes, PST_BYTES, "under way, on the wire")              \
	F(u32, epoch, PST_COUNT, "in which that was counted")                  \
	F(u32, mss_bytes, PST_BYTES, "payload of its full segments")           \
	F(u32, mss_inverse_q32, PST_RATIO_Q32, "1 / that, kept for its ACKs")  \
	F(u16, phase_q16, PST_RATIO_Q16, "its place among the flows")          \
	F(u16, known, PST_FLAG, "1 once it has its phase")

struct pst_penstock_params {
	PST_PENSTOCK_PARAMS(PST_PARAM_FIELD)
};

struct pst_penstock_state {
	PST_PENSTOCK_STATE(PST_STATE_FIELD)
};

struct pst_penstock_flow {
	PST_PENSTOCK_FLOW(PST_FLOW_FIELD)
};

/* c stays in 1/16 .. 16. */
#define PST_PENSTOCK_LEAST_Q32 268435456ULL
#define PST_PENSTOCK_MOST_Q32 68719476736ULL
/* Of a first flight: RFC 6928, and what a receiver acknowledges at once. */
#define PST_PENSTOCK_FIRST_SEGMENTS 10ULL
#define PST_PENSTOCK_LEAST_FIRST_SEGMENTS 2ULL
/* What (3) leaves to the target alone: use varies as much from round trip to round trip. */
#define PST_PENSTOCK_FULL_USE_Q16 57344ULL
/* For how long others that took what was yielded, or backed off, are not tested again. */
#define PST_PENSTOCK_HOLD_NS (10 * PST_NS_PER_S)
/* For how long others are watched, pressed, before anything is yielded to them. */
#define PST_PENSTOCK_WATCH_NS PST_NS_PER_S

/* The round trip to plan with, where @rtt_ns is the flow's own, or 0. */
PST_FN u64 pst_penstock_rtt_ns(const struct pst_penstock_params *p,
			       const struct pst_penstock_state *s, u64 rtt_ns)
{
	return pst_pipe_rtt_ns(rtt_ns, s->rtt_ns_q16, p->rtt_ns);
}

/* @bytes of payload with their headers. */
PST_FN u64 pst_penstock_wire_bytes(const struct pst_penstock_params *p, u32 bytes,
				   u32 mss_bytes)
{
	return bytes + bytes * p->header_bytes / pst_max(mss_bytes, 1);
}

/*
 * The same for @f, without a division. The inverse of its MSS is at most 1 / 2^32 too
 * small, so the quotient of a number below 2^32 is at most 1 too small.
 */
PST_FN u64 pst_penstock_flow_wire_bytes(const struct pst_penstock_params *p,
					const struct pst_penstock_flow *f, u32 bytes)
{
	u64 headers = bytes * p->header_bytes;
	u64 count;

	if (headers >> 32)
		return pst_penstock_wire_bytes(p, bytes, f->mss_bytes);
	count = headers * f->mss_inverse_q32 >> 32;
	return bytes + count + (headers - count * f->mss_bytes >= f->mss_bytes);
}

PST_FN void pst_penstock_take_mss(struct pst_penstock_flow *f, u32 mss_bytes)
{
	mss_bytes = (u32)pst_max(mss_bytes, 1);
	if (f->mss_bytes == mss_bytes)
		return;
	f->mss_bytes = mss_bytes;
	f->mss_inverse_q32 = 0xffffffffU / mss_bytes;
}

/* The queue beyond which there is hardly room for what no ACK could stop. */
PST_FN u64 pst_penstock_high_bytes(u64 target_bytes, const struct pst_queue *q)
{
	return target_bytes + pst_sub_floor(q->limit_bytes, target_bytes) / 2;
}

/* The rate of others, bytes per second. */
PST_FN u64 pst_penstock_others(const struct pst_queue *q)
{
	return pst_mul_div(pst_min(q->rate_bytes_per_s, PST_MAX_BYTES),
			   q->others_use_q15, PST_Q15_ONE);
}

/* What others have beyond their fair part of the link, bytes per second. */
PST_FN u64 pst_penstock_excess(const struct pst_queue *q)
{
	u64 fair = pst_mul_div(pst_min(q->rate_bytes_per_s, PST_MAX_BYTES),
			       q->others_q16,
			       pst_clamp(q->flows_q16, 1, PST_MAX_BYTES));

	return pst_sub_floor(pst_penstock_others(q), fair);
}

/*
 * True if the others, while pressed, have lost a quarter of their largest excess, of which
 * @excess is left: a CUBIC sender reduces its window by 0.3.
 */
PST_FN bool pst_penstock_backed_off(struct pst_penstock_state *s, u64 others,
				  u64 excess)
{
	if (!s->others_bytes_per_s)
		return false;
	s->others_bytes_per_s = pst_max(s->others_bytes_per_s, others);
	return 3 * (s->others_bytes_per_s - others) > excess;
}

/* Others are pressed for the next @for_ns, and watched for whether they back off. */
PST_FN void pst_penstock_press(struct pst_penstock_state *s,
			       const struct pst_queue *q, u64 for_ns)
{
	s->yield_q16 = 0;
	s->others_bytes_per_s = pst_max(pst_penstock_others(q), 1);
	s->yield_ns = q->now_ns + for_ns;
}

/* The mean window that the pipe allows, in segments, before any correction. */
PST_FN u64 pst_penstock_each_q16(const struct pst_penstock_params *p,
				 const struct pst_penstock_state *s,
				 const struct pst_queue *q)
{
	u64 pipe_bytes = pst_pipe_bytes(q, pst_penstock_rtt_ns(p, s, 0),
					p->target_bytes);

	return pst_pipe_segments_q16(q, pipe_bytes, q->mss_bytes + p->header_bytes);
}

/* True if all is yielded, windows are below a segment, and others still fill the queue. */
PST_FN bool pst_penstock_yields_in_vain(const struct pst_penstock_params *p,
					const struct pst_penstock_state *s,
					const struct pst_queue *q)
{
	u64 each_q16 = pst_penstock_each_q16(p, s, q);

	return s->yield_q16 == PST_Q16_ONE && q->bytes > p->target_bytes &&
	       (pst_min(each_q16, PST_MAX_BYTES) * s->scale_q16 >> 16) <
		       PST_Q16_ONE / 2;
}

/*
 * Others above their fair share are of two kinds. Those that back off when controlled
 * flows compete are pressed to their share (R36); those that keep their rate, however full
 * the queue is, are left it. To tell them apart, they are pressed and watched first. If
 * none backs off, half of the excess is yielded for a second, then all of it: if the others
 * then take more, by half of what was yielded, or still fill the queue when all of it is,
 * they are of the first kind, for as long as they back off.
 */
PST_FN void pst_penstock_yield(const struct pst_penstock_params *p,
			       struct pst_penstock_state *s,
			       const struct pst_queue *q)
{
	u64 excess = pst_penstock_excess(q);
	u64 given = pst_mul_div(excess, s->yield_q16, PST_Q16_ONE);
	u64 taken = pst_sub_floor(pst_penstock_others(q), s->others_bytes_per_s);

	if (q->now_ns < s->yield_ns) {
		if (!s->yield_q16 &&
		    pst_penstock_backed_off(s, pst_penstock_others(q), excess))
			pst_penstock_press(s, q, PST_PENSTOCK_HOLD_NS);
		return;
	}
	s->yield_ns = q->now_ns + PST_NS_PER_S;
	if (q->observed || !q->others_fill || !excess) {
		s->yield_q16 = 0;
		s->others_bytes_per_s = 0;
	} else if (!s->others_bytes_per_s) {
		pst_penstock_press(s, q, PST_PENSTOCK_WATCH_NS);
	} else if (!s->yield_q16) {
		s->others_bytes_per_s = pst_penstock_others(q);
		s->yield_q16 = PST_Q16_ONE / 2;
	} else if (2 * taken > given || pst_penstock_yields_in_vain(p, s, q)) {
		pst_penstock_press(s, q, PST_PENSTOCK_HOLD_NS);
	} else {
		s->yield_q16 = PST_Q16_ONE;
	}
}

/* What the yield leaves of the controlled flows' fair share. */
PST_FN u64 pst_penstock_give_q16(const struct pst_penstock_state *s,
				 const struct pst_queue *q)
{
	u64 flows_q16 = pst_clamp(q->flows_q16, 1, PST_MAX_BYTES);
	u64 controlled_q16 = pst_max(pst_sub_floor(flows_q16, q->others_q16), 1);
	u64 rate = pst_clamp(q->rate_bytes_per_s, 1, PST_MAX_BYTES);
	u64 yielded = pst_mul_div(pst_penstock_excess(q), s->yield_q16,
				  PST_Q16_ONE);
	u64 theirs = pst_max(pst_mul_div(rate, controlled_q16, flows_q16), 1);

	return pst_mul_div(pst_sub_floor(theirs, yielded), PST_Q16_ONE, theirs);
}

/* Equation 4. A queue that others are to fill is no reason for smaller windows (R36). */
PST_FN u64 pst_penstock_free_q16(const struct pst_penstock_state *s,
				 const struct pst_queue *q, u64 pipe_bytes)
{
	u64 high_bytes = pst_penstock_high_bytes(s->target_bytes, q);
	u64 taken_bytes = s->promised_bytes + pst_sub_floor(q->bytes, high_bytes);

	return pst_mul_div(pst_sub_floor(pipe_bytes, taken_bytes), PST_Q16_ONE,
			   pipe_bytes);
}

/* The time in which @bytes leave the queue. */
PST_FN u64 pst_penstock_leaves_ns(const struct pst_queue *q, u64 bytes)
{
	return pst_min(pst_mul_div(bytes, PST_NS_PER_S,
				   pst_clamp(q->rate_bytes_per_s, 1, PST_MAX_BYTES)),
		       PST_MAX_NS);
}

/* The factors of (1) that all flows have in common. */
PST_FN void pst_penstock_plan(const struct pst_penstock_params *p,
			      struct pst_penstock_state *s,
			      const struct pst_queue *q)
{
	u64 rtt_ns = pst_penstock_rtt_ns(p, s, 0);
	u64 part_q16;

	s->target_bytes = p->target_bytes;
	if (q->others_fill && q->bytes > p->target_bytes)
		s->target_bytes += pst_mul_div(q->bytes - p->target_bytes,
					       PST_Q16_ONE - s->yield_q16,
					       PST_Q16_ONE);
	part_q16 = pst_penstock_free_q16(
		s, q, pst_pipe_bytes(q, rtt_ns, s->target_bytes));
	if (s->yield_q16)
		part_q16 = part_q16 * pst_penstock_give_q16(s, q) >> 16;
	s->scale_q16 = (s->factor_q32 >> 16) * part_q16 >> 16;
	s->target_ns = pst_penstock_leaves_ns(q, s->target_bytes);
}

/* Equation 1. */
PST_FN u64 pst_penstock_segments_q16(const struct pst_penstock_params *p,
				     const struct pst_penstock_state *s,
				     const struct pst_queue *q,
				     const struct pst_ack *a)
{
	u64 rtt_ns = pst_penstock_rtt_ns(p, s, a->rtt_ns);
	u64 each_q16 = pst_pipe_segments_q16(
		q, pst_pipe_bytes(q, rtt_ns, s->target_bytes),
		a->mss_bytes + p->header_bytes);

	return pst_clamp(pst_min(each_q16, PST_MAX_BYTES) * s->scale_q16 >> 16, 1,
			 PST_PIPE_MAX_SEGMENTS << 16);
}

/* F; flows that are silent for a whole epoch no longer count. */
PST_FN u64 pst_penstock_under_way(const struct pst_penstock_state *s)
{
	return s->flight_bytes + s->flight_before_bytes;
}

/* @f has @bytes under way now, counted once in each epoch of a second. */
PST_FN void pst_penstock_count_flight(struct pst_penstock_state *s,
				      struct pst_penstock_flow *f, u64 bytes,
				      u64 now_ns)
{
	/* Without a division, like now / 10^9 + 2 > epoch. */
	if (s->epoch * PST_NS_PER_S <= now_ns + PST_NS_PER_S) {
		u64 epoch = now_ns / PST_NS_PER_S + 2;

		s->flight_before_bytes = s->epoch + 1 == epoch ? s->flight_bytes : 0;
		s->flight_bytes = 0;
		s->epoch = epoch;
	}
	if (f->epoch == (u32)s->epoch)
		s->flight_bytes = pst_sub_floor(s->flight_bytes, f->flight_bytes);
	else if (f->epoch + 1 == (u32)s->epoch)
		s->flight_before_bytes = pst_sub_floor(s->flight_before_bytes,
						       f->flight_bytes);
	f->epoch = (u32)s->epoch;
	f->flight_bytes = (u32)pst_min(bytes, 0xffffffff);
	s->flight_bytes += f->flight_bytes;
}

/*
 * True if there is no room for a segment of each flow, where receivers delay the ACK of a
 * lone one by D; @flows_q16 are all flows, @rtt_ns is the flow's own, or 0.
 */
PST_FN bool pst_penstock_is_outnumbered(const struct pst_penstock_params *p,
					const struct pst_penstock_state *s,
					const struct pst_queue *q, u64 flows_q16,
					u64 rtt_ns, u32 mss_bytes)
{
	u64 round_ns = pst_penstock_rtt_ns(p, s, rtt_ns) + p->delayed_ack_ns;
	u64 pipe_bytes = pst_pipe_bytes(q, round_ns, p->target_bytes);

	return pst_min(pipe_bytes, PST_MAX_BYTES) <
	       pst_min(flows_q16, PST_MAX_BYTES) * (mss_bytes + p->header_bytes) >> 16;
}

/*
 * Equation 6. What the queue has room for belongs to those that open, as the others' windows
 * are in it already. Where a share is below two segments, more would be taken back at once.
 * A path that no ACK has measured yet is not counted on.
 * V grows by the part of the flight that can be expected; a repeated SYN-ACK replaces what
 * the one before it promised.
 */
PST_FN u64 pst_penstock_first_bytes(const struct pst_penstock_params *p,
				    struct pst_penstock_state *s,
				    struct pst_penstock_flow *f,
				    const struct pst_queue *q,
				    const struct pst_ack *a)
{
	u64 wire_bytes = a->mss_bytes + p->header_bytes;
	bool measured = a->rtt_ns || s->rtt_ns_q16;
	u64 path_bytes =
		measured ? pst_pipe_bytes(q, pst_penstock_rtt_ns(p, s, a->rtt_ns), 0) : 0;
	u64 high_bytes = pst_penstock_high_bytes(p->target_bytes, q);
	u64 opening = pst_clamp(q->opening, 1, PST_MAX_PKTS / 128);
	u64 each_bytes = pst_mul_div(
		pst_min(path_bytes + p->target_bytes, PST_MAX_BYTES), PST_Q16_ONE,
		pst_clamp(q->flows_q16, 1, PST_MAX_BYTES / 2) + opening * PST_Q16_ONE);
	u64 others_bytes = pst_sub_floor(s->promised_bytes, f->promised_bytes);
	u64 queue_bytes = pst_sub_floor(high_bytes, others_bytes + q->bytes);
	u64 room_bytes = pst_min(
		pst_sub_floor(path_bytes + high_bytes,
			      others_bytes + pst_penstock_under_way(s)),
		queue_bytes);
	u64 segments;

	s->opening = opening;
	if (each_bytes >= PST_PENSTOCK_LEAST_FIRST_SEGMENTS * wire_bytes)
		each_bytes = pst_max(each_bytes, queue_bytes / opening);
	segments = pst_clamp(pst_min(each_bytes, room_bytes) / wire_bytes,
			     PST_PENSTOCK_LEAST_FIRST_SEGMENTS,
			     PST_PENSTOCK_FIRST_SEGMENTS);
	f->promised_bytes = (u32)(segments * wire_bytes *
				  (PST_Q15_ONE - q->silent_q15) >> 15);
	s->promised_bytes = pst_min(others_bytes + f->promised_bytes, PST_MAX_BYTES);
	pst_penstock_plan(p, s, q);
	return segments * a->mss_bytes;
}

#endif
