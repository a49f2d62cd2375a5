/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The queue that `penstock` and `fair` aim at, each in its own way; one number, as a method
 * whose target is above the other's would leave the link to it.
 */
#ifndef PENSTOCK_CORE_QUEUE_TARGET_H
#define PENSTOCK_CORE_QUEUE_TARGET_H

#include "queue.h"

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

/* A receiver acknowledges pairs of segments, so a queue of less is empty between them. */
#define PST_TARGET_LEAST_SEGMENTS 2ULL

/* The target for the rate of @q; 0 .. @target_bytes. */
PST_FN u64 pst_target_bytes(const struct pst_queue *q, u64 target_bytes, u64 target_ns)
{
	u64 least_bytes = PST_TARGET_LEAST_SEGMENTS *
			  ((u64)q->mss_bytes + PST_HEADERS_BYTES);
	u64 bytes = pst_bytes_in(pst_min(q->rate_bytes_per_s, PST_MAX_BYTES), target_ns);

	return pst_min(pst_max(bytes, least_bytes), target_bytes);
}

#endif
