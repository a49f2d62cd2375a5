/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of the ends of a TCP connection, one row per option. The rows expand into the
 * configuration of the ends in the simulator and in ns-3's lab, the names by which Python
 * and the page in a browser set it, the keys of [tcp.NAME] with their valid values, the
 * options that ns-3 supports or lacks, the settings of live hosts, and
 * docs/scenario-format.md.
 *
 *   O(ends, type, name, initial, hosts, lacks, live, key, help, source)
 *     ends    SENDER, RECEIVER or BOTH: whose configuration has the field
 *     type, hosts, key: see keys.h
 *     name    the field; its unit is the name's end
 *     initial its default value
 *     lacks   of ns-3, for those who ask for another value there; "": nothing is said
 *     live    PST_SYSCTL(name) of net.ipv4, PST_ROUTE(name) for an option of the route, or
 *             PST_NOT_SET
 *     help    what the key does, as the page of the format says it
 */
#ifndef PENSTOCK_CORE_TABLES_TCP_OPTIONS_H
#define PENSTOCK_CORE_TABLES_TCP_OPTIONS_H

#include "keys.h"

#define PST_TCP_OPTIONS(O)							\
	O(SENDER, FLAG, quic, false, SIM, "", PST_NOT_SET, PST_KEY(quic, 0, 1),	\
	  "the connections are QUIC's: no header that a gateway could read "	\
	  "or rewrite. Options of TCP's header and of its recovery have no "	\
	  "effect", "RFC 9000, RFC 9002")					\
	O(BOTH, SIZE, mss_bytes, 1448, ALL, "", PST_NOT_SET,			\
	  PST_KEY(segment, 1, 65000),						\
	  "payload of a full segment; with 40 bytes of headers and 12 of "	\
	  "timestamps it must fit the MTU", "")					\
	O(SENDER, COUNT, initial_window_segments, 10, ALL, "",			\
	  PST_ROUTE(initcwnd), PST_KEY(initial_window, 1, 1000),		\
	  "segments that a new connection sends at once", "RFC 6928")		\
	O(SENDER, COUNT, initial_ssthresh_segments, 0, ALL, "", PST_NOT_SET,	\
	  PST_KEY_OR("none", initial_ssthresh, 2, 1000000),			\
	  "slow start threshold of a new connection, in segments; none is "	\
	  "arbitrarily high", "RFC 5681")					\
	O(SENDER, FLAG, hold_cwnd, false, ALL, "", PST_NOT_SET,			\
	  PST_KEY(hold_cwnd, 0, 1),						\
	  "true: the congestion window never exceeds the advertised one, "	\
	  "unless that is zero. RFC 5681 keeps it, and limits what is sent",	\
	  "nis-2004 eq. 2.8")							\
	O(BOTH, TIME, initial_rto_ns, PST_SECOND_NS, ALL, "", PST_NOT_SET,	\
	  PST_KEY(rto_initial, PST_SECOND_NS / 1000, 1000 * PST_SECOND_NS),	\
	  "retransmission timer of a connection without an RTT; also of "	\
	  "SYN-ACKs", "RFC 6298")						\
	O(SENDER, COUNT, linear_syns, 0, SIM, "", PST_NOT_SET, PST_NO_KEY,	\
	  "first repetitions of a SYN without backoff, of which Linux has 4",	\
	  "")									\
	O(SENDER, TIME, min_rto_ns, PST_SECOND_NS / 5, ALL, "",			\
	  PST_ROUTE(rto_min), PST_KEY(rto_min, 0, PST_LONGEST_NS),		\
	  "least retransmission timeout, as in Linux; RFC 6298 has 1 s", "")	\
	O(SENDER, TIME, rto_granularity_ns, PST_SECOND_NS / 5, ALL, "",		\
	  PST_NOT_SET, PST_NO_KEY,						\
	  "G of RFC 6298 (2.3): 4 RTTVAR counts as at least this, as in Linux",	\
	  "")									\
	O(SENDER, TIME, max_rto_ns, 120 * PST_SECOND_NS,			\
	  SIM, "ns-3 stops doubling at 60 s", PST_NOT_SET,			\
	  PST_KEY(rto_max, PST_SECOND_NS, 1000 * PST_SECOND_NS),		\
	  "largest retransmission timeout, as in Linux", "RFC 6298")		\
	O(SENDER, COUNT, dupack_threshold, 3, ALL, "", PST_NOT_SET,		\
	  PST_NO_KEY, "duplicate ACKs that show a loss", "RFC 5681")		\
	O(BOTH, FLAG, sack, true, ALL, "", PST_SYSCTL(tcp_sack),		\
	  PST_KEY(sack, 0, 1), "selective acknowledgements",			\
	  "RFC 2018, RFC 6675")							\
	O(RECEIVER, FLAG, dsack, false, SIM, "", PST_NOT_SET,			\
	  PST_NO_KEY, "duplicates are reported", "RFC 2883")			\
	O(BOTH, FLAG, timestamps, true, ALL, "", PST_SYSCTL(tcp_timestamps),	\
	  PST_KEY(timestamps, 0, 1), "timestamps", "RFC 7323")			\
	O(BOTH, TIME, timestamp_tick_ns, 1000, SIM,				\
	  "ns-3's clocks have ticks of 1 ms", PST_NOT_SET,			\
	  PST_KEY(timestamp_tick, 1000, PST_SECOND_NS),				\
	  "tick of the clock that timestamps show: 1 us, 1 ms, 4 ms and 10 ms "	\
	  "are in use", "RFC 7323 section 5.4")					\
	O(BOTH, PPM, clock_skew_ppm, 0, SIM, "ns-3's clocks have none",		\
	  PST_NOT_SET, PST_KEY(clock_skew, 0, 1000),				\
	  "by how many parts in a million that clock is fast; negative: slow",	\
	  "")									\
	O(BOTH, FLAG, window_scale, true, ALL, "",				\
	  PST_SYSCTL(tcp_window_scaling), PST_KEY(window_scale, 0, 1),		\
	  "windows of more than 65,535 bytes", "RFC 7323")			\
	O(SENDER, FLAG, limited_transmit, true, ALL, "", PST_NOT_SET,		\
	  PST_KEY(limited_transmit, 0, 1),					\
	  "new segments on the first duplicate ACKs", "RFC 3042")		\
	O(BOTH, FLAG, ecn, false, ALL, "", PST_SYSCTL(tcp_ecn),			\
	  PST_KEY(ecn, 0, 1),							\
	  "explicit congestion notification; `dctcp` and `prague` always have "	\
	  "it, with receivers that echo each mark", "RFC 3168, RFC 8257")	\
	O(BOTH, FLAG, accecn, false, SIM, "ns-3 has no accurate ECN",		\
	  PST_NOT_SET, PST_KEY(accecn, 0, 1),					\
	  "accurate ECN: receivers count the packets and bytes that arrive "	\
	  "marked, and each segment says so; no need of `ecn`. Data has 12 "	\
	  "bytes less, for its option", "RFC 9768")				\
	O(BOTH, FLAG, accecn_option, true, SIM, "", PST_NOT_SET,		\
	  PST_NO_KEY, "its byte counters are sent, on each segment: Linux' "	\
	  "`tcp_ecn_option` 3, or 0", "RFC 9768 section 3.2.3")			\
	O(RECEIVER, FLAG, exact_ecn, false, ALL, "", PST_NOT_SET,		\
	  PST_NO_KEY, "each mark is echoed; not negotiated",			\
	  "RFC 8257 section 3.2")						\
	O(SENDER, FLAG, nagle, false, ALL, "", PST_NOT_SET,			\
	  PST_KEY(nagle, 0, 1),							\
	  "a segment that is not full waits for an ACK",			\
	  "RFC 9293 section 3.7.4")						\
	O(SENDER, FLAG, minshall, false, SIM, "", PST_NOT_SET,			\
	  PST_NO_KEY, "and only for the ACK of one that is not full: Linux",	\
	  "draft-minshall-nagle-01")						\
	O(SENDER, FLAG, restart_after_idle, true, SIM, "", PST_NOT_SET,		\
	  PST_NO_KEY, "cwnd restarts after a pause", "RFC 5681 section 4.1")	\
	O(SENDER, FLAG, hystart, false,						\
	  SIM, "ns-3 has the older HyStart, in its CUBIC alone", PST_NOT_SET,	\
	  PST_KEY(hystart, 0, 1),						\
	  "HyStart++ in the initial slow start, with any `congestion`; needs "	\
	  "timestamps", "RFC 9406")						\
	O(SENDER, FLAG, prr, false, ALL, "", PST_NOT_SET, PST_KEY(prr, 0, 1),	\
	  "Proportional Rate Reduction in recoveries with SACK, with any "	\
	  "`congestion`", "RFC 6937")						\
	O(SENDER, FLAG, prr_safe_ack, false, SIM, "", PST_NOT_SET,		\
	  PST_NO_KEY, "and its slow start only on good progress", "RFC 9937")	\
	O(SENDER, FLAG, ssthresh_of_cwnd, false, SIM, "", PST_NOT_SET,		\
	  PST_NO_KEY, "ssthresh is of cwnd, not of the flight: Linux", "")	\
	O(SENDER, FLAG, rack, false,						\
	  SIM, "ns-3 has no RACK", PST_NOT_SET,					\
	  PST_KEY(rack, 0, 1),							\
	  "RACK-TLP with SACK, with any `congestion`; its receivers report "	\
	  "duplicates (DSACK)", "RFC 8985")					\
	O(SENDER, FLAG, pacing, false, ALL, "", PST_NOT_SET,			\
	  PST_KEY(pacing, 0, 1), "a window is spread over a round trip", "")	\
	O(SENDER, COUNT, pacing_burst_segments, 1, SIM, "", PST_NOT_SET,	\
	  PST_KEY(pacing_burst, 1, 1000),					\
	  "with `pacing`: segments that go at once, before the gap for all of "	\
	  "them", "")								\
	O(SENDER, PERCENT, pacing_gain_percent_slow_start, 200, SIM, "",	\
	  PST_NOT_SET,								\
	  PST_KEY_OR("2 in slow start, then 1.2", pacing_gain, 1, 10000),	\
	  "with `pacing`: windows sent in a round trip; the default is Linux'",	\
	  "")									\
	O(SENDER, PERCENT, pacing_gain_percent, 120, SIM, "", PST_NOT_SET,	\
	  PST_KEY_OR("1.2", pacing_gain, 1, 10000), "after slow start", "")	\
	O(SENDER, GROWTH, growth, PST_GROWTH_BYTES,				\
	  SIM, "ns-3's senders grow by their own rule", PST_NOT_SET,		\
	  PST_KEY(growth, PST_GROWTH_BYTES, PST_GROWTH_ACKS),			\
	  "what the window grows by: with `\"acks\"` each ACK of new data counts "	\
	  "as one segment, as in RFC 2581 and ns-2", "RFC 5681, RFC 3465")	\
	O(SENDER, RECOVERY_TIMER, recovery_timer, PST_RECOVERY_TIMER_STANDARD,	\
	  SIM, "", PST_NOT_SET, PST_NO_KEY,					\
	  "what restarts the timer in fast recovery", "RFC 6298, RFC 6582")	\
	O(SENDER, FLAG, window_option, false,					\
	  SIM, "ns-3's segments have no header for a window", PST_NOT_SET,	\
	  PST_KEY(window_option, 0, 1),						\
	  "data carries a header for the window: gateways that rewrite ACKs "	\
	  "write into it instead, and the receiver advertises no more, "	\
	  "whichever way its ACKs take ([how](methods/window-option.md)); "	\
	  "not with senders that have a header of their own",			\
	  "nis-2004 section 12.2.4")						\
	O(SENDER, FLAG, count_feedback, false,					\
	  SIM, "headers take no room in ns-3's packets", PST_NOT_SET,		\
	  PST_KEY(count_feedback, 0, 1),					\
	  "the bytes of headers between routers and hosts count, which in "	\
	  "nis-2004 section 15.3.4 they do not", "")				\
	O(RECEIVER, FLAG, feedback, true,					\
	  SIM, "ns-3's receivers return headers as they are",			\
	  PST_NOT_SET, PST_KEY(feedback, 0, 1),					\
	  "receivers return the headers that routers write (`xcp`, `xcp_tcp`, `fxcp`, "	\
	  "`fba_tcp`, `antiecn`, `quick_start`)", "")				\
	O(RECEIVER, FLAG, forge_feedback, false,				\
	  SIM, "ns-3's receivers return headers as they are",			\
	  PST_NOT_SET, PST_KEY(forge_feedback, 0, 1),				\
	  "receivers lie: they return what lets their senders send most "	\
	  "(`xcp`, `fba_tcp`, `antiecn`, `quick_start`)", "")			\
	O(RECEIVER, FLAG, opens, false, SIM, "", PST_NOT_SET,			\
	  PST_NO_KEY, "it sends the first SYN, and the sender answers", "")	\
	O(RECEIVER, FLAG, repeat_syn_ack, true,					\
	  SIM, "ns-3's receivers repeat it", PST_NOT_SET,			\
	  PST_KEY(repeat_syn_ack, 0, 1),					\
	  "false: receivers repeat a lost SYN-ACK only when the SYN comes "	\
	  "again, as in ns-2", "")						\
	O(RECEIVER, COUNT, delayed_ack_segments, 2, ALL, "", PST_NOT_SET,	\
	  PST_KEY(delayed_ack, 1, 100), "segments that an ACK waits for",	\
	  "RFC 1122")								\
	O(RECEIVER, TIME, delayed_ack_ns, PST_SECOND_NS / 25, ALL, "",		\
	  PST_NOT_SET, PST_KEY(delayed_ack_timeout, 0, PST_LONGEST_NS),		\
	  "and how long at most; Linux' minimum", "")				\
	O(RECEIVER, FLAG, lazy_fin_ack, false, SIM, "", PST_NOT_SET,		\
	  PST_NO_KEY, "a FIN alone is acknowledged late, and its ACK reports "	\
	  "no duplicate: Linux", "RFC 9293 section 3.8.6.3")			\
	O(RECEIVER, LONG_SIZE, buffer_bytes, 65535, ALL, "", PST_NOT_SET,	\
	  PST_NO_KEY, "largest window; the first one if autotuned", "")		\
	O(RECEIVER, LONG_SIZE, max_buffer_bytes, 6291456, ALL, "",		\
	  PST_NOT_SET, PST_KEY(window_max, 1, 65535 << 14),			\
	  "limit of autotuning (Linux: `tcp_rmem[2]`)", "")			\
	O(RECEIVER, FLAG, autotune, false, ALL, "", PST_NOT_SET,		\
	  PST_NO_KEY, "the window grows as in Linux", "")			\
	O(RECEIVER, COUNT, scaling_ratio, 160, ALL, "", PST_NOT_SET,		\
	  PST_KEY(scaling_ratio, 1, 255),					\
	  "of 256 bytes of an autotuned buffer, so many are window once data "	\
	  "has come: Linux' `scaling_ratio`, which is 160 where each segment "	\
	  "of 1448 bytes takes 2304 of memory, and up to 240 where network "	\
	  "cards join segments", "")						\
	O(RECEIVER, FLAG, rcvbuf_slow_start, false, ALL, "", PST_NOT_SET,	\
	  PST_KEY(rcvbuf_slow_start, 0, 1),					\
	  "true: while the data of a round trip grows, an autotuned buffer has "	\
	  "room for the growth of the next two, as in Linux from 6.18 on", "")	\
	O(RECEIVER, TIME, rcvbuf_low_rtt_ns, 0, ALL, "", PST_NOT_SET,		\
	  PST_KEY(rcvbuf_low_rtt, 0, PST_SECOND_NS),				\
	  "with `rcvbuf_slow_start`: of a shorter round trip the buffer has "	\
	  "room for so much less growth (Linux: `tcp_rcvbuf_low_rtt`, from "	\
	  "6.19 on)", "")							\
	O(RECEIVER, TIME, retract_period_ns, 0, SIM,				\
	  "ns-3's receivers retract no window", PST_NOT_SET,			\
	  PST_KEY_OR("never", retract_period, 1000000, 1000 * PST_SECOND_NS),	\
	  "receivers have half of their buffer in each second period of so "	\
	  "much, and retract the window to it, as Linux with "			\
	  "`tcp_shrink_window` when memory is short; what was once offered "	\
	  "is accepted", "RFC 7323 section 2.4")

/* Of receivers that move; their keys are those of [mobility]. */
#define PST_FREEZE_OPTIONS(O)							\
	O(RECEIVER, FLAG, freeze, false, SIM, "", PST_NOT_SET,			\
	  PST_KEY(freeze, 0, 1),						\
	  "receivers use [Freeze-TCP](methods/freeze-tcp.md)", "")		\
	O(RECEIVER, COUNT, freeze_wake_rtts, 2, SIM, "", PST_NOT_SET,		\
	  PST_KEY(wake_rtts, 1, 1000),						\
	  "RTTs after which the ACKs that wake the sender are repeated", "")	\
	O(RECEIVER, COUNT, freeze_wakes, 64, SIM, "", PST_NOT_SET,		\
	  PST_KEY(wakes, 1, 10000), "maximum number of repetitions", "")

#define PST_SYSCTL(name) #name, ""
#define PST_ROUTE(name) "", #name
#define PST_NOT_SET "", ""

#define PST_ENDS_SENDER true, false
#define PST_ENDS_RECEIVER false, true
#define PST_ENDS_BOTH true, true
#define PST_OPTION_ROW(ends, type, name, initial, hosts, ...)              \
	{ PST_ENDS_##ends, #name, PST_UNIT_##type, initial, PST_IN_NS3_##hosts, \
	  __VA_ARGS__, "" },

/* What of a row each end has. */
#define PST_SENDER_HAS_SENDER(...) __VA_ARGS__
#define PST_SENDER_HAS_BOTH(...) __VA_ARGS__
#define PST_SENDER_HAS_RECEIVER(...)
#define PST_RECEIVER_HAS_SENDER(...)
#define PST_RECEIVER_HAS_BOTH(...) __VA_ARGS__
#define PST_RECEIVER_HAS_RECEIVER(...) __VA_ARGS__

#endif
