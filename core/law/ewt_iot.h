/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * EWT-IoT, early window tailoring with averaged free space.
 *
 * M. Talau, T. A. Herek, M. Fonseca, E. C. G. Wille: "Improving TCP performance over a
 * common IoT scenario using the Early Window Tailoring method", Computer Networks, 2023,
 * section 3.1:
 *
 *   avg = (1 - g) * avg + g * Ba  if Ba >= avg, else Ba                 (3)
 *   W'  = min(Wr, max(Wr * avg / B, MSS))  if U > S_t, else Wr          (2)
 *
 * avg is updated at each ACK, also below S_t. Fig. 6 leaves avg above a smaller Ba;
 * equation 3 and the text, in which it falls at once, are followed. avg starts as for an
 * empty queue.
 */
#ifndef PENSTOCK_CORE_LAW_EWT_IOT_H
#define PENSTOCK_CORE_LAW_EWT_IOT_H

#include "../math/average.h"
#include "ewt.h"

#define PST_EWT_IOT_TITLE "EWT-IoT, early window tailoring with averaging"
#define PST_EWT_IOT_SOURCE "ewt-iot-2023 section 3.1, eq. 2 and 3"
#define PST_EWT_IOT_FORMULA                                                    \
	"min(window_bytes, max(window_bytes * free_bytes / buffer_bytes, "     \
	"mss_bytes)) if queue_bytes > start_bytes else window_bytes"

#define PST_EWT_IOT_PARAMS(P)                                                  \
	P(start_bytes, PST_BYTES, PST_OF_BUFFER(1, 3), 0, PST_MAX_BYTES,       \
	  "queue length above which windows are reduced (S_t)",               \
	  "ewt-iot-2023 Table 2")                                              \
	P(reserve_bytes, PST_BYTES, PST_IS(0), 0, PST_MAX_BYTES,               \
	  "part of the buffer kept out of the calculation (B - B_t)",          \
	  "ewt-iot-2023 section 3, eq. 1")                                     \
	P(weight_q32, PST_RATIO_Q32, PST_IS(3006477), 4295, PST_Q32_ONE,       \
	  "weight of one ACK's free space in the rising average (g)",          \
	  "ewt-iot-2023 Table 2")

#define PST_EWT_IOT_STATE(S) \
	S(free_bytes_q16, PST_BYTES, "average free space (avg)")

struct pst_ewt_iot_params {
	PST_EWT_IOT_PARAMS(PST_PARAM_FIELD)
};

struct pst_ewt_iot_state {
	PST_EWT_IOT_STATE(PST_STATE_FIELD)
};

PST_FN void pst_ewt_iot_init(const struct pst_ewt_iot_params *p,
			     struct pst_ewt_iot_state *s,
			     const struct pst_queue *q)
{
	s->free_bytes_q16 = pst_sub_floor(q->limit_bytes, p->reserve_bytes)
			    << 16;
}

PST_FN u64 pst_ewt_iot_on_ack(const struct pst_ewt_iot_params *p,
			      struct pst_ewt_iot_state *s,
			      const struct pst_queue *q,
			      const struct pst_ack *a)
{
	u64 usable_bytes = pst_sub_floor(q->limit_bytes, p->reserve_bytes);
	u64 free_bytes = pst_sub_floor(usable_bytes, q->bytes);

	if (free_bytes << 16 >= s->free_bytes_q16)
		s->free_bytes_q16 = pst_average_q16(s->free_bytes_q16,
						    free_bytes, p->weight_q32);
	else
		s->free_bytes_q16 = free_bytes << 16;
	if (q->bytes <= p->start_bytes)
		return a->window_bytes;
	return pst_ewt_share(a->window_bytes, s->free_bytes_q16 >> 16,
			     q->limit_bytes, a->mss_bytes);
}

#endif
