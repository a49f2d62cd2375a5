/* SPDX-License-Identifier: GPL-2.0-only */
/* What a timestamp says of a queue before the gateway. Equations are those of upstream_queue.h. */
#ifndef PENSTOCK_CORE_QUEUE_UPSTREAM_STAMP_H
#define PENSTOCK_CORE_QUEUE_UPSTREAM_STAMP_H

#include "upstream_queue.h"

/* What came since the last segment that said something, and whether the link was busy for it. */
PST_FN void pst_upstream_measure(struct pst_upstream_queue *u, struct pst_departure_rate *r,
				 u64 now_ns, u64 packet_bytes)
{
	u64 since_ns = pst_sub_floor(now_ns, u->said_ns);
	u64 wait_ns = u->wait.wait_ns;
	bool stood = pst_min(wait_ns, u->before_ns) >= PST_UPSTREAM_MARGIN_NS &&
		     since_ns <= wait_ns + u->before_ns;

	if (u->said_ns && !since_ns)
		return;
	if (u->said_ns)
		pst_departure_rate_add(r, u->came_bytes, since_ns, stood, packet_bytes);
	u->said_ns = pst_max(now_ns, 1);
	u->before_ns = wait_ns;
	u->came_bytes = 0;
	if (r->known_ns >= PST_DEPARTURE_AVERAGE_NS &&
	    (!u->known_ns || stood || 2 * r->sent_bytes_per_s >= r->bytes_per_s))
		u->known_ns = now_ns + PST_UPSTREAM_KEEP_NS;
}

/* New data of @o with TSval @val arrives; packets have @packet_bytes. */
PST_FN void pst_upstream_stamp(struct pst_upstream_queue *u, struct pst_departure_rate *r,
			       struct pst_one_way *o, u32 val, u64 packet_bytes, u64 now_ns)
{
	u64 known_ns = pst_common_wait_now_ns(&u->wait, now_ns);
	u32 usual = u->usual_tick;
	u64 wait_ns = 0;

	if (!pst_one_way_take(o, val, usual, known_ns, now_ns, &wait_ns))
		return;
	u->usual_tick = o->tick;
	pst_common_wait_say(&u->wait, pst_one_way_place(o), wait_ns, now_ns);
	pst_upstream_measure(u, r, now_ns, packet_bytes);
}

#endif
