/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ACK's way back, from the receiver to the sender of the data:
 *
 *   settle   what the ACK says of the flow's windows so far
 *   time     it may end a round trip
 *   allow    the law says how many bytes may be in flight
 *   rewrite  as a window, within the rules of ../rewrite/window.h
 *   record   the ACK, and the window sent in its place
 *   pace     when the ACK is to go
 */
#ifndef PENSTOCK_CORE_GATEWAY_PASSAGE_BACK_H
#define PENSTOCK_CORE_GATEWAY_PASSAGE_BACK_H

#include "../queue/hidden_return.h"
#include "port.h"

/* How an ACK goes back. */
struct pst_back {
	struct pst_rewrite out;	/* the field of its window; unchanged if the gateway observes */
	u64 release_ns;		/* at once, or later */
};

/*
 * A segment with the ACK flag passes back, with the handshake, for hosts without struct
 * pst_handshake: a SYN has the number @isn and the options @syn, null for others. The
 * arguments are those of pst_port_back(); @p may be null if the gateway does not pace.
 */
PST_CALL struct pst_back pst_port_back_segment(struct pst_port *port,
					       struct pst_gateway_flow *f,
					       struct pst_pace_flow *p,
					       struct pst_flow_group *group,
					       struct pst_queue *q,
					       const struct pst_ack_header *h, u32 isn,
					       const struct pst_options *syn);

/* True if the timestamps of ACKs are to be told. */
PST_FN bool pst_gateway_reads_returned(const struct pst_gateway_config *c)
{
	return pst_gateway_is_passive(c);
}

/*
 * The ACK @h of @f has TSval @val: completes *@q by what it has waited, which is no longer than the
 * flow's last trip with it, whatever its receiver says. Hosts call this before pst_port_back(), and
 * keep @r for each flow.
 */
PST_CALL void pst_gateway_returned(struct pst_gateway_state *s, const struct pst_gateway_flow *f,
				   struct pst_return *r, const struct pst_ack_header *h, u32 val,
				   struct pst_queue *q);

/* An ACK has no timestamp: likewise, by what those of others said. */
PST_CALL void pst_gateway_unreturned(const struct pst_gateway_state *s, struct pst_queue *q);

/* A SYN without ACK passes back: the receiver opens the connection. For the same hosts. */
PST_CALL void pst_port_back_syn(struct pst_port *port, struct pst_gateway_flow *f, u32 isn,
				const struct pst_options *syn, u64 now_ns);

/* @allowed_bytes, reduced by a pending early event, at least R20's window. */
PST_CALL u64 pst_gateway_signalled(const struct pst_gateway_config *c,
				   struct pst_gateway_state *s,
				   const struct pst_flow *f,
				   const struct pst_ack *a, u64 allowed_bytes);

#ifndef PST_LINKED

#include "allow.h"
#include "flow_events.h"
#include "round_trip.h"

PST_CALL void pst_gateway_returned(struct pst_gateway_state *s, const struct pst_gateway_flow *f,
				   struct pst_return *r, const struct pst_ack_header *h, u32 val,
				   struct pst_queue *q)
{
	u64 wait_ns;

	if (h->syn || pst_is_unseen(&f->flow, h))
		return;
	wait_ns = pst_return_wait_ns(&s->hidden, r, val, q->acks_wait_ns, q->now_ns);
	if (f->rtt.probing && !pst_seq_before(h->ack, f->rtt.probe_end))
		r->over_ns = pst_sub_floor(q->now_ns, f->rtt.probe_ns);
	q->acks_wait_ns = pst_min(wait_ns, pst_min(r->over_ns, PST_MAX_NS));
}

PST_CALL void pst_gateway_unreturned(const struct pst_gateway_state *s, struct pst_queue *q)
{
	q->acks_wait_ns = pst_return_of_others_ns(&s->hidden, q->acks_wait_ns, q->now_ns);
}

/* Settles the windows, and times the ACK. */
PST_FN void pst_back_settle(const struct pst_gateway_config *c,
			    struct pst_gateway_state *s, struct pst_gateway_flow *f,
			    const struct pst_ack_header *h, const struct pst_queue *q)
{
	if (h->syn)
		return;
	pst_flow_settle(&f->flow, h->ack, (u64)h->field << f->flow.scale);
	if (!pst_is_unseen(&f->flow, h))
		pst_gateway_time_ack(c, s, f, h->ack, q);
}

/* True if the law must be asked about the ACK; otherwise *@out is the result. */
PST_FN bool pst_back_asks(const struct pst_gateway_config *c,
			  const struct pst_gateway_state *s, struct pst_gateway_flow *f,
			  const struct pst_ack_header *h, const struct pst_queue *q,
			  struct pst_rewrite *out)
{
	if (h->syn && pst_law_is(c->law, PST_TRAIT_OPENS) &&
	    pst_flow_opens(&f->flow, c->mode))
		return !pst_gateway_repeats(c, f, h, out);
	if (pst_is_current(&f->flow, h))
		pst_gateway_mark(c, s, f, q);
	if (pst_rewrite_bypassed(&f->flow, c->mode, h, out))
		return false;
	return !pst_gateway_repeats(c, f, h, out);
}

/* The window for the ACK @a, at which the law allows @allowed_bytes. */
PST_FN struct pst_rewrite pst_back_rewrite(const struct pst_gateway_config *c,
					   struct pst_gateway_state *s,
					   const struct pst_gateway_flow *f,
					   const struct pst_ack_header *h,
					   const struct pst_ack *a, u64 allowed_bytes)
{
	/* While the queue is not known, only R26 bounds what the receiver offers. */
	if (pst_gateway_is_blind(c, s))
		allowed_bytes = a->window_bytes;
	else if (!h->syn)
		allowed_bytes = pst_gateway_signalled(c, s, &f->flow, a, allowed_bytes);
	if (h->syn)
		return pst_rewrite_opening(&f->flow, h, allowed_bytes);
	return pst_rewrite_window(&f->flow, c->mode, h, allowed_bytes);
}

/*
 * Records the ACK and the window sent in its place: also of an ACK that is not judged. It is through
 * at @passed_ns, after what it is known to wait behind the gateway.
 */
PST_FN void pst_back_record(const struct pst_gateway_config *c,
			    const struct pst_gateway_state *s, struct pst_gateway_flow *f,
			    const struct pst_ack_header *h, const struct pst_rewrite *out,
			    u64 passed_ns)
{
	bool had_edge = f->flow.has_edge;
	u32 edge = f->flow.edge;

	pst_rewrite_commit(&f->flow, h, pst_gateway_observes(c, s) ? h->field : out->field);
	if (had_edge && pst_seq_after(f->flow.edge, edge))
		pst_rtt_on_grant(&f->rtt, edge, f->flow.waits && !pst_gateway_is_passive(c),
				 passed_ns);
}

/* An ACK as it goes back. Without padding, which Linux 6.1 does not accept uninitialised. */
struct pst_passing {
	struct pst_ack_header header;
	u32 field;
};

/* For how long the ACK @a is booked; N is in @q. */
PST_STAGE(u64, pst_stage_book)(struct pst_port *port, struct pst_gateway_flow *f,
			       struct pst_pace_flow *p, struct pst_queue *q,
			       const struct pst_passing *a)
{
	const struct pst_gateway_config *c = PST_CONFIG(port);
	struct pst_ack view;
	u64 bytes;

	PST_GIVEN(port && f && p && q && a, 0);
	bytes = pst_pace_let_out(p, &f->flow, &a->header, a->field);
	view = pst_gateway_ack_view(f, q, &a->header);
	if (!bytes || pst_gateway_is_blind(c, &port->state))
		return 0;
	return pst_law_pace_ns(c->law, &port->config.law_params, &port->state.law, q, &view,
			       bytes, pst_sub_floor(port->pace.turn_ns, q->now_ns), &p->waits);
}

/*
 * When the ACK goes, which is sent on with @field. A round trip timed by its passage then uses
 * the time of its departure.
 */
PST_FN u64 pst_back_pace(struct pst_port *port, struct pst_gateway_flow *f,
			 struct pst_pace_flow *p, struct pst_queue *q,
			 const struct pst_ack_header *h, u32 field)
{
	struct pst_passing a = { *h, field };
	u64 cost_ns = pst_stage_book(port, f, p, q, &a);
	bool opens = pst_gateway_opens(f, h);
	u64 ahead_ns = pst_gateway_ahead_ns(PST_CONFIG(port), q);
	u64 now_ns = q->now_ns;
	u64 release_ns = pst_pace_release_ns(&port->pace, p, now_ns, cost_ns, opens);

	if (opens && f->rtt.answered_ns == now_ns)
		f->rtt.answered_ns = release_ns;
	if (f->rtt.granting && f->rtt.grant_ns == now_ns + ahead_ns)
		f->rtt.grant_ns = release_ns + ahead_ns;
	return release_ns;
}

/* N for an ACK about which the law was not asked. */
PST_STAGE(int, pst_stage_count)(struct pst_port *port, struct pst_flow_group *group,
				struct pst_queue *q)
{
	PST_GIVEN(port && q, 0);
	pst_gateway_count_for(PST_CONFIG(port), &port->state, group, q);
	return 0;
}

/*
 * An ACK of @f passes back to the sender of the data. @group is the flow's, or null; @q is the
 * queue that the data goes to. The host writes the window, unless the gateway only observes,
 * and sends the ACK when it is to go. @p may be null if the gateway does not pace.
 */
PST_FN struct pst_back pst_port_back(struct pst_port *port, struct pst_gateway_flow *f,
				     struct pst_pace_flow *p, struct pst_flow_group *group,
				     struct pst_queue *q, const struct pst_ack_header *h)
{
	const struct pst_gateway_config *c = PST_CONFIG(port);
	struct pst_back back = { { 0, 0 }, q->now_ns };
	struct pst_ack a;
	u64 allowed_bytes;
	bool asks;

	pst_back_settle(c, &port->state, f, h, q);
	asks = pst_back_asks(c, &port->state, f, h, q, &back.out);
	if (asks) {
		a = pst_gateway_ack_view(f, q, h);
		allowed_bytes = pst_stage_allow(port, f, group, q, &a);
		back.out = pst_back_rewrite(c, &port->state, f, h, &a, allowed_bytes);
		f->flow.unsaid = c->mode != PST_LITERAL && !h->syn &&
				 !pst_gateway_is_blind(c, &port->state) &&
				 pst_is_unsaid(&f->flow, allowed_bytes);
	}
	pst_back_record(c, &port->state, f, h, &back.out, q->now_ns + pst_gateway_ahead_ns(c, q));
	if (!p || !pst_gateway_paces(c))
		return back;
	if (!asks)
		pst_stage_count(port, group, q);
	back.release_ns = pst_back_pace(port, f, p, q, h, back.out.field);
	return back;
}

PST_CALL void pst_port_back_syn(struct pst_port *port, struct pst_gateway_flow *f, u32 isn,
				const struct pst_options *syn, u64 now_ns)
{
	pst_gateway_opening(&port->state.count, f, false, now_ns);
	pst_gateway_syn(f, false, isn, syn, now_ns);
}

PST_FLAT PST_CALL struct pst_back pst_port_back_segment(struct pst_port *port,
					       struct pst_gateway_flow *f,
					       struct pst_pace_flow *p,
					       struct pst_flow_group *group,
					       struct pst_queue *q,
					       const struct pst_ack_header *h, u32 isn,
					       const struct pst_options *syn)
{
	struct pst_back back = { { h->field, PST_BY_RECEIVER }, q->now_ns };

	if (syn)
		pst_gateway_syn(f, false, isn, syn, q->now_ns);
	else
		pst_gateway_opened(f, false, q->now_ns);
	if (!pst_gateway_rewrites(PST_CONFIG(port)))
		return back;
	return pst_port_back(port, f, p, group, q, h);
}

#endif /* PST_LINKED */

#endif
