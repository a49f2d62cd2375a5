/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the trip of a segment says of a hidden queue. Only the order of hidden_parts.h is here:
 * tests/prove/ proves it apart.
 */
#ifndef PENSTOCK_CORE_QUEUE_HIDDEN_TRIP_H
#define PENSTOCK_CORE_QUEUE_HIDDEN_TRIP_H

#include "hidden_parts.h"

#define PST_HIDDEN_PROVED_NS 100000000ULL	/* and trips, that a proof lasts */
#define PST_HIDDEN_PROVED_TRIPS 2ULL

/* The segment of @f that was timed is acknowledged; packets have @packet_bytes. */
PST_FN void pst_hidden_trip(struct pst_hidden_queue *h, struct pst_departure_rate *r,
			    struct pst_hidden_flow *f, const struct pst_trip *t,
			    u64 packet_bytes)
{
	u64 packet_ns = pst_mul_div(pst_min(packet_bytes, 0xffffffff), PST_NS_PER_S,
				    pst_max(r->bytes_per_s, 1));
	u64 delay_ns = pst_min(pst_hidden_delay_ns(h, f, r, t, packet_ns), PST_MAX_NS);
	u64 delayed_bytes, model_bytes, raised_bytes;
	bool doubtful;

	pst_hidden_look(h, r, t->now_ns);
	if (t->paired || !delay_ns) {
		pst_hidden_count_others(h, pst_hidden_others_before(f, t), 0);
		pst_hidden_measure(h, r, t, delay_ns, packet_bytes);
	}
	delayed_bytes = pst_bytes_in(pst_min(r->bytes_per_s, PST_MAX_BYTES), delay_ns);
	model_bytes = pst_hidden_met_bytes(h, f);
	raised_bytes = pst_hidden_correct(h, f, delayed_bytes, t->paired);
	pst_hidden_lower(h, r, t, raised_bytes);
	if (!raised_bytes)
		pst_hidden_raise(h, r, t, pst_sub_floor(model_bytes, delayed_bytes) / 2);
	pst_hidden_learn(h, r, t->now_ns, delay_ns);
	h->idle = pst_sub_floor(t->now_ns, h->proved_ns) > PST_HIDDEN_PROVED_NS +
						     PST_HIDDEN_PROVED_TRIPS * t->ns &&
		  r->sent_bytes_per_s < r->bytes_per_s / 4 * 3;
	h->beside_bytes = 0;
	if (t->observed) {
		h->high_ns = 0;
		h->above_ns = 0;
		h->drain.until_ns = 0;
		return;
	}
	delay_ns = pst_hidden_high_delay_ns(h, f, r, t, packet_bytes);
	doubtful = pst_hidden_is_doubtful(h, r, t, delay_ns);
	if (pst_hidden_is_beyond(h, r, t, delay_ns, packet_bytes) || doubtful)
		pst_hidden_rebase(h, r, t->now_ns);
	else if (h->known_ns)
		pst_hidden_drain(h, r, t, delay_ns);
}

#endif
