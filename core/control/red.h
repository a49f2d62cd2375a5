/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RED, random early detection; the law is in queue/red.h.
 *
 * S. Floyd, V. Jacobson: "Random Early Detection Gateways for Congestion
 * Avoidance", IEEE/ACM Transactions on Networking 1(4), 1993.
 */
#ifndef PENSTOCK_CORE_CONTROL_RED_H
#define PENSTOCK_CORE_CONTROL_RED_H

#include "../queue/red.h"

#define PST_RED_TITLE "RED, random early detection"
#define PST_RED_SOURCE "Floyd and Jacobson 1993, section 4; Floyd 2000 (gentle)"
#define PST_RED_FORMULA "window_bytes"

PST_FN enum pst_verdict pst_red_on_enqueue(const struct pst_red_params *p,
					   struct pst_red_state *s,
					   const struct pst_queue *q,
					   const struct pst_packet *k)
{
	pst_red_average(p, s, q);
	return pst_red_decide(p, s, p->max_p_q32, q, k);
}

PST_FN void pst_red_on_dequeue(const struct pst_red_params *p,
			       struct pst_red_state *s,
			       const struct pst_queue *q,
			       const struct pst_packet *k)
{
	(void)p;
	(void)k;
	pst_red_left(s, q);
}

#endif
