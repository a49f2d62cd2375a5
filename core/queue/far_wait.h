/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether data waits beyond the gateway's own queue: in a modem whose rate was overstated, or
 * further down the path.
 *
 *   wait = round trip beyond the gateway - the flow's least                      (1)
 *
 * That round trip begins when a segment leaves the gateway's own queue (../flow/rtt.h), so that
 * queue is not in it. An ACK of less than two segments does not count, as its receiver may have
 * delayed it (RFC 5681 section 4.2). A queue stands beyond while of each second's waits more than
 * half are of 20 ms or more, four times what methods aim at: most of them, as each flow speaks once
 * per round trip, and one whose first segments met the queue takes it for path.
 *
 * Nothing is controlled by it: it is for people, whose settings it judges.
 */
#ifndef PENSTOCK_CORE_QUEUE_FAR_WAIT_H
#define PENSTOCK_CORE_QUEUE_FAR_WAIT_H

#include "../base.h"

#define PST_FAR_TURN_NS PST_NS_PER_S
#define PST_FAR_LONG_NS 20000000ULL
#define PST_FAR_STANDS_NS (3 * PST_NS_PER_S)
#define PST_FAR_FEWEST 2U	/* waits of a turn; fewer say nothing */

struct pst_far_wait {
	u64 turn_ns;		/* when this turn began; 0 none did */
	u64 waited_ns;		/* the long waits of this turn, in all */
	u32 waits;		/* of this turn, */
	u32 long_waits;		/* and how many of them were long */
	u64 wait_ns;		/* mean of the long waits of the last turn; 0 most were short */
	u64 stands_ns;		/* since when most of each turn were long; 0 they are not */
};

/* The turn is over. After a pause, nothing is known of the time between. */
PST_FN void pst_far_wait_turn(struct pst_far_wait *w, u64 now_ns)
{
	bool paused = now_ns - w->turn_ns >= 2 * PST_FAR_TURN_NS;
	bool is_long = !paused && w->waits >= PST_FAR_FEWEST &&
		       2ULL * w->long_waits > w->waits;

	if (!is_long)
		w->stands_ns = 0;
	else if (!w->stands_ns)
		w->stands_ns = w->turn_ns;
	w->wait_ns = is_long ? w->waited_ns / pst_max(w->long_waits, 1) : 0;
	w->turn_ns = now_ns;
	w->waited_ns = 0;
	w->waits = 0;
	w->long_waits = 0;
}

/* A segment has waited @wait_ns beyond the gateway; @now_ns is above 0. */
PST_FN void pst_far_wait_say(struct pst_far_wait *w, u64 wait_ns, u64 now_ns)
{
	if (!w->turn_ns)
		w->turn_ns = now_ns;
	else if (pst_sub_floor(now_ns, w->turn_ns) >= PST_FAR_TURN_NS)
		pst_far_wait_turn(w, now_ns);
	w->waits++;
	if (wait_ns < PST_FAR_LONG_NS)
		return;
	w->long_waits++;
	w->waited_ns += pst_min(wait_ns, PST_MAX_NS);
}

/* How long data waits in the queue that stands beyond at @now_ns; 0 if none is known to. */
PST_FN u64 pst_far_wait_now_ns(const struct pst_far_wait *w, u64 now_ns)
{
	if (!w->stands_ns || pst_sub_floor(now_ns, w->turn_ns) > PST_FAR_STANDS_NS ||
	    pst_sub_floor(w->turn_ns, w->stands_ns) < PST_FAR_STANDS_NS)
		return 0;
	return w->wait_ns;
}

#endif
