/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SAP-LAW, smart access point with limited advertised window.
 *
 * C. E. Palazzi, S. Ferretti, M. Roccetti, G. Pau, M. Gerla: "What's in that Magic Box?
 * The Home Entertainment Center's Special Protocol Potion, Revealed", IEEE Transactions
 * on Consumer Electronics 52(4), 2006, after ewt-2019 section 3.2:
 *
 *   max TCPrate(t) = (C - UDPtraffic(t)) / #TCPflows(t)                    (5)
 *   W' = min(Wr, max TCPrate(t) * RTT)
 *
 * The rate is converted to a window with the flow's RTT as measured by the gateway,
 * without the delay in the gateway's own queue.
 */
#ifndef PENSTOCK_CORE_LAW_SAP_LAW_H
#define PENSTOCK_CORE_LAW_SAP_LAW_H

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
	struct pst_udp udp;
};

PST_FN void pst_sap_law_on_accepted(const struct pst_sap_law_params *p,
			    struct pst_sap_law_state *s,
			    const struct pst_queue *q,
			    const struct pst_packet *k)
{
	(void)p;
	(void)q;
	pst_udp_accepted(&s->udp, k);
}

PST_FN u64 pst_sap_law_on_tick(const struct pst_sap_law_params *p,
			     struct pst_sap_law_state *s,
			     const struct pst_queue *q)
{
	(void)q;
	pst_udp_tick(&s->udp, p->interval_ns, p->udp_weight_q32);
	return p->interval_ns;
}

PST_FN u64 pst_sap_law_on_ack(const struct pst_sap_law_params *p,
			      struct pst_sap_law_state *s,
			      const struct pst_queue *q,
			      const struct pst_ack *a)
{
	pst_udp_share(&s->udp, q, a->rtt_ns ? a->rtt_ns : p->rtt_ns);
	return pst_share_window_bytes(a, s->udp.share_bytes);
}

#endif
