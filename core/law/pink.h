/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PINK, proactive injection into ACK.
 *
 * M. Casoni, C. A. Grazia, M. Klapez, N. Patriciello: "How to Avoid TCP Congestion
 * Without Dropping Packets: An Effective AQM Called PINK", Computer Communications 103,
 * 2017. By ewt-2019 section 3.4 it uses the number of active flows, the RTT of each, and
 * the rate:
 *
 *   W' = min(Wr, C * RTT_i / N)
 *
 * RTT_i is the flow's, without the delay in the gateway's own queue, which would
 * otherwise enlarge the windows that caused it.
 */
#ifndef PENSTOCK_CORE_LAW_PINK_H
#define PENSTOCK_CORE_LAW_PINK_H

#include "udp.h"

#define PST_PINK_TITLE "PINK, proactive injection into ACK"
#define PST_PINK_SOURCE "ewt-2019 section 3.4; Casoni et al. 2017"
#define PST_PINK_FORMULA "min(window_bytes, max(share_bytes, mss_bytes))"

#define PST_PINK_PARAMS(P) PST_RTT_PARAM(P)

#define PST_PINK_STATE(S) \
	S(share_bytes, PST_BYTES, "C * RTT_i / N of the last ACK")

struct pst_pink_params {
	PST_PINK_PARAMS(PST_PARAM_FIELD)
};

struct pst_pink_state {
	PST_PINK_STATE(PST_STATE_FIELD)
};

PST_FN u64 pst_pink_on_ack(const struct pst_pink_params *p,
			   struct pst_pink_state *s, const struct pst_queue *q,
			   const struct pst_ack *a)
{
	s->share_bytes = pst_rate_share_bytes(q, q->rate_bytes_per_s,
					      a->rtt_ns ? a->rtt_ns : p->rtt_ns);
	return pst_share_window_bytes(a, s->share_bytes);
}

#endif
