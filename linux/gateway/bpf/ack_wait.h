/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ACKs wait in the queue of the device's other direction, which another attachment knows: that
 * of GW_PASSIVE tells what leaves by the device is to wait, and that of GW_DOWN what has come in by
 * it has waited (pst_gateway_ack_wait_ns()). Nothing is told that nobody asks for.
 */
#ifndef PENSTOCK_GATEWAY_ACK_WAIT_H
#define PENSTOCK_GATEWAY_ACK_WAIT_H

#include "queue.h"

#if defined(GW_PASSIVE) || defined(GW_DOWN)

#define GW_ASKED_NS PST_NS_PER_S

/* Both attachments have it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct gw_ack_wait);
} ack_waits SEC(".maps");

/* After data of the queue @g, at @now_ns: what ACKs wait in it, for the other attachment. */
PST_FN void gw_tell_ack_wait(const struct gw_shared *g, u64 now_ns)
{
	u32 own = gw_is_down();
	struct gw_ack_wait *w = bpf_map_lookup_elem(&ack_waits, &own);

	if (w && !gw_is_shape(g) && now_ns < w->asked_ns + GW_ASKED_NS)
		w->until_ns = now_ns + pst_gateway_ack_wait_ns(gw_gateway_config(),
							       &g->port.state, now_ns);
}

/* An ACK passes: completes *@q by what the other attachment tells. */
PST_FN void gw_ask_ack_wait(struct pst_queue *q)
{
	u32 other = !gw_is_down();
	struct gw_ack_wait *w = bpf_map_lookup_elem(&ack_waits, &other);

	if (!w)
		return;
	w->asked_ns = q->now_ns;
	q->acks_wait_ns = pst_min(pst_sub_floor(w->until_ns, q->now_ns), PST_MAX_NS);
}

#else

PST_FN void gw_tell_ack_wait(const struct gw_shared *g, u64 now_ns)
{
	(void)g, (void)now_ns;
}

PST_FN void gw_ask_ack_wait(struct pst_queue *q)
{
	(void)q;
}

#endif

#endif
