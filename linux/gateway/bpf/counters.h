/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters of an attachment, by name, and what each counts. */
#ifndef PENSTOCK_GATEWAY_COUNTERS_H
#define PENSTOCK_GATEWAY_COUNTERS_H

/*
 * C(name, help): all per CPU, all count since the first attach. They are read in this order
 * while they grow: a part that is counted after its whole stands before it, as
 * acks_rewritten does, and never exceeds it.
 */
#define GW_COUNTERS(C)                                                         \
	C(forward_packets, "packets out of the device; with --down, in by it")                      \
	C(forward_bytes, "bytes out of the device")                            \
	C(forward_tcp_bytes, "of these, TCP's")                                \
	C(forward_controlled_bytes, "of these, of flows that can be controlled")     \
	C(beyond_bytes, "data beyond every window that was granted (R35)")     \
	C(policed_packets, "of that data, packets dropped by the setting police") \
	C(early_drops, "packets that the discipline dropped on their way out; when observing, would have") \
	C(early_marks, "packets that it marked with CE, likewise")             \
	C(early_windows, "packets for which it asks an ACK for a smaller window") \
	C(unstamped_bytes, "of data that comes in (--down), TCP payload without a timestamp (RFC 7323)") \
	C(data_bytes, "TCP payload out of the device, of known flows")         \
	C(retransmitted_bytes, "of these, at or below what had been seen sent") \
	C(reverse_packets, "packets in by the device; with --down, out of it")                      \
	C(reverse_bytes, "bytes in by the device")                             \
	C(flows_opened, "handshakes completed")                                \
	C(flows_closed, "flows ended by FIN or RST (R35)")                      \
	C(flows_removed, "flows forgotten as they were over or idle (R27)")    \
	C(acks_rewritten, "ACKs and SYN-ACKs with a smaller window; when observing, what would be") \
	C(acks_seen, "ACKs and SYN-ACKs of known flows")                       \
	C(acks_held, "ACKs and SYN-ACKs that the queue of their device holds back (beyond)") \
	C(ticks, "runs of the method's clock")                                 \
	C(observed_drops, "packets that did not fit the virtual queue while observing, and passed") \
	C(virtual_drops, "packets that did not fit the virtual queue, these included") \
	C(write_errors, "windows, and signals of SCONE, that the kernel did not let change") \
	C(scone_packets, "QUIC datagrams out of the device that begin with a SCONE packet") \
	C(scone_advised, "of these, signals lowered to the advice; when observing, what would be") \
	C(scone_kept, "of these, left as they were no higher than the advice, or there is none yet") \
	C(scone_spared, "of these, left as their path had the advice a few times in this period") \
	C(scone_left, "of these, left as an end is exempt, or no whole packet follows")

/* Reasons for passing a packet without considering its window. */
#define GW_BYPASSES(C)                                                \
	C(not_ip, "no IP packet")                                     \
	C(not_tcp, "IP, but not TCP")                                 \
	C(fragment, "IP fragment")                                    \
	C(extended, "too many IPv6 extension headers")                \
	C(truncated, "ends inside a header")                          \
	C(malformed, "lengths contradict each other")                 \
	C(damaged, "the TCP checksum is wrong (R35)")                 \
	C(reset, "a RST: its window means nothing")                   \
	C(no_ack, "no ACK flag")                                      \
	C(unknown_flow, "handshake not seen, or forgotten since")     \
	GW_SKIPS(C)                                                   \
	C(stale, "the timer of the method has stopped")               \
	C(busy, "another CPU held the flow too long")

#endif
