/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a law can still reduce its windows, for monitoring. */
#ifndef PENSTOCK_CORE_LAW_FLOOR_H
#define PENSTOCK_CORE_LAW_FLOOR_H

enum pst_floor {
	PST_FLOOR_NONE,		/* its windows can become smaller */
	PST_FLOOR_CORRECTION,	/* queue above target, correction at its minimum */
	PST_FLOOR_SEGMENT,	/* queue above target, and more flows than segments fit */
};

#endif
