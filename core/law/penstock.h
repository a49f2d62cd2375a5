/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Penstock: the path and a target queue, divided among the flows that can use them.
 *
 * Penstock's own; docs/papers/penstock.md derives it. RTT_i is a flow's RTT without the
 * delay in this queue, RTT the mean of all, P = C * RTT + target, N the flows by what they
 * send, O the connections whose first data can be expected, as their SYN was seen, V the
 * bytes of first flights that were promised and can be expected, U the queue, Q the queue
 * that will result from the data that ACKs have released, high the middle between target and
 * limit, L a segment's length on the wire, T the interval between two steps, use the fraction
 * of C that was acknowledged in an RTT:
 *
 *   S_i = c * free_i / (N * L) segments                                   (1)
 *   c   = c + c * gain * min(T / (P / C + D), 1) * e / P                  (2)
 *   e   = target - U, and while the queue is empty                        (3)
 *         target - U + max(0, 7/8 - use) * C * RTT
 *   free_i = P_i - max(min(V, P_i / 5), Q - target),                      (4)
 *         P_i = C * RTT_i + target; of a phantom queue, where no packet
 *         waits, at least (target + U) / 2 is taken off
 *   W_i = floor(S_i + phase_i(t)), but below 4 segments only 1, 2 and 4   (5)
 *   W_0 = max(P / (N + O), R / O) / L with R = high - V - U, no more than
 *         what R has room for, in 2 .. 10, for a first flight; the first
 *         term alone if below two segments, and RTT = 0 until one is
 *         measured                                                        (6)
 *   W_i grows by at most high - A from ACK to ACK, and falls by half of
 *         what the ACK acknowledges while A < target, where
 *         A = max(Q, U + Q / 2)                                           (7)
 *   target is a time, no less than what full use needs (target.h), and
 *         pause on top                                                    (8)
 *   pause = pause + target_ns / 8 (1 - 2 others), up to 2 target_ns, at a
 *         step that finds the queue empty although its mean is 3/4 of the
 *         target or more; else pause - least / 128, where the least queue
 *         grows by a 128th of the target with each step                   (9)
 *
 * (1) is the water-filling: N counts a flow by the part of its window that it uses. (2)
 * corrects the errors of the model; with gain = 1/e its loop is critically damped. c rises
 * only while, of the bytes acknowledged in a round trip, flows that (1) limits have an eighth
 * or more, and flows that (7) limits no more than a quarter: those limited by the sender, the
 * receiver or another gateway would not use a larger share, those limited by (7) come to use
 * what is free by themselves, and c would wind up. A window that lacks less than a 32nd of its
 * share does not grow: bursts in Q vary shares by as much. Otherwise its excess over 1 decays. D is 0;
 * with windows below two segments it is the time for which a receiver may delay an ACK, and
 * the gain is slow_gain, as it is of a phantom queue, which integrates by itself. (5) gives
 * whole segments that rarely change: the phases are spread evenly and go round once in 2^32 ns.
 * (4) lets the later ACKs of a burst withhold what would stand in the queue; ACKs after it
 * let it out. (7) makes slow starts use the gaps between bursts, and lets older flows go on,
 * at half their rate, while newcomers double theirs. An edge that went back lets out nothing until
 * it is ahead again, nor does an ACK to a sender that has sent all it had. (9) outlasts pauses of
 * ACKs or data, as of Wi-Fi or behind an upload: what empties a queue that is long enough in the
 * mean. It acts while c may rise; others is the part of the link that uncontrolled traffic uses.
 * The discipline below, fair.h, holds traffic that no window controls to its share.
 */
#ifndef PENSTOCK_CORE_LAW_PENSTOCK_H
#define PENSTOCK_CORE_LAW_PENSTOCK_H

#include "penstock_step.h"
#include "penstock_window.h"

#define PST_PENSTOCK_TITLE "penstock, path and queue for the flows that use them"
#define PST_PENSTOCK_SOURCE "Penstock; docs/papers/penstock.md"
#define PST_PENSTOCK_FORMULA "min(window_bytes, whole_segments * mss_bytes)"

/*
 * The queue is above its target, and all windows are one segment or c is at its least, where
 * an eighth more counts as that. Windows that are delayed still respond.
 */
PST_FN enum pst_floor pst_penstock_floor(const struct pst_penstock_params *p,
					 const struct pst_penstock_state *s,
					 const struct pst_queue *q)
{
	u64 each_q16 = pst_penstock_each_q16(p, s, q);
	bool is_least = s->factor_q32 <= PST_PENSTOCK_LEAST_Q32 + PST_PENSTOCK_LEAST_Q32 / 8 ||
			pst_penstock_share_q16(s, each_q16) < PST_PENSTOCK_LEAST_SHARE_Q16;

	if (q->bytes <= s->target_bytes || !is_least || pst_penstock_is_paced(p, s, q))
		return PST_FLOOR_NONE;
	return each_q16 < PST_Q16_ONE ? PST_FLOOR_SEGMENT : PST_FLOOR_CORRECTION;
}

PST_FN void pst_penstock_init(const struct pst_penstock_params *p,
			      struct pst_penstock_state *s,
			      const struct pst_queue *q)
{
	s->factor_q32 = PST_Q32_ONE;
	pst_penstock_aim(p, s, q);
	/* Flows may start before the first step, and Q drains from the first on. */
	pst_penstock_foresee(p, s, q);
}

/* Data of @f passes, which fulfils the promise to it. */
PST_FN void pst_penstock_on_data(const struct pst_penstock_params *p,
				 struct pst_penstock_state *s,
				 struct pst_penstock_flow *f,
				 const struct pst_queue *q, u32 bytes)
{
	u64 came_bytes = pst_min(f->promised_bytes, bytes + p->header_bytes);

	(void)q;
	f->promised_bytes -= (u32)came_bytes;
	s->promised_bytes = pst_sub_floor(s->promised_bytes, came_bytes);
}

PST_FN u64 pst_penstock_on_tick(const struct pst_penstock_params *p,
				struct pst_penstock_state *s,
				const struct pst_queue *q)
{
	u64 life_ns = pst_max(PST_PENSTOCK_LIFE_TRIPS * pst_penstock_rtt_ns(p, s, 0), p->interval_ns);

	pst_penstock_aim(p, s, q);
	/* Promises to flows that open and send nothing expire. */
	s->promised_bytes -= pst_mul_div(s->promised_bytes, p->interval_ns, life_ns);
	pst_penstock_follow_flows(s, q);
	pst_penstock_measure_use(p, s, q);
	/* With windows of one segment, ACKs are delayed instead. */
	s->factor_q32 = q->observed || pst_penstock_is_paced(p, s, q) ?
				PST_Q32_ONE :
				pst_clamp(pst_penstock_step_q32(p, s, q),
					  PST_PENSTOCK_LEAST_Q32,
					  PST_PENSTOCK_MOST_Q32);
	pst_penstock_outlast(p, s, q);
	pst_penstock_forget(p, s);
	pst_penstock_foresee(p, s, q);
	return p->interval_ns;
}

PST_FN u64 pst_penstock_pause_ns(const struct pst_penstock_state *s)
{
	return s->pause_ns;
}

/*
 * The first data of @f are acknowledged: what has not come of its first flight is not to come,
 * neither in V nor in Q.
 */
PST_FN void pst_penstock_keep(struct pst_penstock_state *s, struct pst_penstock_flow *f)
{
	s->promised_bytes = pst_sub_floor(s->promised_bytes, f->promised_bytes);
	s->coming_bytes = pst_sub_floor(s->coming_bytes, f->promised_bytes);
	f->promised_bytes = 0;
}

/* Takes in what the ACK says of the flow. */
PST_FN void pst_penstock_learn(const struct pst_penstock_params *p,
			       struct pst_penstock_state *s,
			       struct pst_penstock_flow *f, const struct pst_ack *a)
{
	enum pst_penstock_bound limit = pst_penstock_limit(f, a);
	u64 acked_bytes;

	pst_penstock_take_mss(f, a->mss_bytes);
	acked_bytes = pst_penstock_flow_wire_bytes(p, f, a->acked_bytes);
	s->rtt_ns_q16 = pst_pipe_mean_rtt_q16(s->rtt_ns_q16, a->rtt_ns);
	s->acked_bytes += acked_bytes;
	if (limit == PST_PENSTOCK_SHARE)
		s->filled_bytes += acked_bytes;
	else if (limit == PST_PENSTOCK_GROWTH)
		s->growing_bytes += acked_bytes;
}

PST_FN u64 pst_penstock_on_ack(const struct pst_penstock_params *p,
			       struct pst_penstock_state *s,
			       struct pst_penstock_flow *f,
			       const struct pst_queue *q, const struct pst_ack *a)
{
	u64 phase_q16, share_bytes, window_bytes;

	if (f->bound == PST_PENSTOCK_NEW) {
		f->bound = PST_PENSTOCK_GROWTH;
		s->phase_q16 = (s->phase_q16 + PST_GOLDEN_Q16) & 0xffff;
		f->phase_q16 = (u16)s->phase_q16;
	}
	pst_penstock_drain(s, q->now_ns);
	if (a->opens)
		return pst_min(a->window_bytes, pst_penstock_open(p, s, f, q, a));
	pst_penstock_learn(p, s, f, a);
	if (a->acked_bytes) {
		s->acked_ns = q->now_ns;
		pst_penstock_keep(s, f);
	}
	s->segments_q16 = pst_penstock_segments_q16(p, s, q, a);
	phase_q16 = (f->phase_q16 + (q->now_ns >> 16)) & 0xffff;
	/* No more than the receiver's, or another gateway's: what is not granted is not let out. */
	share_bytes = pst_min(pst_penstock_whole(p, s, a, phase_q16) * pst_max(a->mss_bytes, 1),
			      a->window_bytes);
	window_bytes = pst_penstock_grown(p, s, f, q, a, share_bytes);
	if (window_bytes < share_bytes - share_bytes / PST_PENSTOCK_LACK_PART)
		f->bound = PST_PENSTOCK_GROWTH;
	else if (a->window_bytes <= window_bytes)
		f->bound = PST_PENSTOCK_RECEIVER;
	else
		f->bound = PST_PENSTOCK_SHARE;
	return pst_min(a->window_bytes, window_bytes);
}

#endif
