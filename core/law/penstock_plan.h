/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The law `penstock`: shares of path and queue, and first flights. Equations are those of
 * penstock.h.
 */
#ifndef PENSTOCK_CORE_LAW_PENSTOCK_PLAN_H
#define PENSTOCK_CORE_LAW_PENSTOCK_PLAN_H

#include "penstock_model.h"

/* Of path and queue, what first flights are kept clear: most of these may be forged (R35). */
#define PST_PENSTOCK_PROMISED_PART 5

/*
 * Equation 4: what first flights, or what the queue to come has above the target, leave of
 * @pipe_bytes. Of the ACKs of a burst, the later ones thus let out less. Where ACKs are
 * delayed, their clock spreads them, and Q counts what they will let out later: then it is
 * what U has above high.
 */
PST_FN u64 pst_penstock_free_bytes(const struct pst_penstock_state *s,
				   const struct pst_queue *q, u64 pipe_bytes)
{
	u64 above_bytes =
		q->paced ? pst_sub_floor(q->bytes,
					 pst_penstock_high_bytes(s->target_bytes, q)) :
			   pst_sub_floor(s->coming_bytes, s->target_bytes);
	u64 kept_bytes = pst_min(s->promised_bytes,
				 pipe_bytes / PST_PENSTOCK_PROMISED_PART);

	/* In no path: C * RTT remains, and half of the error for this round trip. */
	if (q->phantom)
		above_bytes = pst_max(above_bytes,
				      (s->target_bytes +
				       pst_min(q->bytes, PST_MAX_BYTES)) / 2);
	return pst_sub_floor(pipe_bytes, pst_max(kept_bytes, above_bytes));
}

/*
 * A queue filled by uncontrolled traffic, where no discipline limits it, does not reduce
 * windows (R36).
 */
PST_FN void pst_penstock_aim(const struct pst_penstock_params *p,
			     struct pst_penstock_state *s,
			     const struct pst_queue *q)
{
	u64 target_bytes = pst_target_bytes(q, p->target_bytes, p->target_ns);

	s->target_bytes = pst_pipe_target_bytes(q, target_bytes);
	s->target_ns = pst_min(pst_mul_div(pst_min(s->target_bytes, PST_MAX_BYTES),
					   PST_NS_PER_S,
					   pst_clamp(q->rate_bytes_per_s, 1,
						     PST_MAX_BYTES)),
			       PST_MAX_NS);
}

/* @each_q16 segments times c; factor_q32 may be above 1. */
PST_FN u64 pst_penstock_share_q16(const struct pst_penstock_state *s, u64 each_q16)
{
	return pst_min(each_q16, PST_MAX_BYTES) * (s->factor_q32 >> 16) >> 16;
}

/* Equation 1. */
PST_FN u64 pst_penstock_segments_q16(const struct pst_penstock_params *p,
				     const struct pst_penstock_state *s,
				     const struct pst_queue *q,
				     const struct pst_ack *a)
{
	u64 rtt_ns = pst_penstock_rtt_ns(p, s, a->rtt_ns);
	u64 each_q16 = pst_pipe_segments_q16(
		q, pst_penstock_free_bytes(s, q, pst_pipe_bytes(q, rtt_ns, s->target_bytes)),
		a->mss_bytes + p->header_bytes);

	return pst_clamp(pst_penstock_share_q16(s, each_q16), 1,
			 PST_PIPE_MAX_SEGMENTS << 16);
}

/*
 * True if there is no room for a segment of each flow, where receivers delay the ACK of a
 * lone one by D; @flows_q16 are all flows.
 */
PST_FN bool pst_penstock_is_outnumbered(const struct pst_penstock_params *p,
					const struct pst_penstock_state *s,
					const struct pst_queue *q, u64 flows_q16,
					u32 mss_bytes)
{
	u64 round_ns = pst_penstock_rtt_ns(p, s, 0) + p->delayed_ack_ns;
	u64 pipe_bytes = pst_pipe_bytes(q, round_ns, s->target_bytes);

	return pst_min(pipe_bytes, PST_MAX_BYTES) <
	       pst_min(flows_q16, PST_MAX_BYTES) * (mss_bytes + p->header_bytes) >> 16;
}

/*
 * Equation 6. The room in the queue belongs to opening connections, as the windows of the
 * others already fill their part of it. Where a share is below two segments, more would be
 * withdrawn at once. A path that no ACK has measured yet is not used.
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
	u64 high_bytes = pst_penstock_high_bytes(s->target_bytes, q);
	u64 opening = pst_clamp(q->opening, 1, PST_MAX_PKTS / 128);
	u64 each_bytes = pst_mul_div(
		pst_min(path_bytes + s->target_bytes, PST_MAX_BYTES), PST_Q16_ONE,
		pst_clamp(q->flows_q16, 1, PST_MAX_BYTES / 2) + opening * PST_Q16_ONE);
	u64 others_bytes = pst_sub_floor(s->promised_bytes, f->promised_bytes);
	u64 room_bytes = pst_sub_floor(high_bytes, others_bytes + q->bytes);
	u64 segments;

	s->opening = opening;
	if (each_bytes >= PST_PENSTOCK_LEAST_FIRST_SEGMENTS * wire_bytes)
		each_bytes = pst_max(each_bytes, room_bytes / opening);
	segments = pst_clamp(pst_min(each_bytes, room_bytes) / wire_bytes,
			     PST_PENSTOCK_LEAST_FIRST_SEGMENTS,
			     PST_PENSTOCK_FIRST_SEGMENTS);
	f->promised_bytes = (u32)(segments * wire_bytes *
				  (PST_Q15_ONE - q->silent_q15) >> 15);
	s->promised_bytes = pst_min(others_bytes + f->promised_bytes, PST_MAX_BYTES);
	return segments * a->mss_bytes;
}

#endif
