/* SPDX-License-Identifier: GPL-2.0-only */
/* Removes closed and idle flows (R27). A full map also evicts the least recently used. */
#ifndef PENSTOCK_GATEWAY_SWEEP_H
#define PENSTOCK_GATEWAY_SWEEP_H

#include "maps.h"

#define GW_SWEEP_NS (10 * PST_NS_PER_S)

struct gw_sweep {
	u64 now_ns;
	u64 idle_ns;
	u64 removed;
};

static long gw_sweep_flow(void *map, const struct gw_key *k, struct gw_flow *f,
			  struct gw_sweep *w)
{
	u64 quiet_ns = pst_sub_floor(w->now_ns, f->seen_ns);

	(void)map;
	if (quiet_ns > (f->ends.over ? GW_OVER_NS : w->idle_ns) &&
	    !bpf_map_delete_elem(&flows, k))
		w->removed++;
	return 0;
}

static __attribute__((noinline)) int gw_sweep_flows(void)
{
	struct gw_counts *n = gw_counts();
	struct gw_sweep w = { bpf_ktime_get_ns(), gw_config()->idle_ns, 0 };

	bpf_for_each_map_elem(&flows, gw_sweep_flow, &w, 0);
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
