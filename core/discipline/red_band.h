/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RED outside a band: RED (red.h) that is inactive while the queue is between its
 * thresholds, where Smart-RED relies on a window law.
 *
 * ewt-iot-2023 section 2.3: RED while ql < min_th or max_th <= ql. ql is the queue
 * itself; RED's average is always updated, and decides outside the band.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_RED_BAND_H
#define PENSTOCK_CORE_DISCIPLINE_RED_BAND_H

#include "red.h"

#define PST_RED_BAND_TITLE "RED outside a band, for Smart-RED"
#define PST_RED_BAND_SOURCE "ewt-iot-2023 section 2.3; Floyd and Jacobson 1993"
#define PST_RED_BAND_FORMULA "window_bytes"
#define PST_RED_BAND_PARAMS(P) PST_RED_PARAMS(P)
#define PST_RED_BAND_STATE(S) PST_RED_STATE(S)

struct pst_red_band_params {
	struct pst_red_params red;
};

struct pst_red_band_state {
	struct pst_red_state red;
};

PST_FN enum pst_verdict
pst_red_band_on_arrive(const struct pst_red_band_params *p,
		       struct pst_red_band_state *s, const struct pst_queue *q,
		       const struct pst_packet *k)
{
	pst_red_average(&p->red, &s->red, q);
	if (q->bytes >= p->red.min_th_bytes && q->bytes < p->red.max_th_bytes)
		return PST_PASS;
	return pst_red_decide(&p->red, &s->red, p->red.max_p_q32, q, k);
}

PST_FN void pst_red_band_on_left(const struct pst_red_band_params *p,
				 struct pst_red_band_state *s,
				 const struct pst_queue *q,
				 const struct pst_packet *k)
{
	(void)p;
	(void)k;
	pst_red_left(&s->red, q);
}

#endif
