/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * XCP, the eXplicit Control Protocol: the sender's part. Each segment requests a change
 * of the window, the routers lower it, and the ACK returns the result.
 *
 * D. Katabi, M. Handley, C. Rohrs, SIGCOMM 2002; nis-2004 section 12.3.1:
 *
 *   H_feedback = (r * rtt - cwnd) / packets in cwnd          (12.5)
 *   cwnd       = max(cwnd + H_feedback, s)                   (12.6)
 *
 * r is the rate that the sender requests; 0 means as much as possible. A loss halves the
 * window as in NewReno. Without XCP support on the path or at the receiver, the sender
 * behaves as NewReno.
 */
#ifndef PENSTOCK_CORE_SENDER_XCP_SENDER_H
#define PENSTOCK_CORE_SENDER_XCP_SENDER_H

#include "growth.h"

#define PST_XCP_SENDER_TITLE "XCP, explicit control protocol (sender)"
#define PST_XCP_SENDER_SOURCE "nis-2004 section 12.3.1; Katabi et al. 2002"
#define PST_XCP_SENDER_LINUX "pst_xcp_sender"
#define PST_XCP_SENDER_FEEDBACK PST_FEEDBACK_XCP

#define PST_XCP_SENDER_PARAMS(P)                                      \
	PST_SLOW_START_PARAMS(P)                                      \
	P(rate_bps, PST_BPS, PST_IS(0), 0, PST_MAX_BYTES,             \
	  "rate that the sender requests (r); 0: unlimited",                  \
	  "nis-2004 (12.5)")

#define PST_XCP_SENDER_STATE(S)                                               \
	S(controlled, PST_FLAG, "the path and the receiver speak XCP")        \
	S(recovering, PST_FLAG, "a loss is being repaired; windows may shrink") \
	S(credit_bytes, PST_BYTES,                                            \
	  "acknowledged bytes not yet turned into window (NewReno)")

struct pst_xcp_sender_params {
	PST_XCP_SENDER_PARAMS(PST_PARAM_FIELD)
};

struct pst_xcp_sender_state {
	PST_XCP_SENDER_STATE(PST_STATE_FIELD)
};

PST_FN void pst_xcp_sender_init(const struct pst_xcp_sender_params *p,
				struct pst_xcp_sender_state *s,
				const struct pst_sender_view *v,
				struct pst_cwnd *w)
{
	(void)p;
	(void)w;
	s->controlled = v->has_feedback;
}

/* The window for the requested rate; as much as possible without one. */
PST_FN u64 pst_xcp_sender_requested_bytes(const struct pst_xcp_sender_params *p,
				       const struct pst_sender_view *v)
{
	if (!p->rate_bps)
		return PST_MAX_BYTES;
	return pst_mul_div(p->rate_bps / 8, pst_min(v->srtt_ns, PST_MAX_NS),
			   PST_NS_PER_S);
}

/* That window less the current one, per packet in it (12.5). */
PST_FN s32 pst_xcp_sender_demand(const struct pst_xcp_sender_params *p,
				 const struct pst_sender_view *v,
				 const struct pst_cwnd *w)
{
	u64 wanted, packets, change;

	if (!v->srtt_ns)
		return 0;
	if (!p->rate_bps)
		return 0x7fffffff;
	wanted = pst_xcp_sender_requested_bytes(p, v);
	packets = pst_max(w->bytes / pst_max(v->mss_bytes, 1), 1);
	change = wanted > w->bytes ? wanted - w->bytes : w->bytes - wanted;
	change = pst_min(change / packets, 0x7fffffff);
	return wanted > w->bytes ? (s32)change : -(s32)change;
}

PST_FN void pst_xcp_sender_stamp(const struct pst_xcp_sender_params *p,
				 const struct pst_xcp_sender_state *s,
				 const struct pst_sender_view *v,
				 const struct pst_cwnd *w,
				 struct pst_feedback *f)
{
	u64 mss_bytes = pst_max(v->mss_bytes, 1);
	u64 used_bytes = w->bytes / mss_bytes * mss_bytes;

	(void)s;
	f->cwnd_bytes = (u32)pst_min(pst_max(used_bytes, mss_bytes), 0xffffffff);
	f->rtt_us = (u32)pst_min(v->srtt_ns / 1000, 0xffffffff);
	f->delta_bytes = pst_xcp_sender_demand(p, v, w);
}

/*
 * (12.6). The window does not grow while it is not used, RFC 7661, nor beyond the
 * requested rate: routers never raise a request, so that such feedback is forged or late.
 */
PST_FN void pst_xcp_sender_on_sample(const struct pst_xcp_sender_params *p,
				     struct pst_xcp_sender_state *s,
				     const struct pst_sender_view *v,
				     struct pst_cwnd *w)
{
	bool grows = v->feedback_bytes > 0;
	u64 step = (u64)(grows ? v->feedback_bytes : -(s64)v->feedback_bytes);
	u64 most_bytes = pst_max(pst_xcp_sender_requested_bytes(p, v), v->mss_bytes);

	s->controlled = v->has_feedback;
	if (!s->controlled)
		return;
	if (!grows)
		w->bytes = pst_max(pst_sub_floor(w->bytes, step), v->mss_bytes);
	else if (v->cwnd_limited && !s->recovering)
		w->bytes = pst_min(w->bytes + step, most_bytes);
}

PST_FN void pst_xcp_sender_on_ack(const struct pst_xcp_sender_params *p,
				  struct pst_xcp_sender_state *s,
				  const struct pst_sender_view *v,
				  struct pst_cwnd *w)
{
	if (!s->controlled && v->cwnd_limited)
		pst_grow_standard(w, &s->credit_bytes, v, p->abc_limit);
}

PST_FN u64
pst_xcp_sender_on_congestion(const struct pst_xcp_sender_params *p,
			     struct pst_xcp_sender_state *s,
			     const struct pst_sender_view *v,
			     const struct pst_cwnd *w, enum pst_congestion why)
{
	(void)p;
	(void)w;
	s->recovering = why != PST_ECN;
	s->credit_bytes = 0;
	return pst_half_of_flight(v);
}

/* After a timeout slow start runs up to ssthresh, where XCP continues. */
PST_FN void pst_xcp_sender_on_recovered(const struct pst_xcp_sender_params *p,
					struct pst_xcp_sender_state *s,
					const struct pst_sender_view *v,
					struct pst_cwnd *w)
{
	(void)p;
	(void)v;
	(void)w;
	s->recovering = 0;
}

#endif
