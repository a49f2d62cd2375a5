/* SPDX-License-Identifier: GPL-2.0-only */
/* Common parts of the laws that divide path and target queue among the flows. */
#ifndef PENSTOCK_CORE_LAW_PIPE_H
#define PENSTOCK_CORE_LAW_PIPE_H

#include "../math/average.h"
#include "../queue/queue.h"
#include "ack.h"
#include "floor.h"

/* Weight of one ACK's RTT in the mean: 1/256. */
#define PST_PIPE_RTT_WEIGHT_Q32 16777216ULL
/* No window has more segments. */
#define PST_PIPE_MAX_SEGMENTS PST_MOST_WINDOW_BYTES

/* The parameters of all of these laws, and of those with a loop. */
#define PST_PIPE_HEADER_PARAM(P)                                               \
	P(header_bytes, PST_BYTES,                                             \
	  PST_IS(PST_HEADERS_BYTES + PST_TIMESTAMPS_BYTES + PST_ETHERNET_BYTES), 0, 256, \
	  "header bytes per segment on the wire",                             \
	  "Ethernet, IPv4, and TCP with timestamps")
#define PST_PIPE_LOOP_PARAMS(P)                                                \
	PST_RTT_PARAM(P)                                                       \
	P(delayed_ack_ns, PST_NS, PST_IS(40000000), 0, PST_MAX_NS,             \
	  "how long a receiver may delay the ACK of a single segment",        \
	  "Linux' least; RFC 1122 section 4.2.3.2 allows 500 ms")              \
	PST_PIPE_HEADER_PARAM(P)
#define PST_PIPE_PARAMS(P)                                                     \
	P(target_bytes, PST_BYTES, PST_OF_BUFFER(3, 10), 0, PST_MAX_BYTES,     \
	  "target queue length", "our choice: EWT's threshold")               \
	PST_PIPE_LOOP_PARAMS(P)

/* The mean RTT after an ACK whose RTT is @rtt_ns, or 0 if unknown. */
PST_FN u64 pst_pipe_mean_rtt_q16(u64 mean_ns_q16, u64 rtt_ns)
{
	rtt_ns = pst_min(rtt_ns, PST_MAX_NS);
	if (!rtt_ns)
		return mean_ns_q16;
	if (!mean_ns_q16)
		return rtt_ns << 16;
	return pst_average_q16(mean_ns_q16, rtt_ns, PST_PIPE_RTT_WEIGHT_Q32);
}

/* The RTT to plan with: @flow_ns, the flow's own; else the mean; else @assumed_ns. */
PST_FN u64 pst_pipe_rtt_ns(u64 flow_ns, u64 mean_ns_q16, u64 assumed_ns)
{
	if (flow_ns)
		return flow_ns;
	return mean_ns_q16 ? mean_ns_q16 >> 16 : assumed_ns;
}

/* C * RTT + @queue_bytes, 1 .. 2^40. */
PST_FN u64 pst_pipe_bytes(const struct pst_queue *q, u64 rtt_ns, u64 queue_bytes)
{
	u64 path_bytes = pst_bytes_in(pst_min(q->rate_bytes_per_s, PST_MAX_BYTES),
				      pst_min(rtt_ns, PST_MAX_NS));

	return pst_clamp(pst_min(path_bytes, PST_MAX_BYTES) +
				 pst_min(queue_bytes, PST_MAX_BYTES),
			 1, PST_MAX_BYTES);
}

/*
 * The queue to plan with. If uncontrolled traffic keeps it above the target, a share of
 * path and target is less than a share of the link's rate: then it is the current queue
 * (R36).
 */
PST_FN u64 pst_pipe_target_bytes(const struct pst_queue *q, u64 target_bytes)
{
	return q->others_fill ? pst_max(target_bytes, q->bytes) : target_bytes;
}

/* @bytes (<= 2^40) for each of the flows by use, in segments; at least 1/65536 of one. */
PST_FN u64 pst_pipe_segments_q16(const struct pst_queue *q, u64 bytes,
				 u64 segment_bytes)
{
	u64 flows_q16 = pst_clamp(q->flows_q16, PST_Q16_ONE, PST_MAX_BYTES);
	u64 each_q16;

	segment_bytes = pst_max(segment_bytes, 1);
	/* One division where the products fit: the result is the same. */
	if (!(bytes >> 32 | segment_bytes >> 24))
		each_q16 = (bytes << 32) / (flows_q16 * segment_bytes);
	else
		each_q16 = pst_mul_div(bytes, PST_Q32_ONE, flows_q16) / segment_bytes;
	return pst_clamp(each_q16, 1, PST_PIPE_MAX_SEGMENTS << 16);
}

/* The part of the queue's response that one step accounts for: T / response, at most 1. */
PST_FN u64 pst_pipe_step_q16(u64 interval_ns, u64 response_ns)
{
	return interval_ns < response_ns ? (interval_ns << 16) / response_ns :
					   PST_Q16_ONE;
}

/*
 * The change of the correction @factor_q32 for an error of the queue; gain, step and
 * @error_bytes / @pipe_bytes are at most 1.
 */
PST_FN u64 pst_pipe_change_q32(u64 factor_q32, u64 gain_q16, u64 step_q16,
			       u64 error_bytes, u64 pipe_bytes)
{
	u64 part_q32 = pst_mul_q32(gain_q16 * step_q16,
				   (error_bytes << 20) / pipe_bytes << 12);

	return pst_mul_q32(factor_q32, part_q32);
}

/* 0 .. 65535, without a pattern that ACKs could synchronise with. */
PST_FN u64 pst_pipe_dither_q16(u64 now_ns)
{
	return (now_ns & 0xffffffff) * PST_GOLDEN_Q32 >> 16 & 0xffff;
}

/*
 * Whole segments whose mean is @segments_q16, because a sender cannot use a fraction of
 * one. Each call adds the fraction to the credit; when the credit exceeds one segment
 * plus dither, the call gets that segment. Without dither, flows whose ACKs arrive in a
 * fixed order would get the larger window always or never.
 */
PST_FN u64 pst_pipe_round(u64 *credit_q16, u64 segments_q16, u64 now_ns)
{
	u64 credit = *credit_q16 + (segments_q16 & 0xffff);
	bool one_more = credit >= PST_Q16_ONE + pst_pipe_dither_q16(now_ns);

	*credit_q16 = one_more ? credit - PST_Q16_ONE : credit;
	return pst_max((segments_q16 >> 16) + one_more, 1);
}

#endif
