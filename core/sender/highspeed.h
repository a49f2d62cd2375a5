/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HighSpeed TCP, RFC 3649 section 5, w in segments:
 *
 *   per segment   w += a(w) / w
 *   loss          w *= 1 - b(w)
 *   b(w) = (0.1 - 0.5) (log w - log 38) / (log 83000 - log 38) + 0.5
 *   a(w) = w^2 p(w) 2 b(w) / (2 - b(w)),   p(w) = 0.078 / w^1.2
 *
 * with a(w) and b(w) from the table of appendix B. Up to 38 segments it is
 * NewReno: a = 1, b = 0.5.
 */
#ifndef PENSTOCK_CORE_SENDER_HIGHSPEED_H
#define PENSTOCK_CORE_SENDER_HIGHSPEED_H

#include "growth.h"
#include "highspeed_table.h"

#define PST_HIGHSPEED_TITLE "HighSpeed TCP"
#define PST_HIGHSPEED_SOURCE "RFC 3649"
#define PST_HIGHSPEED_LINUX "pst_highspeed"

#define PST_HIGHSPEED_PARAMS(P) PST_SLOW_START_PARAMS(P)

#define PST_HIGHSPEED_STATE(S) \
	S(fraction_bytes_q16, PST_BYTES, "part of a byte owed to cwnd")

struct pst_highspeed_params {
	PST_HIGHSPEED_PARAMS(PST_PARAM_FIELD)
};

struct pst_highspeed_state {
	PST_HIGHSPEED_STATE(PST_STATE_FIELD)
};

PST_FN void pst_highspeed_on_ack(const struct pst_highspeed_params *p,
				 struct pst_highspeed_state *s,
				 const struct pst_sender_view *v,
				 struct pst_cwnd *w)
{
	u64 acked = v->acked_bytes;
	u64 increase;

	if (!v->cwnd_limited)
		return;
	if (w->bytes < w->ssthresh_bytes)
		acked = pst_slow_start(w, v, p->abc_limit);
	increase = pst_highspeed_find(w->bytes / v->mss_bytes) + 1;
	pst_grow_by_ratio(w, &s->fraction_bytes_q16,
			  pst_counted_bytes(w, acked), increase * v->mss_bytes,
			  w->bytes);
}

PST_FN u64 pst_highspeed_on_congestion(const struct pst_highspeed_params *p,
				       struct pst_highspeed_state *s,
				       const struct pst_sender_view *v,
				       const struct pst_cwnd *w,
				       enum pst_congestion why)
{
	u32 row = pst_highspeed_find(w->bytes / v->mss_bytes);
	u64 kept_percent = 100 - pst_highspeed_rows[row].decrease_percent;

	(void)p;
	(void)why;
	PST_ENSURE(kept_percent >= 50 && kept_percent < 100);
	PST_REQUIRE(v->flight_bytes <= w->bytes);
	s->fraction_bytes_q16 = 0;
	return pst_max(v->flight_bytes * kept_percent / 100,
		       2ULL * v->mss_bytes);
}

#endif
