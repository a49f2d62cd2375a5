/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scalable TCP (Kelly, "Scalable TCP: Improving Performance in Highspeed Wide
 * Area Networks", Computer Communication Review 33(2), 2003, section 3).
 *
 *   above lwnd   W += a per segment acknowledged, a = 0.01
 *   loss         W *= 1 - b, b = 0.125
 *   up to lwnd (16 segments), where both responses meet: as NewReno
 */
#ifndef PENSTOCK_CORE_SENDER_SCALABLE_H
#define PENSTOCK_CORE_SENDER_SCALABLE_H

#include "growth.h"

#define PST_SCALABLE_TITLE "Scalable TCP"
#define PST_SCALABLE_SOURCE "Kelly 2003 section 3"
#define PST_SCALABLE_LINUX "pst_scalable"

#define PST_SCALABLE_INCREASE_PARAMS(P)                                     \
	PST_SLOW_START_PARAMS(P)                                            \
	P(increase_q16, PST_RATIO_Q16, PST_IS(655), 66, 65536,              \
	  "increase in segments per acknowledged segment (a)",                \
	  "Kelly 2003 section 3")

#define PST_SCALABLE_LOW_PARAMS(P)                                          \
	P(low_window_pkts, PST_PKTS, PST_IS(16), 0, 65535,                  \
	  "window in segments up to which it behaves as NewReno (lwnd)",      \
	  "Kelly 2003 section 3")

#define PST_SCALABLE_PARAMS(P)                                              \
	PST_SCALABLE_INCREASE_PARAMS(P)                                     \
	P(beta_q16, PST_RATIO_Q16, PST_IS(57344), 32768, 65470,             \
	  "multiplicative decrease factor (1 - b)", "Kelly 2003 section 3")   \
	PST_SCALABLE_LOW_PARAMS(P)

#define PST_SCALABLE_STATE(S)                                              \
	S(credit_bytes, PST_BYTES,                                         \
	  "acknowledged bytes not yet turned into window, up to lwnd")     \
	S(fraction_bytes_q16, PST_BYTES, "part of a byte owed to cwnd")

struct pst_scalable_params {
	PST_SCALABLE_PARAMS(PST_PARAM_FIELD)
};

struct pst_scalable_state {
	PST_SCALABLE_STATE(PST_STATE_FIELD)
};

/* As NewReno in slow start and up to @low_bytes; above it, @increase_q16 of what is acknowledged. */
PST_FN void pst_scalable_grow(struct pst_scalable_state *s,
			      const struct pst_sender_view *v,
			      struct pst_cwnd *w, u64 abc_limit,
			      u64 increase_q16, u64 low_bytes)
{
	u64 acked = v->acked_bytes;

	if (!v->cwnd_limited)
		return;
	if (w->bytes < w->ssthresh_bytes)
		acked = pst_slow_start(w, v, abc_limit);
	if (w->bytes <= low_bytes)
		pst_grow_additive(w, &s->credit_bytes, v, acked);
	else
		pst_grow_by_ratio(w, &s->fraction_bytes_q16,
				  pst_counted_bytes(w, acked), increase_q16,
				  PST_Q16_ONE);
}

PST_FN void pst_scalable_on_ack(const struct pst_scalable_params *p,
				struct pst_scalable_state *s,
				const struct pst_sender_view *v,
				struct pst_cwnd *w)
{
	pst_scalable_grow(s, v, w, p->abc_limit, p->increase_q16,
			  p->low_window_pkts * v->mss_bytes);
}

PST_FN u64 pst_scalable_on_congestion(const struct pst_scalable_params *p,
				      struct pst_scalable_state *s,
				      const struct pst_sender_view *v,
				      const struct pst_cwnd *w,
				      enum pst_congestion why)
{
	(void)why;
	PST_REQUIRE(v->flight_bytes <= w->bytes && p->beta_q16 <= PST_Q16_ONE);
	s->credit_bytes = 0;
	if (w->bytes <= p->low_window_pkts * v->mss_bytes)
		return pst_half_of_flight(v);
	return pst_part_of_flight(v, p->beta_q16);
}

#endif
