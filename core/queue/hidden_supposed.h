/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hidden queue that others fill, of which no trip tells: data that was lost and passes again is
 * not timed (Karn). Where an eighth of it passes again, and others pass more than is acknowledged,
 * the link is busy, and C is supposed to be what arrives of all:
 *
 *   C = (acknowledged + others (1 - min(again, 1/2))) / T                         (5)
 *
 * T is 0.5 s while C is unknown; a known one (5) only lowers, after 2 s without a trip. Bursts lose
 * more than a constant rate, so half of what others send is lost at most. `fair` then holds them, until
 * data passes and a trip tells the rate. If none does, after eight times or 10 s, the losses have
 * another cause, and all is doubted.
 */
#ifndef PENSTOCK_CORE_QUEUE_HIDDEN_SUPPOSED_H
#define PENSTOCK_CORE_QUEUE_HIDDEN_SUPPOSED_H

#include "../sizes.h"
#include "hidden_parts.h"

#define PST_HIDDEN_SUPPOSE_NS (PST_NS_PER_S / 2)
#define PST_HIDDEN_LOWER_NS (2 * PST_NS_PER_S)
#define PST_HIDDEN_AGAIN_Q16 (PST_Q16_ONE / 8)

/* True if others passed more than what was acknowledged in @since_ns, and data was lost. */
PST_FN bool pst_hidden_is_filled(const struct pst_hidden_queue *h, u64 since_ns)
{
	u64 others_bytes = pst_wrapping_sub(h->others_bytes, h->told_bytes);

	return h->trip_ns && since_ns < 2 * PST_HIDDEN_LOWER_NS &&
	       h->again_ns > h->trip_ns + since_ns / 2 && !(others_bytes >> 63) &&
	       others_bytes > pst_wrapping_sub(h->acked_bytes, h->counted_bytes);
}

/* Equation 5; a known C is at most what it was. */
PST_FN void pst_hidden_suppose_rate(struct pst_hidden_queue *h, struct pst_departure_rate *r,
				    u64 since_ns, u64 now_ns)
{
	u64 bytes = pst_min(pst_wrapping_sub(h->acked_bytes, h->counted_bytes), PST_MAX_BYTES);

	PST_REQUIRE(since_ns >= 1);
	if (!h->known_ns || pst_mul_div(bytes, PST_NS_PER_S, since_ns) < r->bytes_per_s)
		pst_departure_rate_add(r, bytes, since_ns, true, PST_FULL_PACKET_BYTES);
	if (h->known_ns)
		h->known_ns = now_ns + PST_HIDDEN_KEEP_NS;
	else
		pst_hidden_learn(h, r, now_ns, 0);
	h->supposed++;
	h->proved_ns = now_ns;
	h->high_ns = 0;
	h->above_ns = 0;
}

/* What has passed since the last trip, or this, counts as told. */
PST_FN void pst_hidden_suppose_now(struct pst_hidden_queue *h, struct pst_departure_rate *r,
				   u64 since_ns, u64 now_ns)
{
	bool filled = pst_hidden_is_filled(h, since_ns);

	pst_hidden_count_others(h, h->others_bytes, pst_min(h->again_q16, PST_Q16_ONE / 2));
	if (filled && h->supposed < PST_HIDDEN_SUPPOSED)
		pst_hidden_suppose_rate(h, r, since_ns, now_ns);
	else if (filled)
		pst_hidden_doubt(h, r, now_ns);
	h->idle = false;
	h->trip_ns = now_ns;
	h->counted_bytes = h->acked_bytes;
	h->delay_ns = 0;
}

/* Call this at each event, before pst_hidden_look(). */
PST_FN void pst_hidden_suppose(struct pst_hidden_queue *h, struct pst_departure_rate *r,
			       u64 now_ns)
{
	u64 since_ns = pst_sub_floor(now_ns, h->trip_ns);

	if (h->supposed && h->known_ns && now_ns > h->known_ns)
		pst_hidden_doubt(h, r, now_ns);
	if (h->again_q16 >= PST_HIDDEN_AGAIN_Q16 && now_ns >= h->doubted_ns &&
	    since_ns >= (h->known_ns ? PST_HIDDEN_LOWER_NS : PST_HIDDEN_SUPPOSE_NS))
		pst_hidden_suppose_now(h, r, since_ns, now_ns);
}

#endif
