/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RFC 3649 appendix B: up to @window segments, row i (from 0) adds i + 1 segments per
 * window and reduces it by @decrease_percent at a loss. The rows are the output of the
 * RFC's script for its response function, p(w) = 0.078 / w^1.2.
 */
#ifndef PENSTOCK_CORE_SENDER_HIGHSPEED_TABLE_H
#define PENSTOCK_CORE_SENDER_HIGHSPEED_TABLE_H

#include "../base.h"

struct pst_highspeed_row {
	u32 window;
	u32 decrease_percent;
};

#define PST_HIGHSPEED_ROWS 73U

static const struct pst_highspeed_row pst_highspeed_rows[PST_HIGHSPEED_ROWS] = {
	{ 38, 50 }, { 118, 44 }, { 221, 41 }, { 347, 38 }, { 495, 37 },
	{ 663, 35 }, { 851, 34 }, { 1058, 33 }, { 1284, 32 }, { 1529, 31 },
	{ 1793, 30 }, { 2076, 29 }, { 2378, 28 }, { 2699, 28 },
	{ 3039, 27 }, { 3399, 27 }, { 3778, 26 }, { 4177, 26 },
	{ 4596, 25 }, { 5036, 25 }, { 5497, 24 }, { 5979, 24 },
	{ 6483, 23 }, { 7009, 23 }, { 7558, 22 }, { 8130, 22 },
	{ 8726, 22 }, { 9346, 21 }, { 9991, 21 }, { 10661, 21 },
	{ 11358, 20 }, { 12082, 20 }, { 12834, 20 }, { 13614, 19 },
	{ 14424, 19 }, { 15265, 19 }, { 16137, 19 }, { 17042, 18 },
	{ 17981, 18 }, { 18955, 18 }, { 19965, 17 }, { 21013, 17 },
	{ 22101, 17 }, { 23230, 17 }, { 24402, 16 }, { 25618, 16 },
	{ 26881, 16 }, { 28193, 16 }, { 29557, 15 }, { 30975, 15 },
	{ 32450, 15 }, { 33986, 15 }, { 35586, 14 }, { 37253, 14 },
	{ 38992, 14 }, { 40808, 14 }, { 42707, 13 }, { 44694, 13 },
	{ 46776, 13 }, { 48961, 13 }, { 51258, 13 }, { 53677, 12 },
	{ 56230, 12 }, { 58932, 12 }, { 61799, 12 }, { 64851, 11 },
	{ 68113, 11 }, { 71617, 11 }, { 75401, 10 }, { 79517, 10 },
	{ 84035, 10 }, { 89053, 10 }, { 94717, 9 },
};

/* The first row whose window is not below @segments, or the last row. */
PST_FN u32 pst_highspeed_find(u64 segments)
{
	u32 below = 0; /* rows whose window is below @segments */
	u32 step;

	for (step = 64; step; step /= 2)
		if (below + step < PST_HIGHSPEED_ROWS &&
		    pst_highspeed_rows[below + step - 1].window < segments)
			below += step;
	return below;
}

#endif
