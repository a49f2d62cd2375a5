/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The law `penstock`, its model: parameters, what it keeps, and the path. Equations are those
 * of penstock.h.
 */
#ifndef PENSTOCK_CORE_LAW_PENSTOCK_MODEL_H
#define PENSTOCK_CORE_LAW_PENSTOCK_MODEL_H

#include "../queue/target.h"
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
	PST_TARGET_PARAMS(P)                                                   \
	PST_PIPE_LOOP_PARAMS(P)

#define PST_PENSTOCK_STATE(S)                                                  \
	S(factor_q32, PST_RATIO_Q32, "correction of the flows' windows (c)")   \
	S(target_bytes, PST_BYTES, "queue that windows are planned with")      \
	S(target_ns, PST_NS, "time that it takes to leave")                    \
	S(pause_ns, PST_NS, "what it has on top, to outlast pauses")           \
	S(mean_bytes, PST_BYTES, "mean queue, over four round trips")          \
	S(least_bytes, PST_BYTES, "what the queue has not been below for long") \
	S(segments_q16, PST_RATIO_Q16, "S of the last ACK")                    \
	S(rtt_ns_q16, PST_NS, "mean round trip of the ACKs that had one")      \
	S(promised_bytes, PST_BYTES, "first flights that are to come (V)")     \
	S(opening, PST_COUNT, "connections that open, at the last first flight (O)") \
	S(acked_bytes, PST_BYTES, "acknowledged, over a round trip")           \
	S(filled_bytes, PST_BYTES, "and of flows that their share limits")   \
	S(growing_bytes, PST_BYTES, "and of flows that grow into theirs")    \
	S(acked_ns, PST_TIME, "time of the last of these ACKs")               \
	S(use_q16, PST_RATIO_Q16, "part of the rate in use, over a round trip") \
	S(coming_bytes, PST_BYTES, "queue that what ACKs let out will cause (Q)") \
	S(coming_ns, PST_TIME, "time of that")                                 \
	S(drain_q32, PST_RATIO_Q32, "bytes by which it falls in a nanosecond") \
	S(flows_q16, PST_RATIO_Q16, "N of the last step")                      \
	S(phase_q16, PST_RATIO_Q16, "phase that the last new flow was given")  \
	S(booked_bytes, PST_BYTES, "queue when all booked ACKs will have gone (U')") \
	S(base_q32, PST_RATIO_Q32, "c when N last rose")

#define PST_PENSTOCK_FLOW(F)                                                   \
	F(u32, promised_bytes, PST_BYTES, "of the first flight, still to come") \
	F(u32, mss_bytes, PST_BYTES, "payload of its full segments")           \
	F(u32, mss_inverse_q32, PST_RATIO_Q32, "1 / that, kept for its ACKs")  \
	F(u32, behind_bytes, PST_BYTES, "its edge is left of the furthest")     \
	F(u16, phase_q16, PST_RATIO_Q16, "its place among the flows")          \
	F(u16, bound, PST_COUNT, "what bounded its last window")

struct pst_penstock_params {
	PST_PENSTOCK_PARAMS(PST_PARAM_FIELD)
};

struct pst_penstock_state {
	PST_PENSTOCK_STATE(PST_STATE_FIELD)
};

struct pst_penstock_flow {
	PST_PENSTOCK_FLOW(PST_FLOW_FIELD)
};

/* What bounds a window, and so who limits a flow that uses all of it. */
enum pst_penstock_bound {
	PST_PENSTOCK_NEW,	/* no window was granted yet, and the flow has no phase */
	PST_PENSTOCK_SENDER,	/* its application or its congestion window, as it used less */
	PST_PENSTOCK_RECEIVER,	/* the receiver's own window is smaller */
	PST_PENSTOCK_GROWTH,	/* this gateway: the first flight, or (7), so it grows into its share */
	PST_PENSTOCK_SHARE,	/* this gateway, by equation 1 */
};

/* c stays in 1/16 .. 16: no configured rate is further off. */
#define PST_PENSTOCK_LEAST_Q32 268435456ULL
#define PST_PENSTOCK_MOST_Q32 68719476736ULL
/* Of a first flight: RFC 6928, and what a receiver acknowledges at once. */
#define PST_PENSTOCK_FIRST_SEGMENTS 10ULL
#define PST_PENSTOCK_LEAST_FIRST_SEGMENTS 2ULL
/* What (3) leaves to the target alone: use varies as much from round trip to round trip. */
#define PST_PENSTOCK_FULL_USE_Q16 57344ULL
/* The part of the bytes that counts for c: (3) does not notice what is less, either. */
#define PST_PENSTOCK_WANTED_PART 8
/* Flows that grow take what is free by themselves, if they are more than this part. */
#define PST_PENSTOCK_GROWING_PART 4
/* Of a share, what a window may lack and not grow: bursts that Q counts vary shares by as much. */
#define PST_PENSTOCK_LACK_PART 32
/* Of the target, what the mean queue has while one that is empty is so by a pause alone. */
#define PST_PENSTOCK_STEADY_Q16 49152ULL
#define PST_PENSTOCK_MEAN_TRIPS 4
/* An eighth of target_ns for a step that finds it empty, up to twice target_ns in all. */
#define PST_PENSTOCK_PAUSE_PART 8
#define PST_PENSTOCK_PAUSE_MOST 2
/* Steps in which what is left of the least queue is forgotten, and taken off the pauses. */
#define PST_PENSTOCK_PAUSE_STEPS 128
/* Below half a segment a share is a window of one, if the receiver delays by a round trip. */
#define PST_PENSTOCK_LEAST_SHARE_Q16 32768ULL
/* A first flight that has not arrived by then, in round trips, is not expected. */
#define PST_PENSTOCK_LIFE_TRIPS 4

/* Who limits the flow of which @a is an ACK. */
PST_FN enum pst_penstock_bound pst_penstock_limit(const struct pst_penstock_flow *f,
						  const struct pst_ack *a)
{
	if (!a->fills || a->flight_bytes < a->mss_bytes)
		return PST_PENSTOCK_SENDER;
	return (enum pst_penstock_bound)f->bound;
}

/* The round trip to plan with, where @rtt_ns is the flow's own, or 0. */
PST_FN u64 pst_penstock_rtt_ns(const struct pst_penstock_params *p,
			       const struct pst_penstock_state *s, u64 rtt_ns)
{
	return pst_pipe_rtt_ns(rtt_ns, s->rtt_ns_q16, p->rtt_ns);
}

/* The mean round trip, or a step if that is longer. */
PST_FN u64 pst_penstock_turn_ns(const struct pst_penstock_params *p,
				const struct pst_penstock_state *s)
{
	return pst_max(pst_penstock_rtt_ns(p, s, 0), p->interval_ns);
}

/* T / @of_ns: the weight of a step in what is averaged over that time. */
PST_FN u64 pst_penstock_part_q32(const struct pst_penstock_params *p, u64 of_ns)
{
	return (p->interval_ns << 16) / of_ns << 16;
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

/* The mean window that the pipe allows, in segments, before any correction. */
PST_FN u64 pst_penstock_each_q16(const struct pst_penstock_params *p,
				 const struct pst_penstock_state *s,
				 const struct pst_queue *q)
{
	u64 pipe_bytes = pst_pipe_bytes(q, pst_penstock_rtt_ns(p, s, 0),
					s->target_bytes);

	return pst_pipe_segments_q16(q, pipe_bytes, q->mss_bytes + p->header_bytes);
}

#endif
