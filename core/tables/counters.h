/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of a run, one row per counter. The rows expand into the structs of the
 * simulator and of ns-3's lab, the results in Python with their columns, the page in a
 * browser and docs/columns.md.
 *
 *   C(name, unit, hosts, column, help, source)
 *     name    the struct's field, and the name in results
 *     hosts   who counts it: ALL, or SIM for the simulator alone
 *     column  PST_COLUMN(better) if it is a column of each run and each flow, where @better is
 *             "low", "high" or "" for neither; else PST_NO_COLUMN
 *     help    a definition; the tables of columns add the object it applies to
 */
#ifndef PENSTOCK_CORE_TABLES_COUNTERS_H
#define PENSTOCK_CORE_TABLES_COUNTERS_H

#include "../base.h"

/* Of a sender, from the first SYN on. */
#define PST_SENDER_COUNTERS(C)                                                  \
	C(segments_sent, "segments", ALL, PST_NO_COLUMN,                        \
	  "Segments with payload, retransmissions included", "")               \
	C(bytes_sent, "bytes", ALL, PST_NO_COLUMN,                              \
	  "Payload sent, retransmissions included", "")                        \
	C(retransmissions, "segments", ALL, PST_COLUMN("low"),                  \
	  "Retransmitted segments with payload", "")                           \
	C(retransmitted_bytes, "bytes", ALL, PST_NO_COLUMN,                     \
	  "Retransmitted payload", "")                                         \
	C(timeouts, "count", ALL, PST_COLUMN("low"),                            \
	  "Expiries of open connections' retransmission timers (QUIC: probe "   \
	  "timeouts)",                                                         \
	  "RFC 6298")                                                          \
	C(fast_recoveries, "count", ALL, PST_NO_COLUMN,                         \
	  "Fast recoveries begun", "RFC 6582")                                 \
	C(ecn_reductions, "count", ALL, PST_NO_COLUMN,                          \
	  "Reductions of the window because of ECN", "RFC 3168")               \
	C(window_probes, "count", ALL, PST_NO_COLUMN,                           \
	  "Probes of a closed window", "RFC 9293 section 3.8.6.1")

#define PST_RECEIVER_COUNTERS(C)                                                \
	C(segments_received, "segments", SIM, PST_NO_COLUMN,                    \
	  "Segments with payload that arrived", "")                            \
	C(delivered_bytes, "bytes", ALL, PST_NO_COLUMN,                         \
	  "Payload delivered in order", "")                                    \
	C(received_bytes, "bytes", SIM, PST_NO_COLUMN,                          \
	  "Payload that arrived for the first time, in order or not", "")      \
	C(duplicate_bytes, "bytes", SIM, PST_NO_COLUMN,                         \
	  "Payload that arrived again", "")                                    \
	C(out_of_window, "segments", SIM, PST_NO_COLUMN,                        \
	  "Segments dropped beyond the right edge", "")                        \
	C(acks_sent, "segments", SIM, PST_NO_COLUMN, "ACKs sent", "")           \
	C(ce_received, "segments", SIM, PST_NO_COLUMN,                          \
	  "Segments that arrived with a CE mark", "RFC 3168")

/* Of a queue, from the first arrival or the end of the warm-up on. */
#define PST_QUEUE_COUNTERS(C)                                                   \
	C(arrivals, "packets", ALL, PST_NO_COLUMN, "Packets that arrived", "")  \
	C(arrived_bytes, "bytes", ALL, PST_NO_COLUMN, "Their bytes", "")        \
	C(drops_overflow, "packets", ALL, PST_NO_COLUMN,                        \
	  "Packets dropped because the queue was full", "")                    \
	C(drops_method, "packets", ALL, PST_NO_COLUMN,                          \
	  "Packets dropped by the method", "")                                 \
	C(marks, "packets", ALL, PST_NO_COLUMN,                                 \
	  "Packets that the method marked", "RFC 3168")                        \
	C(signals, "packets", SIM, PST_NO_COLUMN,                               \
	  "Early events that ACKs are to carry", "")                           \
	C(udp_arrivals, "packets", ALL, PST_NO_COLUMN,                          \
	  "UDP packets that arrived", "")                                      \
	C(udp_drops, "packets", ALL, PST_NO_COLUMN, "UDP packets dropped", "")  \
	C(sent_packets, "packets", ALL, PST_NO_COLUMN,                          \
	  "Packets that began their transmission", "")                         \
	C(sent_bytes, "bytes", ALL, PST_NO_COLUMN, "Their bytes", "")

/*
 * Figures of a queue that are not counts:
 *
 *   F(name, column, unit, factor, better, help)
 *     name    the struct's field, and the name in results
 *     column  its name in a run's columns, where it is @factor times as large
 */
#define PST_QUEUE_FIGURES(F)                                                    \
	F(packets_mean, "queue_packets_mean", "packets", 1, "low",              \
	  "Packets waiting, averaged over the measured time: a short packet "   \
	  "is one as well; empty with `live`.")                                          \
	F(bytes_mean, "queue_bytes_mean", "bytes", 1, "low",                    \
	  "Queue length, averaged over the measured time.")                                 \
	F(bytes_p50, "queue_bytes_p50", "bytes", 1, "",                         \
	  "Median of the queue length over time.")                             \
	F(bytes_p99, "queue_bytes_p99", "bytes", 1, "",                         \
	  "99th percentile of the queue length over time.")                    \
	F(bytes_max, "queue_bytes_max", "bytes", 1, "",                         \
	  "Largest queue length.")                                             \
	F(delay_ns_mean, "queue_delay_ms_mean", "ms", 1e-6, "low",              \
	  "Time from arrival to the start of transmission; mean over "          \
	  "packets.")                                                          \
	F(delay_ns_p99, "queue_delay_ms_p99", "ms", 1e-6, "low",                \
	  "The same, 99th percentile over packets.")                           \
	F(delay_ns_sd, "queue_delay_ms_sd", "ms", 1e-6, "low",                  \
	  "The same, standard deviation over packets: the jitter of this "      \
	  "queue.")

/* The same, of the link behind the queue. */
#define PST_LINK_FIGURES(F)                                                     \
	F(utilisation, "utilisation_percent", "%", 100, "high",                 \
	  "Time during which the link transmits, over the time from the first " \
	  "arrival to the end. If the end cuts off a transmission, only the "   \
	  "part before it counts.")

struct pst_counter_row {
	const char *name;
	const char *unit;
	bool column;
	const char *better;
	const char *help;
	const char *source;
};

struct pst_figure_row {
	const char *name;
	const char *column;
	const char *unit;
	double factor;
	const char *better;
	const char *help;
};

#define PST_COLUMN(better) true, better
#define PST_NO_COLUMN false, ""
#define PST_COUNTER_ROW(name, unit, hosts, column, help, source) \
	{ #name, unit, column, help, source },
#define PST_FIGURE_ROW(name, column, unit, factor, better, help) \
	{ #name, column, unit, factor, better, help },

/* What of a row ns-3's lab counts. */
#define PST_COUNTED_ALL(...) __VA_ARGS__
#define PST_COUNTED_SIM(...)

#endif
