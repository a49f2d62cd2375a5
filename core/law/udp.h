/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common parts of the methods that divide the link's rate among the TCP flows: the
 * measured rate of uncontrolled traffic, and the window for a rate.
 *
 *   UDP(t) = (1 - g) UDP(t - T) + g * bytes in T / T
 *   window = rate * RTT
 *
 * UDP(t) counts all traffic that no window controls and that entered the queue: what is not
 * TCP, and TCP that passes or is beyond its windows.
 */
#ifndef PENSTOCK_CORE_LAW_UDP_H
#define PENSTOCK_CORE_LAW_UDP_H

#include "../math/average.h"
#include "../queue/queue.h"
#include "ack.h"

#define PST_UDP_PARAMS(P)                                                      \
	P(interval_ns, PST_NS, PST_IS(100000000), 1000000, PST_MAX_NS,         \
	  "measurement interval of UDP's rate (T)",                           \
	  "our choice; the papers measure at every moment")                    \
	P(udp_weight_q32, PST_RATIO_Q32, PST_IS(1073741824), 4295, PST_Q32_ONE,    \
	  "weight of one interval in UDP's mean rate (g)",                     \
	  "our choice: a step counts for 90 % after 0.8 s")                    \
	PST_RTT_PARAM(P)

#define PST_UDP_STATE(S)                                                       \
	S(udp_bytes, PST_BYTES, "bytes that no window controls in this interval")    \
	S(udp_bytes_per_s_q16, PST_BYTES, "mean rate of what no window controls")      \
	S(share_bytes, PST_BYTES, "rate share times RTT of the last ACK")

struct pst_udp {
	PST_UDP_STATE(PST_STATE_FIELD)
};

/* UDP's mean rate after @bytes in @interval_ns. */
PST_FN u64 pst_udp_rate_q16(u64 mean_q16, u64 bytes, u64 interval_ns,
			    u64 weight_q32)
{
	u64 bytes_per_s = pst_mul_div(pst_min(bytes, PST_MAX_BYTES),
				      PST_NS_PER_S, interval_ns);

	return pst_average_q16(mean_q16, pst_min(bytes_per_s, PST_MAX_BYTES - 1),
			       weight_q32);
}

/* @rate_bytes_per_s divided by all flows, times @rtt_ns, in bytes; <= 2^40. */
PST_FN u64 pst_rate_share_bytes(const struct pst_queue *q, u64 rate_bytes_per_s,
				u64 rtt_ns)
{
	u64 path_bytes = pst_mul_div(pst_min(rate_bytes_per_s, PST_MAX_BYTES),
				     pst_min(rtt_ns, PST_MAX_NS), PST_NS_PER_S);

	return pst_min(path_bytes / pst_max(q->flows, 1), PST_MAX_BYTES);
}

/* The window for a flow's share, at least a segment. */
PST_FN u64 pst_share_window_bytes(const struct pst_ack *a, u64 share_bytes)
{
	return pst_min(a->window_bytes, pst_max(share_bytes, a->mss_bytes));
}

/* @k has entered the queue. */
PST_FN void pst_udp_accepted(struct pst_udp *u, const struct pst_packet *k)
{
	if (k->kind == PST_KIND_OTHER || k->kind == PST_KIND_BY_RULE)
		u->udp_bytes += k->bytes;
}

/* An interval ends: its bytes update the mean rate. */
PST_FN void pst_udp_tick(struct pst_udp *u, u64 interval_ns, u64 weight_q32)
{
	u->udp_bytes_per_s_q16 = pst_udp_rate_q16(u->udp_bytes_per_s_q16,
						  u->udp_bytes, interval_ns,
						  weight_q32);
	u->udp_bytes = 0;
}

/* The share of a flow in what UDP leaves of the link's rate. */
PST_FN void pst_udp_share(struct pst_udp *u, const struct pst_queue *q, u64 rtt_ns)
{
	u64 left_bytes_per_s = pst_sub_floor(q->rate_bytes_per_s,
					     u->udp_bytes_per_s_q16 >> 16);

	u->share_bytes = pst_rate_share_bytes(q, left_bytes_per_s, rtt_ns);
}

#endif
