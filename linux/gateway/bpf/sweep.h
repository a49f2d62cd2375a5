/* SPDX-License-Identifier: GPL-2.0-only */
/* Removes closed and idle flows (R27). A full map also evicts the least recently used. */
#ifndef PENSTOCK_GATEWAY_SWEEP_H
#define PENSTOCK_GATEWAY_SWEEP_H

#include "handshake.h"

#define GW_SWEEP_NS (10 * PST_NS_PER_S)

struct gw_sweep {
	u64 now_ns;
	u64 idle_ns;
	u64 removed;
};

/* The sweep leaves this handshake or contender. */
static __attribute__((noinline)) int gw_find_waiting(const struct gw_key *k)
{
	struct gw_slot *slot;

	if (!k)
		return 0;
	slot = gw_slot(k);
	if (slot)
		__sync_fetch_and_add(&slot->counted, 1);
	return 0;
}

static long gw_sweep_flow(void *map, const struct gw_key *k, struct gw_flow *f,
			  struct gw_sweep *w)
{
	u64 quiet_ns = pst_sub_floor(w->now_ns, f->seen_ns);
	bool doubtful = k->contender && !f->gateway.flow.proved;

	(void)map;
	if (quiet_ns <= (f->ends.over || doubtful ? GW_OVER_NS : w->idle_ns) ||
	    bpf_map_delete_elem(&flows, k)) {
		if (k->contender)
			gw_find_waiting(k);
		return 0;
	}
	w->removed++;
	if (k->contender)
		gw_note_waiting(k, -1);
	return 0;
}

/* Nobody repeats a SYN after this time; those of a known flow would cost it a look-up. */
static long gw_sweep_half_open(void *map, const struct gw_key *k, struct gw_half_open *h,
			       struct gw_sweep *w)
{
	(void)map;
	if (pst_sub_floor(w->now_ns, h->handshake.opener.at_ns) > GW_HALF_OPEN_NS &&
	    !bpf_map_delete_elem(&half_open, k))
		gw_note_waiting(k, -1);
	else
		gw_find_waiting(k);
	return 0;
}

static long gw_sweep_begin(void *map, const u32 *id, struct gw_slot *slot, struct gw_sweep *w)
{
	(void)map;
	(void)id;
	(void)w;
	slot->counted = 0;
	return 0;
}

/* What was evicted is no longer counted. */
static long gw_sweep_end(void *map, const u32 *id, struct gw_slot *slot, struct gw_sweep *w)
{
	/* In this order: what comes between the two is then counted. */
	u32 waiting = __sync_fetch_and_add(&slot->waiting, 0);
	u32 counted = __sync_fetch_and_add(&slot->counted, 0);

	(void)map;
	(void)id;
	(void)w;
	__sync_fetch_and_add(&slot->waiting, counted - waiting);
	return 0;
}

static __attribute__((noinline)) int gw_sweep_flows(void)
{
	struct gw_shared *g = gw_shared();
	struct gw_counts *n = gw_counts();
	struct gw_sweep w = { gw_now_ns(), gw_settings()->idle_ns, 0 };

	bpf_for_each_map_elem(&half_open_slots, gw_sweep_begin, &w, 0);
	/* In this order, as a handshake may become a contender meanwhile. */
	bpf_for_each_map_elem(&half_open, gw_sweep_half_open, &w, 0);
	bpf_for_each_map_elem(&flows, gw_sweep_flow, &w, 0);
	bpf_for_each_map_elem(&half_open_slots, gw_sweep_end, &w, 0);
	if (g)
		g->root = 0;
	if (n)
		n->value[GW_COUNT_flows_removed] += w.removed;
	return 0;
}

static int gw_sweep_tick(void *map, u32 *key, struct gw_clock *clock)
{
	(void)map;
	(void)key;
	gw_sweep_flows();
	bpf_timer_start(&clock->timer, GW_SWEEP_NS, 0);
	return 0;
}

#endif
