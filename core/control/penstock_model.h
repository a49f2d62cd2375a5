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
	S(segments_q16, PST_RATIO_Q16, "S of the last ACK")                    \
	S(rtt_ns_q16, PST_NS, "mean round trip of the ACKs that had one")      \
	S(promised_bytes, PST_BYTES, "first flights that are to come (V)")     \
	S(acked_bytes, PST_BYTES, "acknowledged since the last step")          \
	S(filled_bytes, PST_BYTES, "and of flows that use up their windows")   \
	S(use_q16, PST_RATIO_Q16, "part of the rate in use, over a round trip") \
	S(flight_bytes, PST_BYTES, "under way, of flows seen in this epoch (F)") \
	S(flight_before_bytes, PST_BYTES, "and of those seen in the last alone") \
	S(epoch, PST_COUNT, "number of the epoch")                             \
	S(flows_q16, PST_RATIO_Q16, "N of the last step")                      \
	S(phase_q16, PST_RATIO_Q16, "phase that the last new flow was given")  \
	S(yield_q16, PST_RATIO_Q16, "part of the others' excess left to them") \
	S(yield_ns, PST_TIME, "time of the next step of the yield")            \
	S(others_bytes_per_s, PST_BYTES, "most of the others, pressed or before the yield")

#define PST_PENSTOCK_FLOW(F)                                                   \
	F(u32, promised_bytes, PST_BYTES, "of the first flight, still to come") \
	F(u32, flight_bytes, PST_BYTES, "under way, on the wire")              \
	F(u32, epoch, PST_COUNT, "in which that was counted")                  \
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
/* The golden ratio's fraction spreads any number of phases evenly. */
#define PST_PENSTOCK_PHASE_STEP 40503ULL
/* What (3) leaves to the target alone: use varies as much from round trip to round trip. */
#define PST_PENSTOCK_FULL_USE_Q16 57344ULL
/* Others that took what was yielded, or gave way, are not tried again for so long. */
#define PST_PENSTOCK_HOLD_NS (10 * PST_NS_PER_S)

/* The round trip to plan with, where @rtt_ns is the flow's own, or 0. */
PST_FN u64 pst_penstock_rtt_ns(const struct pst_penstock_params *p,
			       const struct pst_penstock_state *s, u64 rtt_ns)
{
	if (rtt_ns)
		return rtt_ns;
	return s->rtt_ns_q16 ? s->rtt_ns_q16 >> 16 : p->rtt_ns;
}

/* @bytes of payload with their headers. */
PST_FN u64 pst_penstock_wire_bytes(const struct pst_penstock_params *p, u32 bytes,
				   u32 mss_bytes)
{
	return bytes + bytes * p->header_bytes / pst_max(mss_bytes, 1);
}

/* The queue beyond which there is hardly room for what no ACK could stop. */
PST_FN u64 pst_penstock_high_bytes(u64 target_bytes, const struct pst_queue *q)
{
	return target_bytes + pst_sub_floor(q->limit_bytes, target_bytes) / 2;
}

/* What others send, bytes per second. */
PST_FN u64 pst_penstock_others(const struct pst_queue *q)
{
	return pst_mul_div(pst_min(q->rate_bytes_per_s, PST_MAX_BYTES),
			   q->others_use_q15, 32768);
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
 * True if the others, pressed, have lost a quarter of the most that they had beyond their
 * fair part, of which @excess is left: a sender of CUBIC takes 0.3 off all that it has.
 */
PST_FN bool pst_penstock_gave_way(struct pst_penstock_state *s, u64 others,
				  u64 excess)
{
	if (!s->others_bytes_per_s)
		return false;
	s->others_bytes_per_s = pst_max(s->others_bytes_per_s, others);
	return 3 * (s->others_bytes_per_s - others) > excess;
}

/* Others that give way are pressed, from now on for a while. */
PST_FN void pst_penstock_press(struct pst_penstock_state *s,
			       const struct pst_queue *q)
{
	s->yield_q16 = 0;
	s->others_bytes_per_s = pst_penstock_others(q);
	s->yield_ns = q->now_ns + PST_PENSTOCK_HOLD_NS;
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

/* True if all is given, windows are below a segment, and others fill the queue still. */
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
 * Others that keep more than their fair part: what gives way when steered flows press is
 * pressed (R36), and what sends on at its rate, however full the queue, is left it. Each
 * second a quarter more of the excess is yielded; if the others then take more, by half of
 * what they were given, or fill the queue in spite of it, they are of the first kind, and
 * stay so as long as they give way.
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
		    pst_penstock_gave_way(s, pst_penstock_others(q), excess))
			pst_penstock_press(s, q);
		return;
	}
	s->yield_ns = q->now_ns + PST_NS_PER_S;
	if (q->observed || !q->others_fill || !excess) {
		s->yield_q16 = 0;
		s->others_bytes_per_s = 0;
	} else if (!s->yield_q16) {
		s->others_bytes_per_s = pst_penstock_others(q);
		s->yield_q16 = PST_Q16_ONE / 4;
	} else if (2 * taken > given || pst_penstock_yields_in_vain(p, s, q)) {
		pst_penstock_press(s, q);
	} else {
		s->yield_q16 = pst_min(s->yield_q16 + PST_Q16_ONE / 4, PST_Q16_ONE);
	}
}

/* The steered flows' part of what is theirs by count, after the yield. */
PST_FN u64 pst_penstock_give_q16(const struct pst_penstock_state *s,
				 const struct pst_queue *q)
{
	u64 flows_q16 = pst_clamp(q->flows_q16, 1, PST_MAX_BYTES);
	u64 steered_q16 = pst_max(pst_sub_floor(flows_q16, q->others_q16), 1);
	u64 rate = pst_clamp(q->rate_bytes_per_s, 1, PST_MAX_BYTES);
	u64 yielded = pst_mul_div(pst_penstock_excess(q), s->yield_q16,
				  PST_Q16_ONE);
	u64 theirs = pst_max(pst_mul_div(rate, steered_q16, flows_q16), 1);

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

/* What (1) has in common for all flows. */
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

/* F: flows that are silent for a whole epoch fall out. */
PST_FN u64 pst_penstock_under_way(const struct pst_penstock_state *s)
{
	return s->flight_bytes + s->flight_before_bytes;
}

/* @f has @bytes under way now, counted once in each epoch of a second. */
PST_FN void pst_penstock_count_flight(struct pst_penstock_state *s,
				      struct pst_penstock_flow *f, u64 bytes,
				      u64 now_ns)
{
	u64 epoch = now_ns / PST_NS_PER_S + 2;

	if (s->epoch < epoch) {
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
 * lone one by D; @rtt_ns is the flow's own, or 0.
 */
PST_FN bool pst_penstock_is_outnumbered(const struct pst_penstock_params *p,
					const struct pst_penstock_state *s,
					const struct pst_queue *q, u64 rtt_ns,
					u32 mss_bytes)
{
	u64 round_ns = pst_penstock_rtt_ns(p, s, rtt_ns) + p->delayed_ack_ns;
	u64 pipe_bytes = pst_pipe_bytes(q, round_ns, p->target_bytes);

	return pst_pipe_segments_q16(q, pipe_bytes, mss_bytes + p->header_bytes) <
	       PST_Q16_ONE;
}

/* True if first flights to come and bytes in flight fill path and target. */
PST_FN bool pst_penstock_is_booked(const struct pst_penstock_params *p,
				   const struct pst_penstock_state *s,
				   const struct pst_queue *q)
{
	return s->promised_bytes + pst_penstock_under_way(s) >
	       pst_pipe_bytes(q, pst_penstock_rtt_ns(p, s, 0), p->target_bytes);
}

/*
 * The time that @bytes and their headers take at the link's rate, up to an eighth more or
 * less to bring the queue to its target: bytes / C * (C * RTT + U) / P.
 */
PST_FN u64 pst_penstock_pace_ns(const struct pst_penstock_params *p,
				const struct pst_penstock_state *s,
				const struct pst_queue *q, const struct pst_ack *a,
				u64 bytes)
{
	u64 rtt_ns = pst_penstock_rtt_ns(p, s, a->rtt_ns);
	u64 whole_bytes = pst_pipe_bytes(q, rtt_ns, p->target_bytes);
	u64 now_bytes = pst_clamp(pst_pipe_bytes(q, rtt_ns, q->bytes),
				  whole_bytes - whole_bytes / 8,
				  whole_bytes + whole_bytes / 8);
	u64 wire_bytes = pst_penstock_wire_bytes(p, (u32)pst_min(bytes, 0xffffffff),
						 a->mss_bytes);
	u64 ns = pst_mul_div(pst_min(wire_bytes, PST_MAX_BYTES), PST_NS_PER_S,
			     pst_clamp(q->rate_bytes_per_s, 1, PST_MAX_BYTES));

	if (!pst_penstock_is_outnumbered(p, s, q, a->rtt_ns, a->mss_bytes) &&
	    !(a->opens && pst_penstock_is_booked(p, s, q)))
		return 0;
	return pst_max(pst_mul_div(pst_min(ns, PST_MAX_NS), now_bytes, whole_bytes), 1);
}

/* Equation 6. */
PST_FN u64 pst_penstock_first_bytes(const struct pst_penstock_params *p,
				    struct pst_penstock_state *s,
				    struct pst_penstock_flow *f,
				    const struct pst_queue *q,
				    const struct pst_ack *a)
{
	u64 wire_bytes = a->mss_bytes + p->header_bytes;
	u64 path_bytes = pst_pipe_bytes(q, pst_penstock_rtt_ns(p, s, a->rtt_ns), 0);
	u64 high_bytes = pst_penstock_high_bytes(p->target_bytes, q);
	u64 each_bytes = pst_mul_div(
		pst_min(path_bytes + p->target_bytes, PST_MAX_BYTES), PST_Q16_ONE,
		pst_clamp(q->flows_q16, 1, PST_MAX_BYTES - PST_Q16_ONE) +
			PST_Q16_ONE);
	u64 room_bytes = pst_min(
		pst_sub_floor(path_bytes + high_bytes,
			      s->promised_bytes + pst_penstock_under_way(s)),
		pst_sub_floor(high_bytes, s->promised_bytes + q->bytes));
	u64 segments = pst_clamp(pst_min(each_bytes, room_bytes) / wire_bytes,
				 PST_PENSTOCK_LEAST_FIRST_SEGMENTS,
				 PST_PENSTOCK_FIRST_SEGMENTS);

	f->promised_bytes = (u32)(segments * wire_bytes);
	s->promised_bytes = pst_min(s->promised_bytes + f->promised_bytes,
				    PST_MAX_BYTES);
	pst_penstock_plan(p, s, q);
	return segments * a->mss_bytes;
}

#endif
