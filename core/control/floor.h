/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a law can still reduce its windows, for those who watch it. */
#ifndef PENSTOCK_CORE_CONTROL_FLOOR_H
#define PENSTOCK_CORE_CONTROL_FLOOR_H

enum pst_floor {
	PST_FLOOR_NONE,		/* its windows can become smaller */
	PST_FLOOR_CORRECTION,	/* the queue is long, and its correction at its least */
	PST_FLOOR_SEGMENT,	/* the queue is long, and more flows than segments fit */
};

#endif
