/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a source of UDP is told, one row a key. From the rows expand the specification in the
 * simulator and in ns-3's lab, the names by which Python and the page in a browser set it, the keys of
 * [udp.NAME], ns-3's text, and docs/scenario-format.md.
 *
 *   L(type, name, initial, hosts, key, help)
 *     as in link_keys.h
 */
#ifndef PENSTOCK_CORE_TABLES_UDP_KEYS_H
#define PENSTOCK_CORE_TABLES_UDP_KEYS_H

#include "keys.h"

#define PST_UDP_KEYS(L)								\
	L(RATE, rate_bps, 0, ALL,						\
	  PST_KEY_OR("required", rate, 1000, 10000000000000ULL),		\
	  "of the payload")							\
	L(SIZE, payload_bytes, 0, ALL,						\
	  PST_KEY_OR("required", payload, 1, 65000),			\
	  "payload of each packet")						\
	L(TIME, stop_ns, 0, ALL,						\
	  PST_KEY_OR("when the last TCP flow is done", stop, 0, PST_LONGEST_NS), \
	  "when it stops")

#endif
