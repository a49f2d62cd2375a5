/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * EWT, early window tailoring.
 *
 * M. Talau, M. Fonseca, E. C. G. Wille: "Early Window Tailoring: A New Approach
 * to Increase the Number of TCP Connections Served", 2019, section 4.
 *
 *   Ba = Bt - U                                              (9; 2023 eq. 1)
 *   W' = min(Wr, max(Wr * Ba / B, MSS))  if U > S_t, else Wr (10)
 *
 * Algorithm 1 prints the comparison with S_t reversed; the text and Table 1 are followed.
 * Bt is B without the reserve of the 2023 paper, section 3.
 */
#ifndef PENSTOCK_CORE_LAW_EWT_H
#define PENSTOCK_CORE_LAW_EWT_H

#include "../queue/queue.h"
#include "ack.h"

#define PST_EWT_TITLE "EWT, early window tailoring"
#define PST_EWT_SOURCE "ewt-2019 section 4, eq. 9 and 10"
#define PST_EWT_FORMULA                                                        \
	"min(window_bytes, max(window_bytes * (buffer_bytes - reserve_bytes - " \
	"queue_bytes) / buffer_bytes, mss_bytes)) if queue_bytes > start_bytes " \
	"else window_bytes"

#define PST_EWT_PARAMS(P)                                                      \
	P(start_bytes, PST_BYTES, PST_OF_BUFFER(3, 10), 0, PST_MAX_BYTES,      \
	  "queue length above which windows are reduced (S_t)",               \
	  "ewt-2019 section 4.2 and Table 3")                                  \
	P(reserve_bytes, PST_BYTES, PST_IS(0), 0, PST_MAX_BYTES,               \
	  "part of the buffer kept out of the calculation (B - B_t)",          \
	  "ewt-iot-2023 section 3, eq. 1")

#define PST_EWT_STATE(S)

struct pst_ewt_params {
	PST_EWT_PARAMS(PST_PARAM_FIELD)
};

struct pst_ewt_state {
	u64 unused; /* EWT has no state; C has no empty struct */
};

/* The share Wr * Ba / B of the window, at least one segment (eq. 10). */
PST_FN u64 pst_ewt_share(u64 window_bytes, u64 free_bytes, u64 limit_bytes,
			 u32 mss_bytes)
{
	u64 share = pst_mul_div(window_bytes, free_bytes, limit_bytes);

	return pst_min(window_bytes, pst_max(share, mss_bytes));
}

PST_FN u64 pst_ewt_on_ack(const struct pst_ewt_params *p,
			  struct pst_ewt_state *s, const struct pst_queue *q,
			  const struct pst_ack *a)
{
	u64 usable_bytes = pst_sub_floor(q->limit_bytes, p->reserve_bytes);
	u64 free_bytes = pst_sub_floor(usable_bytes, q->bytes);

	(void)s;
	if (q->bytes <= p->start_bytes)
		return a->window_bytes;
	return pst_ewt_share(a->window_bytes, free_bytes, q->limit_bytes,
			     a->mss_bytes);
}

#endif
