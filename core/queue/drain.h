/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A drain of a queue that stands elsewhere: for one round trip, windows are those of a C smaller by
 *
 *   (wait + 3 ms) / RTT, at most 1/4                                              (1)
 *
 * More than half of a queue's wait is gone then. That of a longer path stays, and windows take the
 * rate for it. So a drain is due if, at waits that stay, but below 12 ms, a part of C is lost since
 * the last round. If it leaves more than half of the wait, and half of such a part of C is lost, all
 * that is left is path. Longer waits than that decide by themselves, in the files of their queues,
 * as does the part.
 */
#ifndef PENSTOCK_CORE_QUEUE_DRAIN_H
#define PENSTOCK_CORE_QUEUE_DRAIN_H

#include "../flow/rtt.h"
#include "departure_rate.h"

#define PST_DRAIN_BELOW_NS 3000000ULL /* of (1) */
#define PST_DRAIN_SHORT_NS 2000000ULL
#define PST_DRAIN_MOST_NS 12000000ULL
#define PST_DRAIN_EARLY_NS 200000000ULL /* and round trips, after the last round */
#define PST_DRAIN_EARLY_TRIPS 4ULL
#define PST_DRAIN_FORGET_PART 16

struct pst_drain {
	u64 round_ns;		/* when the last round ended: a drain, or an empty queue */
	u64 full_bytes_per_s;	/* C then, or a 16th less than before if C is lower */
	u64 least_ns;		/* the least wait since then, or since the running drain began */
	u64 until_ns;		/* until then windows are reduced; 0 no drain is running */
	u64 shown_ns;		/* until then what they let out arrives */
	u64 part_q16;		/* by this part */
	u64 wait_ns;		/* the wait when it began */
};

/* The part that (1) takes off C at @now_ns. */
PST_FN u64 pst_drain_part_q16(const struct pst_drain *d, u64 now_ns)
{
	return now_ns < d->until_ns ? d->part_q16 : 0;
}

/* True if all that waits may be path: since the last drain no wait was short. */
PST_FN bool pst_drain_may_be_path(const struct pst_drain *d)
{
	return d->least_ns >= PST_DRAIN_SHORT_NS;
}

/* A round ends with the rate @bytes_per_s; @restarted if those before say nothing of the path. */
PST_FN void pst_drain_end_round(struct pst_drain *d, u64 bytes_per_s, bool restarted, u64 now_ns)
{
	u64 before = restarted ? 0 : d->full_bytes_per_s;

	d->full_bytes_per_s = pst_max(bytes_per_s, before - before / PST_DRAIN_FORGET_PART);
	d->round_ns = now_ns;
	d->least_ns = PST_MAX_NS;
	d->until_ns = 0;
}

/*
 * True if waits stay above @jitter_ns, but short, while of the rate, @bytes_per_s now, a part
 * 1 / @part is lost.
 */
PST_FN bool pst_drain_lost(const struct pst_drain *d, u64 wait_ns, u64 jitter_ns,
			   u64 bytes_per_s, u64 part)
{
	return d->least_ns > jitter_ns &&
	       pst_max(d->least_ns, wait_ns) < PST_DRAIN_MOST_NS &&
	       bytes_per_s < d->full_bytes_per_s - d->full_bytes_per_s / part;
}

/*
 * True if one is due before its time, as 1 / @part of C is lost; @turn_ns is a round trip with the
 * wait.
 */
PST_FN bool pst_drain_is_early(const struct pst_drain *d, u64 wait_ns, u64 jitter_ns,
			       u64 bytes_per_s, u64 part, u64 turn_ns, u64 now_ns)
{
	return pst_drain_lost(d, wait_ns, jitter_ns, bytes_per_s, part) &&
	       now_ns >= d->round_ns + PST_DRAIN_EARLY_NS +
			       PST_DRAIN_EARLY_TRIPS * pst_min(turn_ns, PST_MAX_NS);
}

/* Equation 1, for a round trip of @rtt_ns without the wait, from @now_ns on. */
PST_FN void pst_drain_begin(struct pst_drain *d, u64 wait_ns, u64 rtt_ns, u64 now_ns)
{
	u64 turn_ns = pst_min(rtt_ns, PST_MAX_NS) + pst_min(wait_ns, PST_MAX_NS);

	d->part_q16 = pst_min(pst_mul_div(wait_ns + PST_DRAIN_BELOW_NS, PST_Q16_ONE,
					  pst_clamp(rtt_ns, 1, PST_MAX_NS)),
			      PST_Q16_ONE / 4);
	d->wait_ns = wait_ns;
	d->until_ns = now_ns + turn_ns;
	d->shown_ns = now_ns + 2 * turn_ns;
	d->least_ns = wait_ns;
}

/* What a drain that is over has left of the wait and is path, or 0. */
PST_FN u64 pst_drain_path_ns(const struct pst_drain *d, u64 wait_ns, u64 jitter_ns,
			     u64 bytes_per_s, u64 part)
{
	if (d->least_ns <= d->wait_ns / 2 ||
	    !pst_drain_lost(d, wait_ns, jitter_ns, bytes_per_s, 2 * part))
		return 0;
	return d->least_ns;
}

#endif
