/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the data of all flows has waited in common. A wait that one flow alone sees is its
 * server's, or its lie; the queue that they share delays all. So the smallest of what active flows
 * say within a few milliseconds is the queue's, but where three or more speak, the second
 * smallest: one that says too little does not decide for the others, nor does one that says too
 * much.
 *
 * Flows speak in one of eight places each, by a hash.
 */
#ifndef PENSTOCK_CORE_QUEUE_COMMON_WAIT_H
#define PENSTOCK_CORE_QUEUE_COMMON_WAIT_H

#include "../base.h"

#define PST_COMMON_PLACES 8U
#define PST_COMMON_TURN_NS 4000000ULL
#define PST_COMMON_NONE 0xffffffffU

struct pst_common_wait {
	u32 said_ns[PST_COMMON_PLACES];	/* least in this turn, up to 4.29 s */
	u64 turn_ns;		/* when it began; 0 none did */
	u64 wait_ns;		/* of the last turn */
	u64 newest_ns;		/* when a flow said something last */
};

PST_FN void pst_common_wait_clear(struct pst_common_wait *w)
{
	u32 i;

	for (i = 0; i < PST_COMMON_PLACES; i++)
		w->said_ns[i] = PST_COMMON_NONE;
}

/* What the flows of this turn agree on. */
PST_FN u64 pst_common_wait_of(const struct pst_common_wait *w)
{
	u32 least = PST_COMMON_NONE, second = PST_COMMON_NONE, third = PST_COMMON_NONE;
	u32 i;

	for (i = 0; i < PST_COMMON_PLACES; i++) {
		u32 said = w->said_ns[i];

		third = (u32)pst_min(third, pst_max(second, said));
		second = (u32)pst_min(second, pst_max(least, said));
		least = (u32)pst_min(least, said);
	}
	return third == PST_COMMON_NONE ? least : second;
}

/* A flow at @place says that it waited @wait_ns. */
PST_FN void pst_common_wait_say(struct pst_common_wait *w, u32 place, u64 wait_ns, u64 now_ns)
{
	u32 *said = &w->said_ns[place % PST_COMMON_PLACES];

	if (!w->turn_ns) {
		pst_common_wait_clear(w);
		w->turn_ns = pst_max(now_ns, 1);
	}
	*said = (u32)pst_min(*said, wait_ns);
	w->newest_ns = now_ns;
	if (pst_sub_floor(now_ns, w->turn_ns) < PST_COMMON_TURN_NS)
		return;
	w->wait_ns = pst_common_wait_of(w);
	w->turn_ns = now_ns;
	pst_common_wait_clear(w);
}

#endif
