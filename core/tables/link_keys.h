/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one direction of a link is told, one row a key. From the rows expand the specification in
 * the simulator and in ns-3's lab, the names by which Python and the page in a browser set it,
 * the keys of [link.NAME] and [link.NAME.back], ns-3's text, and docs/scenario-format.md.
 *
 *   L(type, name, initial, hosts, key, help)
 *     type, hosts, key: see keys.h
 *     name    the field; its unit is the name's end
 *     initial its default value
 *     help    what the key does, as the page of the format says it
 */
#ifndef PENSTOCK_CORE_TABLES_LINK_KEYS_H
#define PENSTOCK_CORE_TABLES_LINK_KEYS_H

#include "keys.h"

#define PST_LINK_KEYS(L)							\
	L(RATE, rate_bps, 0, ALL,						\
	  PST_KEY_OR("required on wires", rate, 1000, 10000000000000ULL),		\
	  "bits per second, of everything that is on the wire")			\
	L(SPAN, delay_ns, 0, ALL,						\
	  PST_KEY_OR("required on wires", delay, 0, 1000 * PST_SECOND_NS),		\
	  "one-way propagation delay. `1ms..20ms`: drawn uniformly, by seed, "	\
	  "for each link of a row")						\
	L(SIZE, mtu_bytes, 1500, ALL, PST_KEY(mtu, 68, 65535),			\
	  "largest IP packet")							\
	L(SIZE, overhead_bytes, 0, ALL, PST_KEY(overhead, 0, 255),		\
	  "bytes added to each packet on the wire")				\
	L(LONG_SIZE, queue_bytes, 0, ALL,					\
	  PST_KEY_OR("unlimited", queue, 1, 1ULL << 40),			\
	  "limit of the queue in bytes")					\
	L(LONG_COUNT, queue_packets, 0, ALL,					\
	  PST_KEY_OR("unlimited", queue_packets, 1, 1 << 30),			\
	  "limit of the queue in packets")					\
	L(COUNT, device_packets, 0, ALL, PST_KEY(device_packets, 0, 1000000),	\
	  "packets that the device below the queue takes before they wait in "	\
	  "it, out of sight of a gateway. 100 in ns-3, by its default")		\
	L(FLAG, phantom, false, SIM, PST_KEY(phantom, 0, 1),			\
	  "the queue is a count that drains at `rate`, as of a shape of "	\
	  "`penstock-gw`: packets that fit do not wait; only in the simulator")	\
	L(FLAG, cut_through, false, SIM, PST_KEY(cut_through, 0, 1),		\
	  "a packet arrives one delay after its first bit is sent, as behind "	\
	  "a cut-through switch, or over a LAN of ns-2; only in the simulator")	\
	L(RATIO, loss_ratio, 0, ALL, PST_KEY(loss, 0, 1),			\
	  "fraction of packets lost at random")

#endif
