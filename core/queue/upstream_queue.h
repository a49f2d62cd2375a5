/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A queue before the gateway, and the rate of its link, from what the data has waited when it
 * comes here: for a bottleneck at the other end of the line, such as a provider's.
 *
 *   U = C wait                                                                    (1)
 *
 * `wait` is common_wait.h's. C is the rate of what arrives while a wait stands, which is all that
 * the link can send: departure_rate.h averages it, of all packets, whatever they are. The link was
 * busy between two segments if what they waited covers the time between them.
 *
 * The queue is unknown until such times have covered 50 ms, and again when for 10 s neither a
 * queue stood nor half of C was used.
 */
#ifndef PENSTOCK_CORE_QUEUE_UPSTREAM_QUEUE_H
#define PENSTOCK_CORE_QUEUE_UPSTREAM_QUEUE_H

#include "../flow/one_way.h"
#include "common_wait.h"
#include "departure_rate.h"

#define PST_UPSTREAM_MARGIN_NS 1000000ULL /* a shorter wait is jitter */
#define PST_UPSTREAM_KEEP_NS (10 * PST_NS_PER_S)

struct pst_upstream_queue {
	struct pst_common_wait wait;
	u64 came_bytes;		/* since the last segment that said something */
	u64 said_ns;		/* when that came; 0 none did */
	u64 before_ns;		/* the common wait then */
	u64 known_ns;		/* until then C is known; 0 it is not */
	u32 usual_tick;		/* the last that was learned; 0 none was */
};

PST_FN bool pst_upstream_is_known(const struct pst_upstream_queue *u)
{
	return u->known_ns != 0;
}

/* Equation 1. */
PST_FN u64 pst_upstream_bytes(const struct pst_upstream_queue *u,
			      const struct pst_departure_rate *r, u64 now_ns)
{
	return pst_min(pst_bytes_in(pst_min(r->bytes_per_s, PST_MAX_BYTES),
				    pst_common_wait_now_ns(&u->wait, now_ns)),
		       PST_MAX_BYTES);
}

/* Call this before the other events at @now_ns. */
PST_FN void pst_upstream_look(struct pst_upstream_queue *u, struct pst_departure_rate *r,
			      u64 now_ns)
{
	if (u->known_ns && now_ns > u->known_ns) {
		u->known_ns = 0;
		pst_departure_rate_init(r);
	}
}

/* A packet of @bytes, whatever it is, has arrived. */
PST_FN void pst_upstream_enter(struct pst_upstream_queue *u, u64 bytes)
{
	u->came_bytes = pst_min(u->came_bytes + pst_min(bytes, PST_MAX_BYTES), PST_MAX_BYTES);
}

#endif
