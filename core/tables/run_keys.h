/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run is told beside its links and its traffic, one row a key of [mobility], [time] and
 * [sample]. From the rows expand the specifications in the simulator and in ns-3's lab, the names by
 * which Python sets them, the keys with what they take, ns-3's text, and docs/scenario-format.md.
 *
 *   T(type, name, unit, initial, key, help)
 *     as in traffic_keys.h
 *   L(type, name, initial, hosts, key, help)
 *     as in link_keys.h
 */
#ifndef PENSTOCK_CORE_TABLES_RUN_KEYS_H
#define PENSTOCK_CORE_TABLES_RUN_KEYS_H

#include "keys.h"
#include "traffic_keys.h"

/* [mobility]: of receivers; what Freeze-TCP does is told by PST_FREEZE_OPTIONS. */
#define PST_MOBILITY_KEYS(T)							\
	T(DRAWN, dwell_ns, "ns", "required", dwell,				\
	  "a time or a distribution: the time in a cell, at least 1 ms")	\
	T(DRAWN, outage_ns, "ns", "required", outage,				\
	  "likewise: the time without a cell")

/* [time] */
#define PST_TIME_KEYS(L)							\
	L(TIME, until_ns, 100000 * PST_SECOND_NS, ALL,				\
	  PST_KEY(limit, 0, PST_LONGEST_NS),					\
	  "a run ends at this time even if flows have not finished; the column "	\
	  "`unfinished` counts them")						\
	L(TIME, warm_up_ns, 0, SIM,						\
	  PST_KEY_OR("the start", warm_up, 0, PST_LONGEST_NS),			\
	  "from when on the columns count")

/* [sample] */
#define PST_SAMPLE_KEYS(L)							\
	L(TIME, interval_ns, 0, ALL,						\
	  PST_KEY_OR("required", interval, 0, PST_LONGEST_NS),			\
	  "from one sample to the next")

#endif
