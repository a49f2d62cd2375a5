/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Quick-Start: the sender's part. The SYN requests a rate; the rate approved by all
 * routers on the path determines the first window, paced at that rate. NewReno from the
 * first ACK on.
 *
 * RFC 4782 section 4; nis-2004 section 12.6.1:
 *
 *   cwnd = max(approved rate * RTT, initial window)      (12.32)
 *
 * A response is valid if it is not above the request, and if the nonce bits of all steps
 * up to it are those that were sent (RFC 4782 section 3.4; nis-2004 compares hop counts
 * instead, which is the host's task here). At the first ACK the unused part of the window
 * expires.
 */
#ifndef PENSTOCK_CORE_SENDER_QUICK_START_SENDER_H
#define PENSTOCK_CORE_SENDER_QUICK_START_SENDER_H

#include "growth.h"

#define PST_QUICK_START_SENDER_TITLE "Quick-Start (sender)"
#define PST_QUICK_START_SENDER_SOURCE "RFC 4782 section 4; nis-2004 section 12.6.1"
#define PST_QUICK_START_SENDER_LINUX "pst_quick_start"
#define PST_QUICK_START_SENDER_FEEDBACK PST_FEEDBACK_QUICK_START

#define PST_QUICK_START_SENDER_PARAMS(P)                               \
	PST_SLOW_START_PARAMS(P)                                       \
	P(rate_bps, PST_BPS, PST_IS(10240000), 0, 1310720000,          \
	  "rate to ask for, rounded down to 40 kbit/s * 2^N",          \
	  "RFC 4782 section 3.1; the default is ours")

#define PST_QUICK_START_SENDER_STATE(S)                                \
	S(active, PST_FLAG, "the approved window is being sent")       \
	S(approved, PST_COUNT, "step that all routers approved (N)")   \
	S(initial_bytes, PST_BYTES, "initial window without it")       \
	S(credit_bytes, PST_BYTES,                                     \
	  "acknowledged bytes not yet turned into window")

struct pst_quick_start_sender_params {
	PST_QUICK_START_SENDER_PARAMS(PST_PARAM_FIELD)
};

struct pst_quick_start_sender_state {
	PST_QUICK_START_SENDER_STATE(PST_STATE_FIELD)
};

#define PST_QUICK_START_NONCE 0x3fffffffU

/* The largest step not above the requested rate; 0 for none. */
PST_FN u32 pst_quick_start_sender_step(const struct pst_quick_start_sender_params *p)
{
	u32 step = PST_QUICK_START_LARGEST;
	int i;

	for (i = 0; i < PST_QUICK_START_LARGEST; i++)
		if (step && PST_QUICK_START_BYTES_PER_S << step > p->rate_bps / 8)
			step--;
	return step;
}

PST_FN void
pst_quick_start_sender_stamp(const struct pst_quick_start_sender_params *p,
			     const struct pst_quick_start_sender_state *s,
			     const struct pst_sender_view *v,
			     const struct pst_cwnd *w, struct pst_feedback *f)
{
	(void)s;
	(void)w;
	f->delta_bytes = (s32)(v->secret & PST_QUICK_START_NONCE);
	f->label = pst_quick_start_sender_step(p);
}

PST_FN u32
pst_quick_start_sender_paces(const struct pst_quick_start_sender_state *s)
{
	return s->active ? 1 : 0;
}

/* True if, by the nonce, no router lowered the request below @answer. */
PST_FN bool pst_quick_start_sender_believes(const struct pst_sender_view *v, u32 answer,
					    u32 asked)
{
	u32 kept;

	if (!v->has_feedback || !answer || answer > asked)
		return false;
	kept = (u32)((1ULL << (2 * answer)) - 1);
	return !(((u32)v->feedback_bytes ^ v->secret) & kept);
}

PST_FN void pst_quick_start_sender_init(const struct pst_quick_start_sender_params *p,
					struct pst_quick_start_sender_state *s,
					const struct pst_sender_view *v,
					struct pst_cwnd *w)
{
	u32 answer = v->feedback_label;
	u64 wire_bytes;

	s->initial_bytes = w->bytes;
	if (!pst_quick_start_sender_believes(v, answer, pst_quick_start_sender_step(p)))
		return;
	/* The rate includes headers, the window does not. */
	wire_bytes = pst_mul_div(PST_QUICK_START_BYTES_PER_S << answer,
				 pst_min(v->srtt_ns, PST_MAX_NS), PST_NS_PER_S);
	wire_bytes = pst_min(wire_bytes, PST_MAX_BYTES);
	w->bytes = pst_max(w->bytes, pst_mul_div(wire_bytes, v->mss_bytes,
						 v->mss_bytes + 40ULL));
	s->approved = answer;
	s->active = w->bytes > s->initial_bytes;
}

PST_FN void
pst_quick_start_sender_on_sample(const struct pst_quick_start_sender_params *p,
				 struct pst_quick_start_sender_state *s,
				 const struct pst_sender_view *v, struct pst_cwnd *w)
{
	(void)p;
	if (!s->active)
		return;
	s->active = 0;
	w->bytes = pst_min(w->bytes, pst_max(v->flight_bytes, s->initial_bytes));
}

PST_FN void
pst_quick_start_sender_on_ack(const struct pst_quick_start_sender_params *p,
			      struct pst_quick_start_sender_state *s,
			      const struct pst_sender_view *v, struct pst_cwnd *w)
{
	pst_grow_if_limited(w, &s->credit_bytes, v, p->abc_limit);
}

PST_FN u64
pst_quick_start_sender_on_congestion(const struct pst_quick_start_sender_params *p,
				     struct pst_quick_start_sender_state *s,
				     const struct pst_sender_view *v,
				     const struct pst_cwnd *w, enum pst_congestion why)
{
	(void)p;
	(void)w;
	(void)why;
	s->active = 0;
	s->credit_bytes = 0;
	return pst_half_of_flight(v);
}

#endif
