/* SPDX-License-Identifier: GPL-2.0-only */
/* A packet's way out, from its sender into the queue and out of it. */
#ifndef PENSTOCK_CORE_GATEWAY_PASSAGE_OUT_H
#define PENSTOCK_CORE_GATEWAY_PASSAGE_OUT_H

#include "../queue/hidden_supposed.h"
#include "flow_events.h"
#include "port.h"

/*
 * If pst_gateway_measures(), hosts call this before the other events of a packet that arrives
 * and of a tick, with @q without that packet, and pst_gateway_entered() for one that went in.
 * They need not where C is told and the queue is a model, which drains at C. With auto_rate,
 * sets C in @q, but with passive and upstream, where pst_gateway_view_hidden() does.
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

/* It was enqueued; @q with it. */
PST_CALL void pst_port_accepted(struct pst_port *port, struct pst_queue *q,
				const struct pst_packet *k);

/* It did not fit into @q. */
PST_CALL void pst_port_overflow(struct pst_port *port, struct pst_queue *q,
				const struct pst_packet *k);

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
