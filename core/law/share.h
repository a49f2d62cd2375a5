/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Share: each flow gets its share of the data that path and queue should hold.
 *
 * Penstock's own. With the flow's RTT_i (without the delay in this queue), N flows by
 * what they send and segments of L bytes on the wire:
 *
 *   S  = (C * RTT_i + target) / (N * L)                                   (1)
 *   S  = min(2, (C * RTT_i + high) / (N * L))  where (1) gives less       (2)
 *   W' = min(Wr, floor(S) or floor(S) + 1 segments, S on the mean)        (3)
 *
 * As the windows of (1) add up to C * mean RTT + target, the queue is at the target, and
 * all flows get the same rate regardless of their RTTs. Below two segments the receiver
 * would delay the ACK of a lone segment (RFC 5681 section 4.2), so the queue may first
 * rise above the target, up to `high`.
 */
#ifndef PENSTOCK_CORE_LAW_SHARE_H
#define PENSTOCK_CORE_LAW_SHARE_H

#include "pipe.h"

#define PST_SHARE_TITLE "share, a part of path and queue for each flow"
#define PST_SHARE_SOURCE "Penstock; docs/methods/share.md"
#define PST_SHARE_FORMULA "min(window_bytes, whole_segments * mss_bytes)"

#define PST_SHARE_PARAMS(P)                                                    \
	P(target_bytes, PST_BYTES, PST_OF_BUFFER(3, 10), 0, PST_MAX_BYTES,     \
	  "queue that the sum of the windows leaves, beyond the paths' "      \
	  "capacity",                                                         \
	  "our choice: EWT's threshold")                                       \
	P(high_bytes, PST_BYTES, PST_OF_BUFFER(7, 8), 0, PST_MAX_BYTES,        \
	  "queue up to which each flow keeps two segments",                    \
	  "our choice; docs/methods/share.md")                                 \
	PST_RTT_PARAM(P)                                                       \
	PST_PIPE_HEADER_PARAM(P)

#define PST_SHARE_STATE(S)                                                    \
	S(segments_q16, PST_RATIO_Q16, "S of the last ACK")                   \
	S(credit_q16, PST_RATIO_Q16, "part of a segment that is owed")        \
	S(rtt_ns_q16, PST_NS, "mean round trip of the ACKs that had one")

struct pst_share_params {
	PST_SHARE_PARAMS(PST_PARAM_FIELD)
};

struct pst_share_state {
	PST_SHARE_STATE(PST_STATE_FIELD)
};

/* Equations 1 and 2. */
PST_FN u64 pst_share_segments_q16(const struct pst_share_params *p,
				  const struct pst_queue *q, u64 rtt_ns,
				  u64 wire_bytes)
{
	u64 target_bytes = pst_pipe_target_bytes(q, p->target_bytes);
	u64 segments_q16, most_q16;

	segments_q16 = pst_pipe_segments_q16(
		q, pst_pipe_bytes(q, rtt_ns, target_bytes), wire_bytes);
	if (segments_q16 >= 2 * PST_Q16_ONE)
		return segments_q16;
	most_q16 = pst_pipe_segments_q16(
		q, pst_pipe_bytes(q, rtt_ns, p->high_bytes), wire_bytes);
	return pst_max(segments_q16, pst_min(most_q16, 2 * PST_Q16_ONE));
}

PST_FN u64 pst_share_on_ack(const struct pst_share_params *p,
			    struct pst_share_state *s, const struct pst_queue *q,
			    const struct pst_ack *a)
{
	u64 mss_bytes = pst_max(a->mss_bytes, 1);
	u64 rtt_ns;

	s->rtt_ns_q16 = pst_pipe_mean_rtt_q16(s->rtt_ns_q16, a->rtt_ns);
	rtt_ns = pst_pipe_rtt_ns(a->rtt_ns, s->rtt_ns_q16, p->rtt_ns);
	s->segments_q16 = pst_share_segments_q16(p, q, rtt_ns,
						 mss_bytes + p->header_bytes);
	return pst_min(a->window_bytes,
		       pst_pipe_round(&s->credit_q16, s->segments_q16,
				      q->now_ns) *
			       mss_bytes);
}

#endif
