/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many flows sent data of late: N of the methods that share a budget.
 *
 * Time is cut into intervals; a flow is counted once in each interval in which
 * it sends. N is the larger of the last whole interval's count and the running
 * one's, so it rises at once and falls after one to two intervals. O(1) a packet.
 */
#ifndef PENSTOCK_CORE_QUEUE_FLOW_COUNT_H
#define PENSTOCK_CORE_QUEUE_FLOW_COUNT_H

#include "../packet/flow.h"

struct pst_flow_count {
	u64 interval_ns;	/* > 0 */
	u64 epoch;
	u64 running;
	u64 last;
};

PST_FN void pst_flow_count_advance(struct pst_flow_count *c, u64 now_ns)
{
	u64 epoch = now_ns / c->interval_ns + 1;

	/* An older time, of another CPU, changes nothing. */
	if (epoch <= c->epoch)
		return;
	c->last = epoch == c->epoch + 1 ? c->running : 0;
	c->running = 0;
	c->epoch = epoch;
}

PST_FN void pst_flow_count_data(struct pst_flow_count *c, struct pst_flow *f,
				u64 now_ns)
{
	pst_flow_count_advance(c, now_ns);
	if (f->epoch != c->epoch) {
		f->epoch = c->epoch;
		c->running++;
	}
}

/* N, at least 1. */
PST_FN u64 pst_flow_count_get(struct pst_flow_count *c, u64 now_ns)
{
	pst_flow_count_advance(c, now_ns);
	return pst_max(1, pst_max(c->last, c->running));
}

#endif
