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
 * queue stood nor half of C was used; then until half of that C is used.
 *
 * Who never saw the queue empty takes it for the path, and clocks drift. So a queue that has not
 * been empty for 5 s is drained (drain.h). If the link was idle meanwhile, for a packet's time and
 * 1 ms, what is left of the wait is that of clocks, and all bases move by it, by 200 ppm of the time
 * since the last drain and at most by 1 ms; or that of a longer path, and they move by all of it.
 * Methods see the queue from before meanwhile.
 *
 * If half of C is left while waits stay as high, windows reduce the rate but not the wait. It is
 * then taken for path: a longer route. If that happens again within a minute, others fill
 * the queue, and all is unknown for 30 s and more: who yields alone starves.
 */
#ifndef PENSTOCK_CORE_QUEUE_UPSTREAM_QUEUE_H
#define PENSTOCK_CORE_QUEUE_UPSTREAM_QUEUE_H

#include "../sizes.h"
#include "../flow/one_way.h"
#include "../flow/rtt.h"
#include "common_wait.h"
#include "departure_rate.h"
#include "drain.h"

#define PST_UPSTREAM_IDLE_NS 1000000ULL
#define PST_UPSTREAM_RAISE_NS 1000000ULL
#define PST_UPSTREAM_UNSAID_NS 10000000ULL /* the longest tick of a clock */
#define PST_UPSTREAM_LOST_PART 8ULL /* of C, where a drain is due */
#define PST_UPSTREAM_CLOCK 5000ULL /* a clock is off by 1 / 5000, 200 ppm, at most */

struct pst_upstream_queue {
	struct pst_common_wait wait;
	u64 came_bytes;		/* since the last segment that said something */
	u64 said_ns;		/* when that came; 0 none did */
	u64 before_ns;		/* the common wait then */
	u64 known_ns;		/* until then C is known; 0 it is not */
	u64 before_bytes_per_s;	/* C when it was forgotten; 0 it was in doubt */
	u64 rtt_ns;		/* mean round trip of flows, without the wait; 0 unknown */
	struct pst_drain drain;
	u64 seen_ns;		/* the last look */
	u64 entered_ns;		/* the last packet */
	u64 gap_ns;		/* the longest time without one since the drain began */
	u64 high_ns;		/* since when waits are about as high as then; 0 they are not */
	u64 high_wait_ns;	/* the wait then, */
	u64 high_bytes_per_s;	/* and C */
	u64 above_ns;		/* since when they are high, with no such band; 0 they are not */
	u64 above_bytes_per_s;
	u64 rebased_ns;		/* when the waits were last taken for path; 0 never */
	u64 doubted_ns;		/* until then nothing is believed */
	u64 doubt_shift;	/* the next doubt takes DOUBT << it */
	u32 usual_tick;		/* the last that was learned; 0 none was */
	u16 raise_us;		/* what the last drain left although the link was idle */
	u8 round;		/* of drains, modulo 256 */
	u8 rebased;		/* the one in which waits were last taken for path */
};

PST_FN bool pst_upstream_is_known(const struct pst_upstream_queue *u)
{
	return u->known_ns != 0;
}

/*
 * What data that comes at @now_ns has waited. A queue of which nothing comes empties; packets that
 * say nothing show that it did not, for a round trip, in which each flow says something.
 */
PST_FN u64 pst_upstream_now_ns(const struct pst_upstream_queue *u, u64 now_ns)
{
	u64 silent_ns = pst_sub_floor(now_ns, pst_max(u->wait.newest_ns, u->entered_ns));
	u64 unsaid_ns = pst_sub_floor(now_ns, u->wait.newest_ns);
	u64 gone_ns = pst_max(silent_ns, pst_sub_floor(unsaid_ns, pst_max(u->rtt_ns, PST_UPSTREAM_UNSAID_NS)));

	return pst_min(pst_sub_floor(u->wait.wait_ns, gone_ns), PST_MAX_NS);
}

/*
 * True if the wait at @now_ns is what is left of one, as nothing came that says it, and that one may
 * be path.
 */
PST_FN bool pst_upstream_is_inferred(const struct pst_upstream_queue *u, u64 now_ns)
{
	return pst_drain_may_be_path(&u->drain) &&
	       u->wait.wait_ns >= pst_upstream_now_ns(u, now_ns) + PST_UPSTREAM_IDLE_NS;
}

/* A packet of @bytes, whatever it is, has arrived. */
PST_FN void pst_upstream_enter(struct pst_upstream_queue *u, u64 bytes)
{
	u->came_bytes = pst_min(u->came_bytes + pst_min(bytes, PST_MAX_BYTES), PST_MAX_BYTES);
	u->gap_ns = pst_max(u->gap_ns, pst_sub_floor(u->seen_ns, u->entered_ns));
	u->entered_ns = u->seen_ns;
}

/* Equation 1, as methods are to see it at @now_ns. */
PST_CALL u64 pst_upstream_bytes(const struct pst_upstream_queue *u,
				const struct pst_departure_rate *r, u64 now_ns);

/* Call this before the other events at @now_ns. */
PST_CALL void pst_upstream_look(struct pst_upstream_queue *u, struct pst_departure_rate *r,
				u64 now_ns);

#ifndef PST_LINKED

PST_CALL u64 pst_upstream_bytes(const struct pst_upstream_queue *u,
				const struct pst_departure_rate *r, u64 now_ns)
{
	u64 wait_ns = pst_upstream_now_ns(u, now_ns);

	if (u->drain.until_ns)
		wait_ns = pst_max(wait_ns, u->drain.wait_ns);
	return pst_min(pst_bytes_in(pst_min(r->bytes_per_s, PST_MAX_BYTES), wait_ns),
		       PST_MAX_BYTES);
}

/* If nothing comes for longer, the link was idle. */
PST_FN u64 pst_upstream_idle_ns(u64 bytes_per_s)
{
	return pst_rtt_departure_ns(PST_UPSTREAM_IDLE_NS, PST_FULL_PACKET_BYTES, bytes_per_s);
}

/* The drain is over: what it left is the clocks', or that of a longer path. */
PST_FN u16 pst_upstream_raise_us(const struct pst_upstream_queue *u,
				 const struct pst_departure_rate *r)
{
	const struct pst_drain *d = &u->drain;
	u64 clocks_ns = pst_min(pst_sub_floor(d->shown_ns, d->round_ns) / PST_UPSTREAM_CLOCK,
				PST_UPSTREAM_RAISE_NS);
	u64 path_ns = pst_drain_path_ns(d, u->wait.wait_ns, pst_upstream_idle_ns(r->bytes_per_s),
					r->bytes_per_s, PST_UPSTREAM_LOST_PART);

	if (path_ns && u->gap_ns > pst_upstream_idle_ns(d->full_bytes_per_s))
		return (u16)(path_ns / 1000);
	if (d->least_ns <= d->wait_ns / 2 && u->gap_ns > pst_upstream_idle_ns(r->bytes_per_s))
		return (u16)(pst_min(d->least_ns, clocks_ns) / 1000);
	return 0;
}

/* True if bases move by more than clocks do. */
PST_FN bool pst_upstream_is_longer(const struct pst_upstream_queue *u)
{
	return u->raise_us * 1000ULL > PST_UPSTREAM_RAISE_NS;
}

PST_CALL void pst_upstream_look(struct pst_upstream_queue *u, struct pst_departure_rate *r,
				u64 now_ns)
{
	u->seen_ns = pst_max(now_ns, u->seen_ns);
	if (u->drain.until_ns && now_ns >= u->drain.shown_ns) {
		u->raise_us = pst_upstream_raise_us(u, r);
		pst_drain_end_round(&u->drain, r->bytes_per_s, pst_upstream_is_longer(u), now_ns);
		u->round++;
	}
	if (u->known_ns && now_ns > u->known_ns) {
		u->known_ns = 0;
		u->before_bytes_per_s = pst_departure_rate_forget(r);
	}
}

#endif /* PST_LINKED */

#endif
