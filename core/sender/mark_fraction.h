/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fraction of bytes that were marked, by windows of data, as DCTCP and Prague see it:
 * RFC 8257 section 3.3, steps 1 to 8.
 *
 *   M     = bytes that ACKs with ECE deliver / bytes that all ACKs deliver, per window
 *   alpha = (1 - g) alpha + g M
 */
#ifndef PENSTOCK_CORE_SENDER_MARK_FRACTION_H
#define PENSTOCK_CORE_SENDER_MARK_FRACTION_H

#include "sender.h"

#define PST_MARK_FRACTION_PARAMS(P)                                            \
	P(gain_q16, PST_RATIO_Q16, PST_IS(4096), 1, PST_Q16_ONE,               \
	  "weight of the last window in the fraction of marks (g)",            \
	  "RFC 8257 section 4.2: 1/16")

#define PST_MARK_FRACTION_STATE(S)                                             \
	S(alpha_q32, PST_RATIO_Q32, "fraction of bytes marked (DCTCP.Alpha)")  \
	S(window_end, PST_BYTES,                                               \
	  "offset beyond which an ACK ends the window (DCTCP.WindowEnd)")      \
	S(delivered_bytes, PST_BYTES, "delivered when the last ACK was seen")  \
	S(counted_bytes, PST_BYTES, "delivered in this window (DCTCP.BytesAcked)") \
	S(marked_bytes, PST_BYTES,                                             \
	  "of these, by ACKs with ECE (DCTCP.BytesMarked)")

struct pst_mark_fraction {
	PST_MARK_FRACTION_STATE(PST_STATE_FIELD)
};

PST_FN void pst_mark_fraction_init(struct pst_mark_fraction *s,
				   const struct pst_sender_view *v, u64 alpha_q32)
{
	PST_REQUIRE(alpha_q32 <= PST_Q32_ONE);
	s->alpha_q32 = alpha_q32;
	s->window_end = v->sent;
	s->delivered_bytes = v->delivered_bytes;
}

/* An ACK; true if it ends a window, whose counts are then complete. */
PST_FN bool pst_mark_fraction_count(struct pst_mark_fraction *s,
				    const struct pst_sender_view *v)
{
	u64 bytes = pst_sub_floor(v->delivered_bytes, s->delivered_bytes);

	s->delivered_bytes = v->delivered_bytes;
	s->counted_bytes = pst_min(s->counted_bytes + bytes, PST_MAX_BYTES);
	if (v->echoes)
		s->marked_bytes = pst_min(s->marked_bytes + bytes, PST_MAX_BYTES);
	PST_ENSURE(s->marked_bytes <= s->counted_bytes);
	return v->una > s->window_end;
}

/* M of the counts, which are then reset. */
PST_FN u64 pst_mark_fraction_take_q32(struct pst_mark_fraction *s,
				      const struct pst_sender_view *v)
{
	u64 fraction_q32 = pst_mul_div(s->marked_bytes, PST_Q32_ONE, s->counted_bytes);

	PST_REQUIRE(s->marked_bytes <= s->counted_bytes);
	s->window_end = v->sent;
	s->counted_bytes = 0;
	s->marked_bytes = 0;
	PST_ENSURE(fraction_q32 <= PST_Q32_ONE);
	return fraction_q32;
}

/* alpha with another M. */
PST_FN void pst_mark_fraction_average(struct pst_mark_fraction *s, u64 fraction_q32,
				      u64 gain_q16)
{
	PST_REQUIRE(fraction_q32 <= PST_Q32_ONE && gain_q16 <= PST_Q16_ONE);
	s->alpha_q32 -= s->alpha_q32 * gain_q16 >> 16;
	s->alpha_q32 = pst_min(s->alpha_q32 + (fraction_q32 * gain_q16 >> 16), PST_Q32_ONE);
	PST_ENSURE(s->alpha_q32 <= PST_Q32_ONE);
}

/* @bytes * alpha / 2. */
PST_FN u64 pst_mark_fraction_of(const struct pst_mark_fraction *s, u64 bytes)
{
	PST_REQUIRE(bytes <= PST_MAX_BYTES && s->alpha_q32 <= PST_Q32_ONE);
	return pst_mul_div(bytes, s->alpha_q32, 2 * PST_Q32_ONE);
}

#endif
