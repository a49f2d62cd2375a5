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
	  "when it stops")							\
	L(TIME, frame_ns, 0, SIM,						\
	  PST_KEY_OR("evenly spaced", frame, 1000000, 10 * PST_SECOND_NS),	\
	  "what this time brings leaves together, as frames of video do")	\
	L(COUNT, group_frames, 1, SIM, PST_KEY(group, 1, 100000),		\
	  "frames from one key frame to the next")				\
	L(COUNT, intra_times, 1, SIM, PST_KEY(intra, 1, 1000),			\
	  "a key frame is as many times as large as another one")		\
	L(TIME, scene_ns, 0, SIM,						\
	  PST_KEY_OR("one rate", scene, 1000000, 1000 * PST_SECOND_NS),		\
	  "mean time for which a rate stays; drawn from 0 to twice this")	\
	L(RATE, peak_bps, 0, SIM,						\
	  PST_KEY_OR("`rate`", peak, 1000, 10000000000000ULL),			\
	  "with `scene`: the rate is drawn from `2 rate - peak` to this")	\
	L(RATE, first_bps, 0, SIM,						\
	  PST_KEY_OR("`rate`", first, 1000, 10000000000000ULL),			\
	  "rate at first, which rises by 8 % per second up to `rate`, as "	\
	  "WebRTC's does")							\
	L(FLAG, spared, false, SIM, PST_KEY(spared, 0, 1),			\
	  "a rule spares it of `fair`, as `penstock-gw --spare 'udp port 5004'` does") \
	L(FLAG, unanswered, false, SIM, PST_KEY(unanswered, 0, 1),		\
	  "nobody answers it, as multicast, or RTP without RTCP")

#endif
