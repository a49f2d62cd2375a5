/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The queue that `penstock` and `fair` aim at. Both use one target: a method with the
 * higher target would leave the link to the other.
 */
#ifndef PENSTOCK_CORE_QUEUE_TARGET_H
#define PENSTOCK_CORE_QUEUE_TARGET_H

#include "queue.h"
#include "../math/sqrt.h"

/*
 * target_bytes: the rest of the buffer is room for what no ACK could stop.
 * target_ns: what delay an operator accepts does not grow with the buffer (CoDel's choice,
 * RFC 8289 section 3.2).
 */
#define PST_TARGET_PARAMS(P)                                                   \
	P(target_bytes, PST_BYTES, PST_OF_BUFFER(3, 10), 0, PST_MAX_BYTES,     \
	  "target queue length, at most", "our choice: EWT's threshold")       \
	P(target_ns, PST_NS, PST_IS(5000000), 0, PST_MAX_NS,                   \
	  "and the time in which the link sends it, at most",                  \
	  "our choice: CoDel's target")

/*
 * What full use needs, whatever time it takes: two pairs of segments, as receivers acknowledge
 * pairs, and 5/2 sqrt(N) segments. N flows whose turns are independent bring sqrt(N) pairs more
 * or less than the link carries in a round trip (docs/papers/penstock-target.md).
 */
#define PST_TARGET_LEAST_SEGMENTS 4ULL
#define PST_TARGET_ROOT_HALVES 5ULL

PST_FN u64 pst_target_least_bytes(const struct pst_queue *q)
{
	u64 root_q8 = pst_sqrt_newton(pst_clamp(q->flows_q16, 1, PST_MAX_BYTES));
	u64 segments_q8 = pst_max(PST_TARGET_LEAST_SEGMENTS << 8,
				  PST_TARGET_ROOT_HALVES * root_q8 / 2);

	return segments_q8 * ((u64)q->mss_bytes + PST_HEADERS_BYTES) >> 8;
}

/* The target for the rate of @q, its flows and its pauses; 0 .. @target_bytes. */
PST_FN u64 pst_target_bytes(const struct pst_queue *q, u64 target_bytes, u64 target_ns)
{
	u64 least_bytes = pst_target_least_bytes(q);
	u64 rate = pst_min(q->rate_bytes_per_s, PST_MAX_BYTES);
	u64 bytes = pst_min(pst_bytes_in(rate, target_ns), PST_MAX_BYTES);
	u64 pause_bytes = pst_min(pst_bytes_in(rate, q->pause_ns), PST_MAX_BYTES);

	return pst_min(pst_max(bytes, least_bytes) + pause_bytes, target_bytes);
}

#endif
