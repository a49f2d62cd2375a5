/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RWNDQ: one window for all flows, driven by the queue towards a target.
 *
 * A. M. Abdelmoniem, B. Bensaou, "Reconciling Mice and Elephants in Data Center Networks",
 * IEEE CloudNet 2015, Algorithm 1. N is the number of flows, U the queue, L the largest
 * packet, T the interval between two looks at the queue, M of which make an update; the
 * sum of all windows S is what their implementation calls the local window ("Efficient
 * Switch-Assisted Congestion Control for Data Centers", IEEE IPCCC 2015, Listing 1):
 *
 *   S = target                            with the first flow, and slow start begins
 *   S = S + 2 N L                         each M T in slow start, which ends once U is
 *                                         at the target
 *   S = S + L * (1 - mean(U) / target)    each M T from then on
 *   W' = min(Wr, S / N)
 *
 * docs/methods/rwndq.md has where the two papers differ.
 */
#ifndef PENSTOCK_CORE_LAW_RWNDQ_H
#define PENSTOCK_CORE_LAW_RWNDQ_H

#include "../queue/queue.h"
#include "ack.h"

#define PST_RWNDQ_TITLE "RWNDQ, one window driven by the queue"
#define PST_RWNDQ_SOURCE \
	"Abdelmoniem, Bensaou, IEEE CloudNet 2015 and IEEE IPCCC 2015"
#define PST_RWNDQ_FORMULA "min(window_bytes, each_bytes)"

#define PST_RWNDQ_PARAMS(P)                                                    \
	P(interval_ns, PST_NS, PST_IS(1000000), 100000, PST_MAX_NS,            \
	  "sampling interval of the queue (T)", "IPCCC 2015, its module")     \
	P(updates, PST_COUNT, PST_IS(8), 1, 65536,                             \
	  "samples per update of the window (M)",                             \
	  "IPCCC 2015, its module")                                            \
	P(target_bytes, PST_BYTES, PST_OF_BUFFER(1, 4), 1, PST_MAX_BYTES,      \
	  "target queue length", "IPCCC 2015, Listing 1")                     \
	P(least_bytes, PST_BYTES, PST_IS(88), 1, PST_MOST_WINDOW_BYTES, \
	  "smallest window", "IPCCC 2015, Listing 1: Linux' TCP_MIN_MSS")      \
	P(most_bytes, PST_BYTES, PST_IS(65535), 1, PST_MOST_WINDOW_BYTES, \
	  "largest window", "IPCCC 2015, Listing 1")

#define PST_RWNDQ_STATE(S)                                              \
	S(sum_bytes, PST_BYTES, "all flows' windows together (S)")      \
	S(each_bytes, PST_BYTES, "window of the last ACK's flow")       \
	S(looks, PST_COUNT, "at the queue since the last update")       \
	S(seen_bytes, PST_BYTES, "sum of the queues that they found")   \
	S(slow_start, PST_FLAG, "1 until the queue first is at target") \
	S(acked_ns, PST_TIME, "time of the last ACK")

struct pst_rwndq_params {
	PST_RWNDQ_PARAMS(PST_PARAM_FIELD)
};

struct pst_rwndq_state {
	PST_RWNDQ_STATE(PST_STATE_FIELD)
};

/* After this time without an ACK, there are no flows. */
#define PST_RWNDQ_IDLE_NS PST_NS_PER_S
#define PST_RWNDQ_MOST_FLOWS 1048576ULL

PST_FN bool pst_rwndq_is_idle(const struct pst_rwndq_state *s, u64 now_ns)
{
	return !s->acked_ns || now_ns > s->acked_ns + PST_RWNDQ_IDLE_NS;
}

/* The first flow begins. */
PST_FN void pst_rwndq_init(const struct pst_rwndq_params *p,
			   struct pst_rwndq_state *s, const struct pst_queue *q)
{
	(void)q;
	s->sum_bytes = p->target_bytes;
	s->looks = 0;
	s->seen_bytes = 0;
	s->slow_start = 1;
	s->acked_ns = 0;
}

/* After M samples; @flows is N: L * (1 - mean(U) / target), or slow start's step. */
PST_FN void pst_rwndq_update(const struct pst_rwndq_params *p,
			     struct pst_rwndq_state *s, const struct pst_queue *q,
			     u64 flows)
{
	u64 whole_bytes = pst_min(p->target_bytes * p->updates, PST_MAX_BYTES);
	bool up = s->seen_bytes <= whole_bytes;
	u64 error_bytes = up ? whole_bytes - s->seen_bytes :
			       s->seen_bytes - whole_bytes;
	u64 step_bytes = pst_mul_div(error_bytes, q->mss_bytes, whole_bytes);

	if (s->slow_start)
		s->sum_bytes += 2 * flows * q->mss_bytes;
	else if (up)
		s->sum_bytes += step_bytes;
	else
		s->sum_bytes = pst_sub_floor(s->sum_bytes, step_bytes);
	s->sum_bytes = pst_clamp(s->sum_bytes, flows * p->least_bytes,
				 flows * p->most_bytes);
	if (q->bytes >= p->target_bytes)
		s->slow_start = 0;
}

PST_FN u64 pst_rwndq_on_tick(const struct pst_rwndq_params *p,
			     struct pst_rwndq_state *s, const struct pst_queue *q)
{
	if (q->observed)
		pst_rwndq_init(p, s, q);
	if (pst_rwndq_is_idle(s, q->now_ns))
		return p->interval_ns;
	s->seen_bytes = pst_min(s->seen_bytes + q->bytes, PST_MAX_BYTES);
	if (++s->looks < p->updates)
		return p->interval_ns;
	pst_rwndq_update(p, s, q, pst_clamp(q->flows, 1, PST_RWNDQ_MOST_FLOWS));
	s->looks = 0;
	s->seen_bytes = 0;
	return p->interval_ns;
}

PST_FN u64 pst_rwndq_on_ack(const struct pst_rwndq_params *p,
			    struct pst_rwndq_state *s, const struct pst_queue *q,
			    const struct pst_ack *a)
{
	if (pst_rwndq_is_idle(s, q->now_ns))
		pst_rwndq_init(p, s, q);
	s->acked_ns = q->now_ns;
	s->each_bytes = s->sum_bytes / pst_max(q->flows, 1);
	return pst_min(a->window_bytes, s->each_bytes);
}

#endif
