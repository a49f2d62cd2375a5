/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Smart-RED, the law: SAP-LAW's window while the queue is between two thresholds.
 *
 * A. Bujari, A. Marin, C. E. Palazzi, S. Rossi: "Smart-RED: A Novel Congestion Control
 * Mechanism for High Throughput and Low Queuing Delay", 2019, as ewt-iot-2023 section
 * 2.3 gives it:
 *
 *   min_th <= ql < max_th   SAP-LAW (sap_law.h), and RED drops nothing
 *   else                    RED, and the windows pass as they are
 *
 * The discipline red_band is RED with that gap.
 */
#ifndef PENSTOCK_CORE_CONTROL_SMART_RED_H
#define PENSTOCK_CORE_CONTROL_SMART_RED_H

#include "udp.h"

#define PST_SMART_RED_TITLE "Smart-RED, SAP-LAW between RED's thresholds"
#define PST_SMART_RED_SOURCE "ewt-iot-2023 section 2.3"
#define PST_SMART_RED_FORMULA                                          \
	"min(window_bytes, max(share_bytes, mss_bytes)) if "           \
	"window_from_bytes <= queue_bytes < window_to_bytes else window_bytes"

#define PST_SMART_RED_PARAMS(P)                                            \
	P(window_from_bytes, PST_BYTES, PST_OF_BUFFER(1, 12), 0, PST_MAX_BYTES, \
	  "queue from which SAP-LAW decides (min_th)",                     \
	  "ewt-iot-2023 section 2.3; RED's, ewt-2019 Table 3")             \
	P(window_to_bytes, PST_BYTES, PST_OF_BUFFER(1, 4), 0, PST_MAX_BYTES,  \
	  "queue from which RED decides again (max_th)",                   \
	  "ewt-iot-2023 section 2.3; RED's, ewt-2019 Table 3")             \
	PST_UDP_PARAMS(P)
#define PST_SMART_RED_STATE(S) PST_UDP_STATE(S)

struct pst_smart_red_params {
	PST_SMART_RED_PARAMS(PST_PARAM_FIELD)
};

struct pst_smart_red_state {
	PST_SMART_RED_STATE(PST_STATE_FIELD)
};

PST_FN void pst_smart_red_on_accepted(const struct pst_smart_red_params *p,
			    struct pst_smart_red_state *s,
			    const struct pst_queue *q,
			    const struct pst_packet *k)
{
	(void)p;
	(void)q;
	s->udp_bytes += pst_udp_bytes(k);
}

PST_FN u64 pst_smart_red_on_tick(const struct pst_smart_red_params *p,
			     struct pst_smart_red_state *s,
			     const struct pst_queue *q)
{
	(void)q;
	s->udp_bytes_per_s_q16 = pst_udp_rate_q16(s->udp_bytes_per_s_q16,
						  s->udp_bytes, p->interval_ns,
						  p->udp_weight_q32);
	s->udp_bytes = 0;
	return p->interval_ns;
}

PST_FN u64 pst_smart_red_on_ack(const struct pst_smart_red_params *p,
				struct pst_smart_red_state *s,
				const struct pst_queue *q,
				const struct pst_ack *a)
{
	u64 rtt_ns = a->rtt_ns ? a->rtt_ns : p->rtt_ns;

	s->share_bytes = pst_udp_share_bytes(q, s->udp_bytes_per_s_q16, rtt_ns);
	if (q->bytes < p->window_from_bytes || q->bytes >= p->window_to_bytes)
		return a->window_bytes;
	return pst_min(a->window_bytes, pst_max(s->share_bytes, a->mss_bytes));
}

#endif
