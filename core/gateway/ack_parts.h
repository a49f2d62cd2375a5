/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of what an ACK sets off at a gateway; ack_events.h has them in their order. */
#ifndef PENSTOCK_CORE_GATEWAY_ACK_PARTS_H
#define PENSTOCK_CORE_GATEWAY_ACK_PARTS_H

#include "flow_events.h"

/* The bytes that the law allows at the ACK @a; q->group is the flow's. */
PST_CALL u64 pst_gateway_allowed(const struct pst_gateway_config *c,
				 struct pst_gateway_state *s,
				 struct pst_gateway_flow *f, struct pst_queue *q,
				 const struct pst_ack *a);

/* @allowed_bytes, reduced by a pending early event, at least R20's window. */
PST_CALL u64 pst_gateway_signalled(const struct pst_gateway_config *c,
				   struct pst_gateway_state *s,
				   const struct pst_flow *f,
				   const struct pst_ack *a, u64 allowed_bytes);

#ifndef PST_LINKED

#include "../queue/hidden_trip.h"

/*
 * Whether the sender uses its granted window. The edge of the newest window is marked, which
 * may be left of earlier ones. Once the data that it permits has had time to arrive, this
 * data either ends less than a segment and a granule before the edge, or something else
 * limits the sender.
 */
PST_FN void pst_gateway_mark(struct pst_gateway_flow *f, u64 now_ns)
{
	struct pst_flow_use *u = &f->use;
	u16 now_units = (u16)(now_ns >> PST_MARK_SHIFT);
	u32 short_bytes = f->flow.mss_bytes + (1U << f->flow.scale);

	if (!f->flow.has_edge || !f->flow.has_sent)
		return;
	if (u->marked_units) {
		if ((u16)(now_units - u->marked_units) <=
		    f->rtt.near_ns >> PST_MARK_SHIFT)
			return;
		u->fills = pst_seq_after(f->flow.sent + short_bytes, u->marked_edge);
		pst_flow_on_turn(&f->flow);
	}
	u->marked_units = now_units ? now_units : 1;
	u->marked_edge = f->flow.has_ack ?
				 f->flow.ack + ((u32)f->flow.field_out << f->flow.scale) :
				 f->flow.edge;
}

/*
 * True if the first flight is still to come, whose window @h says: a SYN-ACK to a sender
 * that opened the connection, or what a receiver that opened it sends after its SYN.
 */
PST_FN bool pst_gateway_opens(const struct pst_gateway_flow *f,
			      const struct pst_ack_header *h)
{
	return h->syn || (f->flow.reverse_opened && !f->use.begun_ns);
}

/* A law's view of the ACK @h, before the ACK is recorded. */
PST_FN struct pst_ack pst_gateway_ack_view(const struct pst_gateway_flow *f,
					   const struct pst_ack_header *h)
{
	const struct pst_flow *flow = &f->flow;
	u32 before = flow->ack;
	u32 most_bytes = 0xffffffff;
	struct pst_ack a;

	a.window_bytes = h->syn ? (u64)h->field : (u64)h->field << flow->scale;
	a.rtt_ns = pst_rtt_get(&f->rtt);
	a.mss_bytes = (u32)pst_max(flow->mss_bytes, 1);
	a.granule_bytes = 1U << flow->scale;
	a.flight_bytes = 0;
	a.acked_bytes = 0;
	a.granted_bytes = 0;
	a.fills = f->use.fills;
	a.opens = pst_gateway_opens(f, h);
	if (flow->has_ack) {
		a.granted_bytes = (u32)flow->field_out << flow->scale;
	} else if (!h->syn && flow->has_edge && flow->ramp_bytes) {
		/*
		 * The SYN-ACK's window was reduced. Or the numbers are new (R35): then the edge
		 * is one of the old ones.
		 */
		a.granted_bytes = most_bytes = flow->ramp_bytes;
		before = flow->edge - flow->ramp_bytes;
	} else {
		return a;
	}
	if (flow->has_sent && pst_seq_after(flow->sent, before))
		a.flight_bytes = (u32)pst_min(flow->sent - before, most_bytes);
	if (pst_seq_after(h->ack, before))
		a.acked_bytes = (u32)pst_min(h->ack - before, a.flight_bytes);
	PST_ENSURE(a.acked_bytes <= a.flight_bytes);
	return a;
}

/*
 * N as it counts for a flow of a group: groups, and the flows among which its own divides
 * what it is given.
 */
PST_FN void pst_gateway_divide(struct pst_gateway_state *s, struct pst_queue *q)
{
	u64 members_q16;

	if (!q->group)
		return;
	members_q16 = pst_flow_group_members_q16(q->group, s->count.epoch);
	q->flows_q16 = pst_min(pst_mul_div(pst_min(q->flows_q16, PST_MAX_BYTES),
					   pst_min(members_q16, PST_MAX_BYTES),
					   PST_Q16_ONE),
			       PST_MAX_BYTES);
	q->flows = (q->flows_q16 + PST_Q16_ONE / 2) >> 16;
}

/* C, less what a drain of the queue before the gateway takes off windows. */
PST_FN u64 pst_gateway_drained(const struct pst_gateway_config *c,
			       const struct pst_gateway_state *s, const struct pst_queue *q)
{
	u64 rate = pst_min(q->rate_bytes_per_s, PST_MAX_BYTES);

	if (!pst_gateway_is_upstream(c))
		return q->rate_bytes_per_s;
	return rate - (rate * pst_upstream_part_q16(&s->upstream, q->now_ns) >> 16);
}

PST_CALL u64 pst_gateway_allowed(const struct pst_gateway_config *c,
				 struct pst_gateway_state *s,
				 struct pst_gateway_flow *f, struct pst_queue *q,
				 const struct pst_ack *a)
{
	u64 rate_bytes_per_s = q->rate_bytes_per_s;
	u64 allowed_bytes;

	if (pst_law_is(c->law, PST_TRAIT_FLOW) && f->epoch != c->epoch) {
		__builtin_memset(&f->law, 0, sizeof(f->law));
		f->epoch = c->epoch;
	}
	pst_gateway_count_flows(c, s, q);
	pst_gateway_divide(s, q);
	if (a->opens && pst_law_is(c->law, PST_TRAIT_OPENS)) {
		q->opening = pst_flow_count_opening(&s->count);
		q->silent_q15 = (u16)s->count.silent_q15;
	}
	s->count.queue_bytes = q->phantom ? 0 : q->bytes;
	s->count.queue_bytes_per_s = q->rate_bytes_per_s;
	q->rate_bytes_per_s = pst_gateway_drained(c, s, q);
	allowed_bytes = pst_law_ack(c->law, pst_law_params_of(c, s), &s->law, &f->law, q, a);
	q->rate_bytes_per_s = rate_bytes_per_s;
	f->use.window_bytes = (u32)pst_min(allowed_bytes, 0xffffffff);
	if (a->opens && pst_law_is(c->law, PST_TRAIT_OPENS) &&
	    !pst_gateway_is_blind(c, s))
		f->use.first_segments = (u8)pst_min(allowed_bytes / a->mss_bytes, 255);
	return allowed_bytes;
}

PST_CALL u64 pst_gateway_signalled(const struct pst_gateway_config *c,
				   struct pst_gateway_state *s,
				   const struct pst_flow *f,
				   const struct pst_ack *a, u64 allowed_bytes)
{
	if (c->signal == PST_SIGNAL_WINDOW && s->signals_owed) {
		s->signals_owed--;
		allowed_bytes = pst_min(allowed_bytes, a->mss_bytes);
	}
	/* Marks need data in flight. */
	if (f->scalable)
		allowed_bytes = pst_max(allowed_bytes, 2ULL * a->mss_bytes);
	return allowed_bytes;
}

/*
 * True for a SYN-ACK that crosses the first data, because it was repeated while another was
 * delayed, and for a request before the first data: both carry the first window again. With
 * the receiver's own window the first flight would be unbounded, against R26. With a newly
 * computed window the sender would be promised a second first flight.
 */
PST_FN bool pst_gateway_repeats(const struct pst_gateway_config *c,
				const struct pst_gateway_flow *f,
				const struct pst_ack_header *h, struct pst_rewrite *out)
{
	u64 first_bytes = (u64)f->use.first_segments * f->flow.mss_bytes;

	if (!first_bytes || !pst_law_is(c->law, PST_TRAIT_OPENS))
		return false;
	if (h->syn && f->use.begun_ns)
		*out = pst_rewrite_opening(&f->flow, h, first_bytes);
	else if (!h->syn && pst_gateway_opens(f, h))
		*out = pst_rewrite_window(&f->flow, c->mode, h, first_bytes);
	else
		return false;
	return true;
}

/* What a trip says of the hidden queue. A host with little stack has its own, apart. */
#ifndef PST_TRIP_ELSEWHERE
PST_FN int pst_gateway_trip(struct pst_gateway_state *s, struct pst_gateway_flow *f,
			    const struct pst_trip *t, u32 packet_bytes)
{
	pst_hidden_trip(&s->hidden, &s->departures, &f->hidden, t, packet_bytes);
	return 0;
}
#endif

/* The ACK may end the trip of a segment; and what it acknowledges has left a hidden queue. */
PST_FN void pst_gateway_time_ack(const struct pst_gateway_config *c,
				 struct pst_gateway_state *s, struct pst_gateway_flow *f,
				 u32 ack, u64 now_ns)
{
	u32 mss_bytes = (u32)pst_max(f->flow.mss_bytes, 1);
	u64 least_ns = f->rtt.far_ns;
	u64 trip_ns = pst_rtt_on_ack(&f->rtt, ack, now_ns);
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
	t.now_ns = now_ns;
	t.ns = pst_min(trip_ns, PST_MAX_NS);
	t.before_ns = least_ns;
	t.paired = acked_bytes >= 2 * mss_bytes;
	t.observed = c->observe;
	pst_gateway_trip(s, f, &t, mss_bytes + PST_HEADERS_BYTES);
}

#endif /* PST_LINKED */

#endif
