/* SPDX-License-Identifier: GPL-2.0-only */
/* How what a flow has sent decays: without a division, as each packet asks. */
#ifndef PENSTOCK_CORE_FLOW_FAIR_DECAY_H
#define PENSTOCK_CORE_FLOW_FAIR_DECAY_H

#include "../base.h"

/* 4.3 s, in ns: on most paths a congestion window falls and grows back meanwhile. */
#define PST_FAIR_MEAN_SHIFT 32

/* What came before decays by the part of 2^PST_FAIR_MEAN_SHIFT ns that has passed. */
PST_FN u64 pst_fair_mean_decayed(u64 mean_bytes, u64 passed_ns)
{
	return mean_bytes - ((mean_bytes >> 8) * passed_ns >> (PST_FAIR_MEAN_SHIFT - 8));
}

/*
 * floor(2^20 @passed_ns / @average_ns) for @passed_ns < @average_ns < 2^44, without a division:
 * @inverse is 2^64 / @average_ns, rounded down, which makes the product at most one too small.
 */
PST_FN u64 pst_fair_passed_q20(u64 passed_ns, u64 average_ns, u64 inverse)
{
	u64 least = passed_ns * inverse >> 44;

	return least + ((least + 1) * average_ns <= passed_ns << 20);
}

#endif
