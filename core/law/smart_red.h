/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Smart-RED, the law: SAP-LAW's window while the queue is between two thresholds.
 *
 * A. Bujari, A. Marin, C. E. Palazzi, S. Rossi: "Smart-RED: A Novel Congestion Control
 * Mechanism for High Throughput and Low Queuing Delay", Wireless Communications and
 * Mobile Computing, 2019, after ewt-iot-2023 section 2.3:
 *
 *   min_th <= ql < max_th   SAP-LAW (sap_law.h), and RED drops nothing
 *   else                    RED, and the windows pass as they are
 *
 * The discipline red_band is RED with this gap.
 */
#ifndef PENSTOCK_CORE_LAW_SMART_RED_H
#define PENSTOCK_CORE_LAW_SMART_RED_H

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
	struct pst_udp udp;
};

PST_FN void pst_smart_red_on_accepted(const struct pst_smart_red_params *p,
			    struct pst_smart_red_state *s,
			    const struct pst_queue *q,
			    const struct pst_packet *k)
{
	(void)p;
	(void)q;
	pst_udp_accepted(&s->udp, k);
}

PST_FN u64 pst_smart_red_on_tick(const struct pst_smart_red_params *p,
			     struct pst_smart_red_state *s,
			     const struct pst_queue *q)
{
	(void)q;
	pst_udp_tick(&s->udp, p->interval_ns, p->udp_weight_q32);
	return p->interval_ns;
}

PST_FN u64 pst_smart_red_on_ack(const struct pst_smart_red_params *p,
				struct pst_smart_red_state *s,
				const struct pst_queue *q,
				const struct pst_ack *a)
{
	pst_udp_share(&s->udp, q, a->rtt_ns ? a->rtt_ns : p->rtt_ns);
	if (q->bytes < p->window_from_bytes || q->bytes >= p->window_to_bytes)
		return a->window_bytes;
	return pst_share_window_bytes(a, s->udp.share_bytes);
}

#endif
