/* SPDX-License-Identifier: GPL-2.0-only */
/* An ACK's round trip, and what it says of a queue that is further down. */
#ifndef PENSTOCK_CORE_GATEWAY_ROUND_TRIP_H
#define PENSTOCK_CORE_GATEWAY_ROUND_TRIP_H

#include "../queue/hidden_trip.h"
#include "stage.h"
#include "state.h"

/* What a trip says of the hidden queue. */
PST_STAGE(int, pst_stage_trip)(struct pst_gateway_state *s, struct pst_gateway_flow *f,
			       const struct pst_trip *t, u32 packet_bytes)
{
	PST_GIVEN(s && f && t, 0);
	pst_hidden_trip(&s->hidden, &s->departures, &f->hidden, t, packet_bytes);
	return 0;
}

/* The ACK may end the trip of a segment; and what it acknowledges has left a hidden queue. */
PST_FN void pst_gateway_time_ack(const struct pst_gateway_config *c,
				 struct pst_gateway_state *s, struct pst_gateway_flow *f,
				 u32 ack, const struct pst_queue *q)
{
	u32 mss_bytes = (u32)pst_max(f->flow.mss_bytes, 1);
	u64 waited_ns = q->acks_wait_ns - pst_gateway_ahead_ns(c, q);
	u64 least_ns = f->rtt.far_ns;
	u64 trip_ns = pst_rtt_on_ack(&f->rtt, ack, waited_ns, q->now_ns);
	u32 acked_bytes = 0;
	struct pst_trip t;

	if (!pst_gateway_is_passive(c))
		return;
	if (f->flow.has_ack && f->flow.has_sent &&
	    pst_seq_after(ack, f->flow.ack))
		acked_bytes = ack - f->flow.ack;
	pst_hidden_acked(&s->hidden,
			 acked_bytes + (u64)acked_bytes * PST_HEADERS_BYTES / mss_bytes);
	if (!trip_ns)
		return;
	t.now_ns = q->now_ns;
	t.ns = pst_min(trip_ns, PST_MAX_NS);
	t.waited_ns = pst_min(waited_ns, PST_MAX_NS - t.ns);
	t.before_ns = least_ns;
	t.paired = acked_bytes >= 2 * mss_bytes;
	t.beyond = pst_seq_after(ack, f->rtt.probe_end);
	t.observed = c->observe;
	pst_stage_trip(s, f, &t, mss_bytes + PST_HEADERS_BYTES);
}

#endif
