/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VoAP, Vegas over access point: SAP-LAW's window, adjusted by each flow's backlog.
 *
 * A. Bujari, M. Massaro, C. E. Palazzi: "Vegas over Access Point: Making Room for Thin
 * Client Game Systems in a Wireless Home", IEEE Transactions on Circuits and Systems for
 * Video Technology 25(12), 2015, which ewt-iot-2023 section 2.3 calls an improvement of
 * SAP-LAW, without equations. Those of Vegas are from L. Brakmo, L. Peterson, IEEE JSAC
 * 13(8), 1995:
 *
 *   S    = (C - UDP(t)) / N * RTT                   SAP-LAW's window
 *   diff = W * wait / (RTT + wait)                  what the flow has in this queue
 *   W   += MSS   if diff < alpha * MSS and the flow fills W, once per round trip
 *   W   -= MSS   if diff > beta * MSS, but not below S
 *   W'   = min(Wr, W), W = max(S, MSS) at the flow's first ACK
 *
 * RTT is the flow's without this queue, wait the current queueing delay.
 */
#ifndef PENSTOCK_CORE_LAW_VOAP_H
#define PENSTOCK_CORE_LAW_VOAP_H

#include "udp.h"

#define PST_VOAP_TITLE "VoAP, Vegas over access point"
#define PST_VOAP_SOURCE "ewt-iot-2023 section 2.3; Brakmo and Peterson 1995"
#define PST_VOAP_FORMULA "min(window_bytes, max(share_bytes, mss_bytes, vegas_bytes))"

#define PST_VOAP_PARAMS(P)                                                \
	P(alpha_pkts, PST_PKTS, PST_IS(2), 0, 65535,                      \
	  "segments in the queue below which a flow's window grows",      \
	  "Brakmo and Peterson 1995")                                     \
	P(beta_pkts, PST_PKTS, PST_IS(4), 0, 65535,                       \
	  "segments in the queue above which it shrinks",                 \
	  "Brakmo and Peterson 1995")                                     \
	PST_UDP_PARAMS(P)
#define PST_VOAP_OWN(S) S(vegas_bytes, PST_BYTES, "W of the last ACK's flow")
#define PST_VOAP_STATE(S) \
	PST_UDP_STATE(S)  \
	PST_VOAP_OWN(S)

#define PST_VOAP_FLOW(F)                                                    \
	F(u64, window_bytes, PST_BYTES, "W; 0 before the first ACK")        \
	F(u64, next_ns, PST_TIME, "when a round trip after the last step ends")

struct pst_voap_params {
	PST_VOAP_PARAMS(PST_PARAM_FIELD)
};

struct pst_voap_state {
	struct pst_udp udp;
	PST_VOAP_OWN(PST_STATE_FIELD)
};

struct pst_voap_flow {
	PST_VOAP_FLOW(PST_FLOW_FIELD)
};

PST_FN void pst_voap_on_accepted(const struct pst_voap_params *p,
			    struct pst_voap_state *s,
			    const struct pst_queue *q,
			    const struct pst_packet *k)
{
	(void)p;
	(void)q;
	pst_udp_accepted(&s->udp, k);
}

PST_FN u64 pst_voap_on_tick(const struct pst_voap_params *p,
			     struct pst_voap_state *s,
			     const struct pst_queue *q)
{
	(void)q;
	pst_udp_tick(&s->udp, p->interval_ns, p->udp_weight_q32);
	return p->interval_ns;
}

/* The queueing delay at the link's rate; the maximum if that is 0. */
PST_FN u64 pst_voap_wait_ns(const struct pst_queue *q)
{
	if (!q->rate_bytes_per_s)
		return q->bytes ? PST_MAX_NS : 0;
	return pst_min(pst_mul_div(pst_min(q->bytes, PST_MAX_BYTES),
				   PST_NS_PER_S,
				   pst_min(q->rate_bytes_per_s, PST_MAX_BYTES)),
		       PST_MAX_NS);
}

/* Vegas' step, once per round trip. */
PST_FN void pst_voap_step(const struct pst_voap_params *p,
			  struct pst_voap_flow *f, const struct pst_queue *q,
			  const struct pst_ack *a, u64 rtt_ns)
{
	u64 mss_bytes = pst_max(a->mss_bytes, 1);
	u64 wait_ns = pst_voap_wait_ns(q);
	u64 waiting_bytes;

	if (q->now_ns < f->next_ns)
		return;
	f->next_ns = q->now_ns + rtt_ns + wait_ns;
	waiting_bytes = pst_mul_div(f->window_bytes, wait_ns, rtt_ns + wait_ns);
	if (waiting_bytes < p->alpha_pkts * mss_bytes) {
		if (pst_ack_fills_window(a))
			f->window_bytes += mss_bytes;
	} else if (waiting_bytes > p->beta_pkts * mss_bytes) {
		f->window_bytes = pst_sub_floor(f->window_bytes, mss_bytes);
	}
}

PST_FN u64 pst_voap_on_ack(const struct pst_voap_params *p,
			   struct pst_voap_state *s, struct pst_voap_flow *f,
			   const struct pst_queue *q, const struct pst_ack *a)
{
	u64 rtt_ns = a->rtt_ns ? a->rtt_ns : p->rtt_ns;
	u64 least_bytes;

	pst_udp_share(&s->udp, q, rtt_ns);
	least_bytes = pst_min(pst_max(s->udp.share_bytes, pst_max(a->mss_bytes, 1)),
			      PST_MOST_WINDOW_BYTES);
	if (f->window_bytes)
		pst_voap_step(p, f, q, a, rtt_ns);
	else
		f->next_ns = q->now_ns + rtt_ns + pst_voap_wait_ns(q);
	f->window_bytes = pst_clamp(f->window_bytes, least_bytes,
				    PST_MOST_WINDOW_BYTES);
	s->vegas_bytes = f->window_bytes;
	return pst_min(a->window_bytes, f->window_bytes);
}

#endif
