/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SAP-LAW, smart access point with limited advertised window.
 *
 * C. E. Palazzi, M. Brunati, M. Roccetti, 2010, as ewt-2019 section 3.2 gives it:
 *
 *   max TCPrate(t) = (C - UDPtraffic(t)) / #TCPflows(t)                    (5)
 *   W' = min(Wr, max TCPrate(t) * RTT)
 *
 * A window is bytes and not a rate: the flow's round trip as the gateway has measured
 * it, without the wait in the gateway's own queue, turns one into the other.
 */
#ifndef PENSTOCK_CORE_CONTROL_SAP_LAW_H
#define PENSTOCK_CORE_CONTROL_SAP_LAW_H

#include "udp.h"

#define PST_SAP_LAW_TITLE "SAP-LAW, smart access point with limited advertised window"
#define PST_SAP_LAW_SOURCE "ewt-2019 section 3.2, eq. 5"
#define PST_SAP_LAW_FORMULA "min(window_bytes, max(share_bytes, mss_bytes))"
#define PST_SAP_LAW_PARAMS(P) PST_UDP_PARAMS(P)
#define PST_SAP_LAW_STATE(S) PST_UDP_STATE(S)

struct pst_sap_law_params {
	PST_SAP_LAW_PARAMS(PST_PARAM_FIELD)
};

struct pst_sap_law_state {
	PST_SAP_LAW_STATE(PST_STATE_FIELD)
};

PST_FN void pst_sap_law_on_accepted(const struct pst_sap_law_params *p,
			    struct pst_sap_law_state *s,
			    const struct pst_queue *q,
			    const struct pst_packet *k)
{
	(void)p;
	(void)q;
	s->udp_bytes += pst_udp_bytes(k);
}

PST_FN u64 pst_sap_law_on_tick(const struct pst_sap_law_params *p,
			     struct pst_sap_law_state *s,
			     const struct pst_queue *q)
{
	(void)q;
	s->udp_bytes_per_s_q16 = pst_udp_rate_q16(s->udp_bytes_per_s_q16,
						  s->udp_bytes, p->interval_ns,
						  p->udp_weight_q32);
	s->udp_bytes = 0;
	return p->interval_ns;
}

PST_FN u64 pst_sap_law_on_ack(const struct pst_sap_law_params *p,
			      struct pst_sap_law_state *s,
			      const struct pst_queue *q,
			      const struct pst_ack *a)
{
	u64 rtt_ns = a->rtt_ns ? a->rtt_ns : p->rtt_ns;

	s->share_bytes = pst_udp_share_bytes(q, s->udp_bytes_per_s_q16, rtt_ns);
	return pst_min(a->window_bytes, pst_max(s->share_bytes, a->mss_bytes));
}

#endif
