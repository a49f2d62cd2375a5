/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AWM, active window management.
 *
 * M. Barbera, A. Lombardo, C. Panarello, G. Schembra: "Active Window Management: An
 * Efficient Gateway Mechanism for TCP Traffic Control", ICC 2007, after ewt-2019 section
 * 3.3. Whenever a segment enters or leaves the queue:
 *
 *   swnd = max(swnd + DQ + DT, MSS)                                     (6)
 *   DQ   = (q' - q) / N, q' the queue at the event before               (7)
 *   DT   = alpha * (target - q)                                         (8)
 *   W'   = min(Wr, swnd)
 *
 * The papers reproduced here give neither alpha, target nor initial swnd, and no upper
 * bound; docs/methods/awm.md explains the values chosen.
 */
#ifndef PENSTOCK_CORE_LAW_AWM_H
#define PENSTOCK_CORE_LAW_AWM_H

#include "../math/average.h"
#include "../queue/queue.h"
#include "ack.h"

#define PST_AWM_TITLE "AWM, active window management"
#define PST_AWM_SOURCE "ewt-2019 section 3.3, eq. 6 to 8"
#define PST_AWM_FORMULA "min(window_bytes, swnd_bytes)"

#define PST_AWM_PARAMS(P)                                                     \
	P(alpha_q32, PST_RATIO_Q32, PST_IS(1048576), 0, PST_Q32_ONE,          \
	  "fraction of the distance to the target that one event adds "       \
	  "(alpha)",                                                          \
	  "ewt-2019 eq. 8; 2^-12 is our choice")                              \
	P(target_bytes, PST_BYTES, PST_OF_BUFFER(1, 2), 0, PST_MAX_BYTES,     \
	  "target queue length",                                              \
	  "ewt-2019 eq. 8; half of the buffer is our choice")                 \
	P(first_bytes, PST_BYTES, PST_OF_BUFFER(1, 2), 1, PST_MAX_BYTES,      \
	  "suggested window at the start",                                    \
	  "our choice: one such window alone cannot exceed the target")       \
	P(cap_bytes, PST_BYTES, PST_IS(PST_MOST_WINDOW_BYTES), 1, PST_MAX_BYTES, \
	  "largest suggested window",                                         \
	  "RFC 7323 section 2.3: the largest window there is")

#define PST_AWM_STATE(S)                                         \
	S(swnd_bytes_q16, PST_BYTES, "suggested window")         \
	S(last_bytes, PST_BYTES, "queue after the last event (q')")

struct pst_awm_params {
	PST_AWM_PARAMS(PST_PARAM_FIELD)
};

struct pst_awm_state {
	PST_AWM_STATE(PST_STATE_FIELD)
};

PST_FN void pst_awm_init(const struct pst_awm_params *p,
			 struct pst_awm_state *s, const struct pst_queue *q)
{
	s->swnd_bytes_q16 = pst_min(p->first_bytes, p->cap_bytes) << 16;
	s->last_bytes = q->bytes;
}

/* Equation 6; all terms are q16 bytes below 2^57. */
PST_FN void pst_awm_update(const struct pst_awm_params *p,
			   struct pst_awm_state *s, const struct pst_queue *q)
{
	u64 bytes = q->bytes;
	u64 flows = pst_max(q->flows, 1);
	u64 up_q16 = (pst_sub_floor(s->last_bytes, bytes) << 16) / flows;
	u64 down_q16 = (pst_sub_floor(bytes, s->last_bytes) << 16) / flows;

	if (q->observed) {
		pst_awm_init(p, s, q);
		return;
	}
	up_q16 += pst_mul_q32(pst_sub_floor(p->target_bytes, bytes) << 16,
			      p->alpha_q32);
	down_q16 += pst_mul_q32(pst_sub_floor(bytes, p->target_bytes) << 16,
				p->alpha_q32);
	s->swnd_bytes_q16 = pst_sub_floor(s->swnd_bytes_q16 + up_q16, down_q16);
	s->swnd_bytes_q16 = pst_clamp(s->swnd_bytes_q16,
				      (u64)q->mss_bytes << 16,
				      p->cap_bytes << 16);
	s->last_bytes = bytes;
}

PST_FN void pst_awm_on_accepted(const struct pst_awm_params *p,
				struct pst_awm_state *s,
				const struct pst_queue *q,
				const struct pst_packet *k)
{
	(void)k;
	pst_awm_update(p, s, q);
}

PST_FN void pst_awm_on_left(const struct pst_awm_params *p,
			    struct pst_awm_state *s, const struct pst_queue *q,
			    const struct pst_packet *k)
{
	(void)k;
	pst_awm_update(p, s, q);
}

PST_FN u64 pst_awm_on_ack(const struct pst_awm_params *p,
			  struct pst_awm_state *s, const struct pst_queue *q,
			  const struct pst_ack *a)
{
	(void)p;
	(void)q;
	return pst_min(a->window_bytes, s->swnd_bytes_q16 >> 16);
}

#endif
