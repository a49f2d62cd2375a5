/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an ACK has waited on its way here, as in the queue of the other direction: the one-way delay
 * of its TSval, by the receiver's clock, above its least (../flow/one_way.h). It belongs to no trip of
 * hidden_queue.h, and makes the path longer as long as it lasts.
 *
 * Clocks drift. Each 5 s, the least such wait is taken for that, up to 1 ms, which is 200 ppm. A
 * clock that ticks slower than each millisecond says too little. All ACKs wait in one queue: one
 * that says nothing, as of a host without timestamps, has waited as long as the one before it.
 */
#ifndef PENSTOCK_CORE_QUEUE_HIDDEN_RETURN_H
#define PENSTOCK_CORE_QUEUE_HIDDEN_RETURN_H

#include "../flow/one_way.h"
#include "hidden_queue.h"

#define PST_RETURN_TICK_NS 1000000ULL
#define PST_RETURN_DRIFT_US 1000U
#define PST_RETURN_UNIT_SHIFT 24 /* times, in units of 17 ms */
#define PST_RETURN_ROUND_UNITS 300U
#define PST_RETURN_STANDS_NS 100000000ULL /* what one ACK has said, for those that do not */

/* Of a flow; hosts keep it, as only this queue needs it. */
struct pst_return {
	struct pst_one_way way;
	u64 over_ns;		/* the longest that is believed, by the last trip */
	u32 least_us;		/* the least wait of this round, */
	u32 units;		/* when that began */
};

/* An ACK that waited @wait_ns may end a round. */
PST_FN void pst_return_follow(struct pst_return *r, u64 wait_ns, u64 now_ns)
{
	u32 units = (u32)(now_ns >> PST_RETURN_UNIT_SHIFT);

	r->least_us = (u32)pst_min(r->least_us, wait_ns / 1000);
	if (units - r->units < PST_RETURN_ROUND_UNITS)
		return;
	r->way.base_ns = pst_min(r->way.base_ns +
					 pst_min(r->least_us, PST_RETURN_DRIFT_US) * 1000ULL,
				 now_ns);
	r->units = units;
	r->least_us = 0xffffffff;
}

/* What an ACK has waited that does not say it: what another said just before, or @told_ns. */
PST_FN u64 pst_return_of_others_ns(const struct pst_hidden_queue *h, u64 told_ns, u64 now_ns)
{
	if (pst_sub_floor(now_ns, h->acks_waited_ns) > PST_RETURN_STANDS_NS)
		return told_ns;
	return pst_min(h->acks_wait_ns, PST_MAX_NS);
}

/* What an ACK with TSval @val has waited, PST_MAX_NS at most. */
PST_FN u64 pst_return_wait_ns(struct pst_hidden_queue *h, struct pst_return *r, u32 val,
			      u64 told_ns, u64 now_ns)
{
	u64 wait_ns = 0;
	u64 tick_ns;

	if (pst_one_way_take(&r->way, val, (u32)h->usual_tick, 0, now_ns, &wait_ns)) {
		h->usual_tick = r->way.tick;
		pst_return_follow(r, wait_ns, now_ns);
	}
	tick_ns = pst_tick_ns(r->way.tick);
	if (!tick_ns || tick_ns > PST_RETURN_TICK_NS || val != r->way.base_val)
		return pst_return_of_others_ns(h, told_ns, now_ns);
	wait_ns = pst_min(pst_sub_floor(now_ns, r->way.base_ns), PST_MAX_NS);
	h->acks_wait_ns = wait_ns;
	h->acks_waited_ns = now_ns;
	return wait_ns;
}

#endif
