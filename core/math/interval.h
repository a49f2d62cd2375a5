/* SPDX-License-Identifier: GPL-2.0-only */
/* The time between packets of a source that sends at a rate. */
#ifndef PENSTOCK_CORE_MATH_INTERVAL_H
#define PENSTOCK_CORE_MATH_INTERVAL_H

#include "../base.h"

#define PST_INTERVAL_MOST_BPS (1ULL << 44) /* 17.6 Tbit/s */

/*
 * Nanoseconds that @bytes take at @rate_bps, 1 .. PST_INTERVAL_MOST_BPS, times 2^20, rounded down:
 *
 *	8 * 10^9 * bytes * 2^20 / rate_bps
 *
 * Exact to 2^-20 ns, so that sums of it have no drift; bytes < 2^16, and up to 2^44 ns.
 */
PST_FN u64 pst_interval_q20_ns(u64 bytes, u64 rate_bps)
{
	u64 dividend = bytes * 8000000000ULL;

	return ((dividend / rate_bps) << 20) + ((dividend % rate_bps) << 20) / rate_bps;
}

#endif
