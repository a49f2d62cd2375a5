/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Window growth in congestion avoidance, for the laws with a common form: one segment per
 * window (RFC 5681 section 3.1), or a ratio of the bytes acknowledged.
 */
#ifndef PENSTOCK_CORE_SENDER_GROWTH_H
#define PENSTOCK_CORE_SENDER_GROWTH_H

#include "slow_start.h"

/* Bounds the factors of a growth term: no ACK covers 16 MB. */
#define PST_MAX_ACKED_BYTES 16777216ULL

/*
 * One segment per cwnd bytes acknowledged. @credit_bytes holds acknowledged bytes that
 * have not yet increased the window.
 */
PST_FN void pst_grow_additive(struct pst_cwnd *w, u64 *credit_bytes,
			      const struct pst_sender_view *v, u64 acked)
{
	PST_REQUIRE(w->bytes > 0);
	*credit_bytes += acked;
	if (*credit_bytes >= w->bytes) {
		*credit_bytes -= w->bytes;
		w->bytes += v->mss_bytes;
	}
}

/* Slow start below ssthresh, one segment per window above it. */
PST_FN void pst_grow_standard(struct pst_cwnd *w, u64 *credit_bytes,
			      const struct pst_sender_view *v, u64 abc_limit)
{
	u64 acked = v->acked_bytes;

	if (w->bytes < w->ssthresh_bytes)
		acked = pst_slow_start(w, v, abc_limit);
	pst_grow_additive(w, credit_bytes, v, acked);
}

/* The same, if cwnd was the limit. */
PST_FN void pst_grow_if_limited(struct pst_cwnd *w, u64 *credit_bytes,
				const struct pst_sender_view *v, u64 abc_limit)
{
	if (v->cwnd_limited)
		pst_grow_standard(w, credit_bytes, v, abc_limit);
}

/* RFC 5681 eq. 4: the ssthresh after a loss. */
PST_FN u64 pst_half_of_flight(const struct pst_sender_view *v)
{
	return pst_max(v->flight_bytes / 2, 2ULL * v->mss_bytes);
}

/* @beta of it. */
PST_FN u64 pst_part_of_flight(const struct pst_sender_view *v, u64 beta_q16)
{
	return pst_max((v->flight_bytes * beta_q16) >> 16,
		       2ULL * v->mss_bytes);
}

/* The bytes of an ACK that count: at most the window. */
PST_FN u64 pst_counted_bytes(const struct pst_cwnd *w, u64 acked)
{
	return pst_min(pst_min(acked, w->bytes), PST_MAX_ACKED_BYTES);
}

/*
 * @part_q16 / 2^16 * @num / @den bytes more, all three at most 2^40. Fractions of a byte are
 * kept in @fraction_bytes_q16.
 */
PST_FN void pst_grow_by_part(struct pst_cwnd *w, u64 *fraction_bytes_q16,
			     u64 part_q16, u64 num, u64 den)
{
	PST_REQUIRE(den > 0);
	*fraction_bytes_q16 += pst_mul_div(num, part_q16, den);
	w->bytes = pst_min(w->bytes + (*fraction_bytes_q16 >> 16),
			   PST_MAX_BYTES);
	*fraction_bytes_q16 &= PST_Q16_ONE - 1;
	PST_ENSURE(*fraction_bytes_q16 < PST_Q16_ONE);
}

/* The same for @acked bytes, from pst_counted_bytes. */
PST_FN void pst_grow_by_ratio(struct pst_cwnd *w, u64 *fraction_bytes_q16,
			      u64 acked, u64 num, u64 den)
{
	pst_grow_by_part(w, fraction_bytes_q16, acked << 16, num, den);
}

#endif
