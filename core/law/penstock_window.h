/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The law `penstock`: whole segments, growth of windows, and delayed ACKs. Equations are
 * those of penstock.h.
 */
#ifndef PENSTOCK_CORE_LAW_PENSTOCK_WINDOW_H
#define PENSTOCK_CORE_LAW_PENSTOCK_WINDOW_H

#include "penstock_plan.h"

/* Bounds whose product, with 32 fraction bits, is below 2^64: 134 ms, 256 Gbit/s. */
#define PST_PENSTOCK_MOST_GONE_NS (1ULL << 27)
#define PST_PENSTOCK_MOST_DRAIN_Q32 ((1ULL << 37) - 1)

/*
 * The fraction of time with a window of two segments, where S is below two. A window of
 * one adds the receiver's delay D to the round trip t = RTT_i + target / C, so for a mean
 * rate of S / t the fraction is (S (t + D) - t) / (t + 2 D).
 */
PST_FN u64 pst_penstock_pairs_q16(const struct pst_penstock_params *p,
				  const struct pst_penstock_state *s,
				  const struct pst_ack *a)
{
	u64 rtt_ns = pst_min(pst_penstock_rtt_ns(p, s, a->rtt_ns), PST_MAX_NS);
	u64 turn = (rtt_ns + s->target_ns) >> 10;
	u64 delay = p->delayed_ack_ns >> 10;

	return pst_sub_floor(s->segments_q16 * (turn + delay), turn << 16) /
	       pst_max(turn + 2 * delay, 1);
}

/*
 * Equation 5. Receivers acknowledge every second segment at once, and delay the ACK of
 * one that is left (RFC 1122 section 4.2.3.2): a window of three would be one of two, with
 * a third segment that the gateway cannot place in time.
 */
PST_FN u64 pst_penstock_whole(const struct pst_penstock_params *p,
			      const struct pst_penstock_state *s,
			      const struct pst_ack *a, u64 phase_q16)
{
	u64 segments_q16 = s->segments_q16;

	if (segments_q16 < 2 * PST_Q16_ONE)
		return 1 + ((pst_penstock_pairs_q16(p, s, a) + phase_q16) >> 16);
	if (segments_q16 < 4 * PST_Q16_ONE)
		return 2 * ((segments_q16 / 2 + phase_q16) >> 16);
	return (segments_q16 + phase_q16) >> 16;
}

/* Takes off Q what has left the queue until @now_ns. */
PST_FN void pst_penstock_drain(struct pst_penstock_state *s, u64 now_ns)
{
	u64 gone_ns = pst_min(pst_sub_floor(now_ns, s->coming_ns),
			      PST_PENSTOCK_MOST_GONE_NS);

	s->coming_bytes = pst_sub_floor(s->coming_bytes,
					gone_ns * s->drain_q32 >> 32);
	s->coming_ns = pst_max(now_ns, s->coming_ns);
}

/*
 * Each step Q moves towards the queue by T / RTT, as released data arrives within a round
 * trip; and by half of that while it is above the queue, as a burst may still be on its way.
 * It drains at C, or at the rate in use if C is configured too small. It is no more than path
 * and buffer hold, whatever forged ACKs claimed.
 */
PST_FN void pst_penstock_foresee(const struct pst_penstock_params *p,
				 struct pst_penstock_state *s,
				 const struct pst_queue *q)
{
	u64 rtt_ns = pst_penstock_turn_ns(p, s);
	u64 part_q32 = pst_penstock_part_q32(p, rtt_ns);
	u64 rate_q32 = pst_mul_div(pst_min(q->rate_bytes_per_s, PST_MAX_BYTES),
				   PST_Q32_ONE, PST_NS_PER_S);

	pst_penstock_drain(s, q->now_ns);
	s->coming_bytes = pst_min(s->coming_bytes,
				  pst_pipe_bytes(q, rtt_ns, q->limit_bytes));
	s->coming_bytes = pst_average_q16(s->coming_bytes << 16,
					  pst_min(q->bytes, PST_MAX_BYTES - 1),
					  q->bytes < s->coming_bytes ? part_q32 / 2 : part_q32) >> 16;
	s->drain_q32 = pst_min(pst_mul_div(rate_q32,
					   pst_max(s->use_q16, PST_Q16_ONE),
					   PST_Q16_ONE),
			       PST_PENSTOCK_MOST_DRAIN_Q32);
}

/* @bytes are let out. */
PST_FN void pst_penstock_let_out(struct pst_penstock_state *s, u64 bytes)
{
	s->coming_bytes = pst_min(s->coming_bytes + bytes, PST_MAX_BYTES - 1);
}

/*
 * The first flight of @f, equation 6. The queue to come books it as (4) does, up to a fifth of
 * path and queue.
 */
PST_FN u64 pst_penstock_open(const struct pst_penstock_params *p,
			     struct pst_penstock_state *s,
			     struct pst_penstock_flow *f,
			     const struct pst_queue *q, const struct pst_ack *a)
{
	u64 pipe_bytes = pst_pipe_bytes(q, pst_penstock_rtt_ns(p, s, 0),
					s->target_bytes);
	u64 most_bytes = s->target_bytes + pipe_bytes / PST_PENSTOCK_PROMISED_PART;
	u64 before_bytes = f->promised_bytes;
	u64 first_bytes = pst_penstock_first_bytes(p, s, f, q, a);
	u64 more_bytes = pst_sub_floor(f->promised_bytes, before_bytes);

	if (!q->paced)
		more_bytes = pst_min(more_bytes,
				     pst_sub_floor(most_bytes, s->coming_bytes));
	pst_penstock_let_out(s, more_bytes);
	return first_bytes;
}

/*
 * An ACK moves the edge of @f from @before_bytes to @edge_bytes, both counted from the same
 * byte. What an edge that went back gains again was let out before.
 */
PST_FN void pst_penstock_move_edge(struct pst_penstock_state *s, struct pst_penstock_flow *f,
				   u64 before_bytes, u64 edge_bytes)
{
	u64 more_bytes = pst_sub_floor(edge_bytes, before_bytes);
	u64 again_bytes = pst_min(more_bytes, f->behind_bytes);
	u64 back_bytes = pst_sub_floor(before_bytes, edge_bytes);

	f->behind_bytes = (u32)pst_min(f->behind_bytes - again_bytes + back_bytes,
				       PST_MOST_WINDOW_BYTES);
	pst_penstock_let_out(s, more_bytes - again_bytes);
}

/* @window_bytes as the ACK says them, in whole granules (R3). */
PST_FN u64 pst_penstock_said_bytes(const struct pst_ack *a, u64 window_bytes)
{
	u64 most_bytes = window_bytes + a->granule_bytes - 1;

	return most_bytes - (most_bytes & (a->granule_bytes - 1));
}

/* The queue that (7) sees, U': of what was let out, half may still come on top of what stands. */
PST_FN u64 pst_penstock_ahead_bytes(const struct pst_penstock_state *s, const struct pst_queue *q)
{
	return pst_max(s->coming_bytes,
		       pst_min(q->bytes, PST_MAX_BYTES) + s->coming_bytes / 2);
}

/*
 * Equation 7: as much of @share_bytes as the ACK @a may grant, or more than that, where a window
 * would fall at once. A sender that neither has more to send nor fills its window uses nothing
 * of what is let out.
 */
PST_FN u64 pst_penstock_grown(const struct pst_penstock_params *p,
			      struct pst_penstock_state *s, struct pst_penstock_flow *f,
			      const struct pst_queue *q, const struct pst_ack *a,
			      u64 share_bytes)
{
	u64 acked_bytes = pst_penstock_wire_bytes(p, a->acked_bytes, a->mss_bytes);
	u64 high_bytes = pst_penstock_high_bytes(s->target_bytes, q);
	u64 ahead_bytes = pst_penstock_ahead_bytes(s, q);
	u64 window_bytes = share_bytes;

	if (!a->granted_bytes)
		return window_bytes;
	if (a->fills && ahead_bytes < s->target_bytes)
		window_bytes = pst_max(window_bytes,
				       pst_min(pst_sub_floor(a->granted_bytes, a->acked_bytes / 2),
					       a->window_bytes));
	window_bytes = pst_min(window_bytes,
			       a->granted_bytes +
				       pst_min(a->acked_bytes,
					       pst_sub_floor(high_bytes, ahead_bytes)));
	if (a->more || a->fills)
		pst_penstock_move_edge(s, f, a->granted_bytes,
				       acked_bytes + pst_penstock_said_bytes(a, window_bytes));
	return pst_max(window_bytes, a->mss_bytes);
}

/*
 * The time that @bytes and their headers take at the link's rate, up to an eighth more or
 * less to bring the queue to its target: bytes / C * (C * RTT + U') / P. U' is the queue
 * when all booked data, for @booked_ns, will have been released. The current queue does not
 * yet show booked data, so U' is predicted. Each booking adds the bytes that it releases,
 * and subtracts the bytes that leave meanwhile. Traffic that was not booked shows only in
 * the queue, so each booking also moves U' towards the queue, with the gain of (2). Where
 * flows are not too many, first flights wait while Q is above the target. While some wait,
 * what other ACKs let out is booked ahead of them.
 */
PST_FN u64 pst_penstock_pace_ns(const struct pst_penstock_params *p,
				struct pst_penstock_state *s,
				const struct pst_queue *q, const struct pst_ack *a,
				u64 bytes, u64 booked_ns, bool *waits)
{
	u64 rtt_ns = pst_penstock_rtt_ns(p, s, a->rtt_ns);
	u64 whole_bytes = pst_pipe_bytes(q, rtt_ns, s->target_bytes);
	u64 rate = pst_clamp(q->rate_bytes_per_s, 1, PST_MAX_BYTES);
	u64 flows_q16 = q->flows_q16 + (a->opens ? s->opening << 16 : 0);
	/* By the mean RTT: flows of longer ones would otherwise not be booked. */
	bool outnumbered = pst_penstock_is_outnumbered(p, s, q, flows_q16,
						       a->mss_bytes);
	u64 wire_bytes, then_bytes, ns, part_q32;

	*waits = outnumbered || a->opens;
	if (!outnumbered && !booked_ns &&
	    !(a->opens && s->coming_bytes > s->target_bytes))
		return 0;
	/* Its ACK comes while others still wait, and lets out another one. */
	if (a->opens && !outnumbered)
		bytes += a->mss_bytes;
	wire_bytes = pst_penstock_wire_bytes(p, (u32)pst_min(bytes, 0xffffffff),
					     a->mss_bytes);
	if (!booked_ns)
		s->booked_bytes = pst_min(q->bytes, PST_MAX_BYTES);
	then_bytes = pst_clamp(pst_pipe_bytes(q, rtt_ns, s->booked_bytes),
			       whole_bytes - whole_bytes / 8,
			       whole_bytes + whole_bytes / 8);
	ns = pst_mul_div(pst_min(wire_bytes, PST_MAX_BYTES), PST_NS_PER_S, rate);
	ns = pst_max(pst_mul_div(pst_min(ns, PST_MAX_NS), then_bytes, whole_bytes), 1);
	s->booked_bytes = pst_sub_floor(pst_min(s->booked_bytes + wire_bytes,
						PST_MAX_BYTES),
					pst_mul_div(rate, ns, PST_NS_PER_S));
	part_q32 = pst_mul_div(p->gain_q16 << 16, ns,
			       pst_max(pst_min(booked_ns, PST_MAX_NS) + rtt_ns, ns));
	s->booked_bytes = pst_average_q16(s->booked_bytes << 16,
					  pst_min(q->bytes, PST_MAX_BYTES - 1),
					  part_q32) >> 16;
	return ns;
}

#endif
