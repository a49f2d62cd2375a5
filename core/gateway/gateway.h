/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One gateway: a discipline and a law on one forward queue, and the flows through it.
 * Each host (simulator, ns-3, kernel) finds the flow, reads the queue and the clock, calls
 * the passage and carries out what that returns; the order of events is here, once.
 *
 * A packet's way out, towards the queue: passage_out.h
 *   pst_port_out          a packet arrives; its parts:
 *     pst_gateway_look      measures the rate of departures
 *     pst_gateway_stamp     the timestamps of a segment that has some
 *     pst_port_segment      a segment of a flow passes, and gets its kind: kind.h
 *       pst_gateway_forward   its events, from SYN to FIN: flow_events.h
 *     pst_port_told         it carries a header for its window: passage_told.h
 *     pst_gateway_other     a packet, or data, that no window controls passes
 *     pst_port_arrive       the discipline judges it
 *   pst_port_queued       it went in
 *   pst_port_overflow     it did not fit
 *   pst_port_leave        the head of the queue is to leave
 *   pst_port_left         it has left
 * An ACK's way back: passage_back.h
 *   pst_port_back
 * The clock:
 *   pst_port_due          the time has come that the last tick named
 */
#ifndef PENSTOCK_CORE_GATEWAY_GATEWAY_H
#define PENSTOCK_CORE_GATEWAY_GATEWAY_H

#include "passage_back.h"
#include "passage_out.h"
#include "passage_told.h"

/* Nanoseconds from @now_ns to the next tick, at least 1; 0 for none. */
PST_FN u64 pst_gateway_next_tick_ns(const struct pst_gateway_state *s, u64 now_ns)
{
	u64 next_ns = s->law_tick_ns;

	if (!next_ns || (s->discipline_tick_ns && s->discipline_tick_ns < next_ns))
		next_ns = s->discipline_tick_ns;
	if (!next_ns)
		return 0;
	return pst_max(pst_sub_floor(next_ns, now_ns), 1);
}

/*
 * Call this before the first event, with the configuration and the empty queue; the port's
 * state may be uninitialised. Returns the nanoseconds to the first tick, 0 for none.
 */
PST_CALL u64 pst_port_init(struct pst_port *port, const struct pst_queue *q);

/* The clock's work for a host that has looked at the queue; the same result. */
PST_CALL u64 pst_port_tick(struct pst_port *port, struct pst_queue *q);

PST_STAGE(u64, pst_stage_tick)(struct pst_port *port, struct pst_queue *q)
{
	PST_GIVEN(port && q, 0);
	return pst_port_tick(port, q);
}

/*
 * A tick is due; @measured: what leaves @q is. Returns the nanoseconds to the next one, 0 for
 * none.
 */
PST_FN u64 pst_port_due(struct pst_port *port, struct pst_queue *q, bool measured)
{
	if (measured)
		pst_stage_look(port, q);
	pst_out_view(port, q);
	return pst_stage_tick(port, q);
}

#ifndef PST_LINKED

#include "advise.h"

PST_CALL u64 pst_port_init(struct pst_port *port, const struct pst_queue *q)
{
	const struct pst_gateway_config *c = PST_CONFIG(port);
	struct pst_gateway_state *s = &port->state;
	u64 discipline_ns =
		pst_discipline_interval_ns(c->discipline, &port->config.discipline_params);
	u64 law_ns = pst_law_interval_ns(c->law, &port->config.law_params);

	/*
	 * In parts that are not neighbours, as clang joins these: it inlines no more than
	 * 1,024 bytes for BPF.
	 */
	__builtin_memset(&s->discipline, 0, sizeof(s->discipline));
	__builtin_memset(&s->law, 0, sizeof(s->law));
	__builtin_memset(&s->count, 0, sizeof(s->count));
	s->signals_owed = 0;
	s->discipline_tick_ns = 0;
	s->law_tick_ns = 0;
	s->apart = 0;
	s->count.interval_ns = c->flow_interval_ns;
	pst_departure_rate_init(&s->departures);
	if (pst_gateway_is_upstream(c))
		__builtin_memset(&s->upstream, 0, sizeof(s->upstream));
	else
		__builtin_memset(&s->hidden, 0, sizeof(s->hidden));
	pst_discipline_init(c->discipline, &port->config.discipline_params,
			    &s->discipline, q);
	pst_law_init(c->law, &port->config.law_params, &s->law, q);
	if (discipline_ns)
		s->discipline_tick_ns = q->now_ns + discipline_ns;
	if (law_ns)
		s->law_tick_ns = q->now_ns + law_ns;
	return pst_gateway_next_tick_ns(s, q->now_ns);
}

PST_CALL u64 pst_port_tick(struct pst_port *port, struct pst_queue *q)
{
	const struct pst_gateway_config *c = PST_CONFIG(port);
	struct pst_gateway_state *s = &port->state;
	u64 ns;

	pst_gateway_count_flows(c, s, q);
	if (s->discipline_tick_ns && s->discipline_tick_ns <= q->now_ns) {
		ns = pst_discipline_tick(c->discipline, &port->config.discipline_params,
					 &s->discipline, q);
		s->discipline_tick_ns = ns ? q->now_ns + ns : 0;
	}
	if (s->law_tick_ns && s->law_tick_ns <= q->now_ns) {
		ns = pst_law_tick(c->law, &port->config.law_params, &s->law, q);
		s->law_tick_ns = ns ? q->now_ns + ns : 0;
	}
	return pst_gateway_next_tick_ns(s, q->now_ns);
}

#endif /* PST_LINKED */

#endif
