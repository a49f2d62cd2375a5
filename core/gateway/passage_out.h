/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A packet's way out, from its sender into the queue and out of it:
 *
 *   look     at what has left the queue since the last packet
 *   flow     its flow's events, with pst_port_segment(); what no window controls is load
 *   judge    the discipline's verdict, with pst_port_arrive()
 *   queue    it went in, or did not fit
 *   leave    the head of a served queue is judged again
 *   left     it is out
 *
 * pst_port_out() has the first three. Of two of these the host does a part, as it alone can find a
 * flow, and what headers and tables the discipline needs: it passes two functions, which become one
 * with it, as those of Linux' codel_impl.h.
 */
#ifndef PENSTOCK_CORE_GATEWAY_PASSAGE_OUT_H
#define PENSTOCK_CORE_GATEWAY_PASSAGE_OUT_H

#include "../queue/hidden_supposed.h"
#include "flow_events.h"
#include "port.h"

/*
 * Before the other events of a packet that arrives, and of a tick: what has left @q, without that
 * packet. Nothing is done where C is told and the queue is a model, which drains at C. With
 * auto_rate, sets C in @q, but with passive and upstream, where pst_stage_view() does.
 */
PST_FN void pst_gateway_look(const struct pst_gateway_config *c,
			     struct pst_gateway_state *s, struct pst_queue *q)
{
	if (!pst_gateway_measures(c) || (q->phantom && !c->auto_rate))
		return;
	if (pst_gateway_is_passive(c)) {
		pst_hidden_suppose(&s->hidden, &s->departures, q->now_ns);
		pst_hidden_look(&s->hidden, &s->departures, q->now_ns);
		return;
	}
	if (pst_gateway_is_upstream(c)) {
		pst_upstream_look(&s->upstream, &s->departures, q->now_ns);
		return;
	}
	if (!c->auto_rate)
		pst_departure_rate_expect(&s->departures, q->rate_bytes_per_s);
	pst_departure_rate_look(&s->departures, q->bytes,
				q->mss_bytes + PST_HEADERS_BYTES, q->now_ns);
	if (c->auto_rate)
		q->rate_bytes_per_s = s->departures.bytes_per_s;
}

PST_FN void pst_gateway_entered(const struct pst_gateway_config *c,
				struct pst_gateway_state *s, u64 bytes)
{
	if (pst_gateway_is_passive(c))
		pst_hidden_enter(&s->hidden, bytes);
	else if (pst_gateway_is_upstream(c))
		pst_upstream_enter(&s->upstream, bytes);
	else if (pst_gateway_measures(c))
		pst_departure_rate_enter(&s->departures, bytes);
}

PST_STAGE(int, pst_stage_look)(struct pst_port *port, struct pst_queue *q)
{
	PST_GIVEN(port && q, 0);
	pst_gateway_look(PST_CONFIG(port), &port->state, q);
	return 0;
}

/* The queue elsewhere, as far as it is known now; for one of a model, nothing. */
PST_STAGE(int, pst_stage_view)(struct pst_port *port, struct pst_queue *q)
{
	PST_GIVEN(port && q, 0);
	if (!q->phantom)
		pst_gateway_view_hidden(PST_CONFIG(port), &port->state, q);
	return 0;
}

PST_FN void pst_out_view(struct pst_port *port, struct pst_queue *q)
{
	if (pst_gateway_is_elsewhere(PST_CONFIG(port)))
		pst_stage_view(port, q);
}

/*
 * A segment of @f passes out in the packet @k, which then has its kind. Returns false as
 * pst_gateway_forward() does: its payload is load of @k, which no window controls.
 */
PST_FN bool pst_port_segment(struct pst_port *port, struct pst_gateway_flow *f,
			     struct pst_flow_group *group, struct pst_queue *q,
			     const struct pst_data_header *h, struct pst_packet *k)
{
	bool counts = pst_gateway_forward(port, f, group, q, h);

	k->restrained = pst_gateway_restrains(f);
	k->kind = pst_kind_of(pst_content_of(h->payload_bytes),
			      counts && pst_gateway_rewrites(PST_CONFIG(port)));
	return counts;
}

/* How a host has the events of a packet's flow: PST_DROP, or PST_PASS to the discipline. */
typedef enum pst_verdict (*pst_out_flow)(void *host, struct pst_queue *q,
					 struct pst_packet *k);
/* And how it has the packet judged. */
typedef enum pst_verdict (*pst_out_judge)(void *host, struct pst_queue *q,
					  struct pst_packet *k);

/*
 * The packet @k passes out, into @q, which is without it; @measured: what leaves @q is. The host
 * carries out the verdict, queues the packet, and calls pst_port_queued().
 */
PST_FN enum pst_verdict pst_port_out(struct pst_port *port, struct pst_queue *q,
				     struct pst_packet *k, bool measured, void *host,
				     pst_out_flow flow, pst_out_judge judge)
{
	if (measured)
		pst_stage_look(port, q);
	pst_out_view(port, q);
	if (flow(host, q, k) == PST_DROP)
		return PST_DROP;
	pst_out_view(port, q);
	return judge(host, q, k);
}

/* The result for a packet on which the discipline returned @verdict. */
PST_FN enum pst_verdict pst_gateway_verdict(const struct pst_gateway_config *c,
					    struct pst_gateway_state *s,
					    const struct pst_packet *k,
					    enum pst_verdict verdict)
{
	if (pst_gateway_is_blind(c, s))
		return PST_PASS;
	if (verdict != PST_SIGNAL)
		return verdict;
	if (c->signal == PST_SIGNAL_WINDOW) {
		s->signals_owed++;
		return PST_SIGNAL;
	}
	if (c->signal == PST_SIGNAL_ECN && pst_packet_ecn_capable(k))
		return PST_MARK;
	return PST_DROP;
}

/* A packet arrives; @q without it. PST_SIGNAL passes it: an ACK will carry the signal. */
PST_CALL enum pst_verdict pst_port_arrive(struct pst_port *port, struct pst_queue *q,
					  const struct pst_packet *k);

/* It was enqueued; @q with it. Hosts that count what enters a queue call pst_port_queued(). */
PST_CALL void pst_port_accepted(struct pst_port *port, struct pst_queue *q,
				const struct pst_packet *k);

/* It did not fit into @q. */
PST_CALL void pst_port_overflow(struct pst_port *port, struct pst_queue *q,
				const struct pst_packet *k);

/* The packet @k went into the queue, as pst_port_out() had it: @q with it. */
PST_FN void pst_port_queued(struct pst_port *port, struct pst_queue *q,
			    const struct pst_packet *k)
{
	const struct pst_gateway_config *c = PST_CONFIG(port);

	pst_gateway_entered(c, &port->state, k->bytes);
	if (!pst_gateway_sees_packets(c))
		return;
	pst_out_view(port, q);
	pst_port_accepted(port, q, k);
}

/* The head of the queue is about to leave; @q without it. Only for served queues. */
PST_CALL enum pst_verdict pst_port_leave(struct pst_port *port, struct pst_queue *q,
					 const struct pst_packet *k);

/* A packet has left the queue, sent on or dropped at its head; @q without it. */
PST_CALL void pst_port_left(struct pst_port *port, struct pst_queue *q,
			    const struct pst_packet *k);

#ifndef PST_LINKED

PST_CALL enum pst_verdict pst_port_arrive(struct pst_port *port, struct pst_queue *q,
					  const struct pst_packet *k)
{
	const struct pst_gateway_config *c = PST_CONFIG(port);
	struct pst_gateway_state *s = &port->state;

	pst_gateway_count_flows(c, s, q);
	if (pst_gateway_measures(c) && s->departures.seen_ns)
		q->measured_bytes_per_s = s->departures.bytes_per_s;
	return pst_gateway_verdict(
		c, s, k,
		pst_discipline_arrive(c->discipline, &port->config.discipline_params,
				      &s->discipline, q, k));
}

PST_CALL void pst_port_accepted(struct pst_port *port, struct pst_queue *q,
				const struct pst_packet *k)
{
	const struct pst_gateway_config *c = PST_CONFIG(port);
	struct pst_gateway_state *s = &port->state;

	pst_gateway_count_flows(c, s, q);
	pst_discipline_accepted(c->discipline, &port->config.discipline_params,
				&s->discipline, q, k);
	pst_law_accepted(c->law, &port->config.law_params, &s->law, q, k);
}

PST_CALL void pst_port_overflow(struct pst_port *port, struct pst_queue *q,
				const struct pst_packet *k)
{
	pst_discipline_overflow(PST_CONFIG(port)->discipline,
				&port->config.discipline_params, &port->state.discipline,
				q, k);
}

PST_CALL enum pst_verdict pst_port_leave(struct pst_port *port, struct pst_queue *q,
					 const struct pst_packet *k)
{
	const struct pst_gateway_config *c = PST_CONFIG(port);

	return pst_gateway_verdict(
		c, &port->state, k,
		pst_discipline_leave(c->discipline, &port->config.discipline_params,
				     &port->state.discipline, q, k));
}

PST_CALL void pst_port_left(struct pst_port *port, struct pst_queue *q,
			    const struct pst_packet *k)
{
	const struct pst_gateway_config *c = PST_CONFIG(port);
	struct pst_gateway_state *s = &port->state;

	pst_gateway_count_flows(c, s, q);
	pst_discipline_left(c->discipline, &port->config.discipline_params, &s->discipline, q,
			    k);
	pst_law_left(c->law, &port->config.law_params, &s->law, q, k);
}

#endif /* PST_LINKED */

#endif
