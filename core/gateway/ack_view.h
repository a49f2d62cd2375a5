/* SPDX-License-Identifier: GPL-2.0-only */
/* What a law sees of an ACK, and of its sender's use of windows. */
#ifndef PENSTOCK_CORE_GATEWAY_ACK_VIEW_H
#define PENSTOCK_CORE_GATEWAY_ACK_VIEW_H

#include "state.h"

/* Until the data that an ACK lets out comes, which upstream waits on its way, too. */
PST_FN u64 pst_gateway_answer_ns(const struct pst_gateway_config *c,
				 const struct pst_gateway_state *s,
				 const struct pst_gateway_flow *f, const struct pst_queue *q)
{
	u64 near_ns = pst_rtt_near_ns(&f->rtt) + pst_gateway_ahead_ns(c, q);

	if (pst_gateway_is_upstream(c))
		near_ns += pst_upstream_now_ns(&s->upstream, q->now_ns);
	return near_ns;
}

/*
 * Whether the sender uses its granted window. The edge of the newest window is marked, which
 * may be left of earlier ones. Once the data that it permits has had time to arrive, this
 * data either ends less than a segment and a granule before the edge, or something else
 * limits the sender.
 */
PST_FN void pst_gateway_mark(const struct pst_gateway_config *c, const struct pst_gateway_state *s,
			     struct pst_gateway_flow *f, const struct pst_queue *q)
{
	struct pst_flow_use *u = &f->use;
	u16 now_units = (u16)(q->now_ns >> PST_MARK_SHIFT);
	u32 short_bytes = f->flow.mss_bytes + (1U << f->flow.scale);

	if (!f->flow.has_edge || !f->flow.has_sent)
		return;
	if (u->marked_units) {
		if ((u16)(now_units - u->marked_units) <=
		    pst_gateway_answer_ns(c, s, f, q) >> PST_MARK_SHIFT)
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

/* The flow's round trip as it is, without the queue @q; 0 while unknown. */
PST_FN u64 pst_gateway_rtt_ns(const struct pst_gateway_flow *f, const struct pst_queue *q)
{
	u64 rtt_ns = pst_rtt_get(&f->rtt);

	return rtt_ns ? pst_min(rtt_ns + q->acks_wait_ns, PST_MAX_NS) : 0;
}

/* A law's view of the ACK @h at @q, before the ACK is recorded. */
PST_FN struct pst_ack pst_gateway_ack_view(const struct pst_gateway_flow *f,
					   const struct pst_queue *q,
					   const struct pst_ack_header *h)
{
	const struct pst_flow *flow = &f->flow;
	u32 before = flow->ack;
	u32 most_bytes = 0xffffffff;
	struct pst_ack a;

	a.window_bytes = h->syn ? (u64)h->field : (u64)h->field << flow->scale;
	a.rtt_ns = pst_gateway_rtt_ns(f, q);
	a.mss_bytes = (u32)pst_max(flow->mss_bytes, 1);
	a.granule_bytes = 1U << flow->scale;
	a.flight_bytes = 0;
	a.acked_bytes = 0;
	a.granted_bytes = 0;
	a.fills = f->use.fills;
	a.more = flow->waits;
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

#endif
