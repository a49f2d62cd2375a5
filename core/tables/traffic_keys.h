/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the users of a traffic group do, one row a key of [tcp.NAME.traffic]. From the rows expand
 * the simulator's sources, the names by which Python sets them, the keys with what they take, and
 * docs/scenario-format.md.
 *
 *   T(type, name, unit, initial, key, help)
 *     type    DRAWN from a distribution for each use, or FIXED: a whole number of 64 bits
 *     name    the source's field
 *     unit    ns, bytes or count
 *     initial as a scenario writes it; "" if saying nothing is no value; "required"
 *     key     in the scenario
 *     help    what the key does, as the page of the format says it
 *
 *   L(type, name, initial, kinds, key, help)
 *     kinds   of users that have it, by blanks; the rest as in link_keys.h
 */
#ifndef PENSTOCK_CORE_TABLES_TRAFFIC_KEYS_H
#define PENSTOCK_CORE_TABLES_TRAFFIC_KEYS_H

#include "keys.h"

/* Of several kinds. */
#define PST_USER_KEYS(L)							\
	L(LONG_COUNT, transfers, 0, "web on-off",				\
	  PST_KEY_OR("no end", transfers, 1, 1000000000),			\
	  "per user. A run ends when all groups with an end are done")		\
	L(FLAG, persistent, false, "web on-off trace",				\
	  PST_KEY_OR("true for on-off", persistent, 0, 1),			\
	  "one connection for all transfers of a user; otherwise one per "	\
	  "transfer")								\
	L(FLAG, company, false, "web trace", PST_KEY(company, 0, 1),		\
	  "what connections reach beside others between the same two hosts, "	\
	  "see below")

/* Of kind "web"; the defaults are nis-2004 Table 7.1. */
#define PST_WEB_KEYS(T)								\
	T(DRAWN, session_ns, "ns", "exponential(5s)", session,			\
	  "pause between the last page of a session and the next session")	\
	T(DRAWN, pages, "count", "lognormal(25.807, 78.752)", pages,		\
	  "pages of a session")							\
	T(DRAWN, reading_ns, "ns", "gamma(35.286s, 147.390s)", reading,		\
	  "time from the arrival of a page to the request for the next")	\
	T(DRAWN, objects, "count", "1", objects, "objects of a page")		\
	T(DRAWN, object_bytes, "bytes", "pareto(1.7584, 30458B)", size,		\
	  "size of an object; a page has `objects` times one draw")

/* Of kind "on-off". */
#define PST_ON_OFF_KEYS(T)							\
	T(DRAWN, on_ns, "ns", "", on, "how long the application writes")	\
	T(DRAWN, off_ns, "ns", "0s", off, "and pauses")				\
	T(FIXED, interval_ns, "ns", "20ms", interval, "between two writes")	\
	T(FIXED, write_bytes, "bytes", "", write,				\
	  "bytes per write; required without `rate`")

struct pst_traffic_row {
	bool drawn;
	const char *name;
	const char *unit;
	const char *initial;
	const char *key;
	const char *help;
};

#define PST_IS_DRAWN true /* whose PST_TYPE_DRAWN the simulator has */
#define PST_IS_FIXED false
#define PST_TYPE_FIXED uint64_t
#define PST_TRAFFIC_ROW(type, name, unit, initial, key, help)			\
	{ PST_IS_##type, #name, unit, initial, #key, help },
#define PST_USER_ROW(type, name, initial, kinds, ...)                        \
	{ false, false, #name, PST_UNIT_##type, initial, false, "", "", "", \
	  __VA_ARGS__, "", kinds },

#endif
