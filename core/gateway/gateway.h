/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One gateway: a discipline and a law on one forward queue, and the flows through it.
 * Each host (simulator, ns-3, kernel) finds the flow, calls the event handler and applies
 * the result; events are implemented here, once.
 *
 * The path of a packet:
 *   pst_gateway_look      before the other events: measures the rate of departures
 *   pst_gateway_stamp     its timestamp, if it is new data that has one
 *   pst_gateway_forward   a segment of a flow passes forward, towards the queue; its parts:
 *     pst_gateway_syn       a SYN passes, in either direction
 *     pst_gateway_opened    the final segment of the handshake passes
 *     pst_gateway_data      data passes
 *     pst_gateway_fin       the flow has sent its last
 *   pst_gateway_other     a packet, or data, that no window controls passes forward
 *   pst_gateway_arrive    a packet, of any flow or none, arrives at the queue
 *   pst_gateway_entered   its bytes went in, for the measurement
 *   pst_gateway_accepted  it went in
 *   pst_gateway_overflow  it did not fit
 *   pst_gateway_leave     the head of the queue is to leave
 *   pst_gateway_left      it has left
 *   pst_gateway_reverse   a segment of a flow passes back
 *     pst_gateway_ack       and has an ACK
 *   pst_gateway_reverse_syn and has none: the receiver opens the flow
 *   pst_gateway_tick      the time has come that the last tick named
 */
#ifndef PENSTOCK_CORE_GATEWAY_GATEWAY_H
#define PENSTOCK_CORE_GATEWAY_GATEWAY_H

#include "ack_events.h"
#include "flow_events.h"
#include "state.h"

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

/*
 * Call this before the first event, with the empty queue; *s may be uninitialised.
 * Returns the nanoseconds to the first tick, 0 for none.
 */
PST_CALL u64 pst_gateway_init(const struct pst_gateway_config *c,
			      struct pst_gateway_state *s,
			      const struct pst_queue *q);

/* Returns the nanoseconds to the next tick, 0 for none. */
PST_CALL u64 pst_gateway_tick(const struct pst_gateway_config *c,
			      struct pst_gateway_state *s, struct pst_queue *q);

/* A packet arrives; @q without it. PST_SIGNAL passes it: an ACK will carry the signal. */
PST_CALL enum pst_verdict pst_gateway_arrive(const struct pst_gateway_config *c,
					     struct pst_gateway_state *s,
					     struct pst_queue *q,
					     const struct pst_packet *k);

/* It was enqueued; @q with it. */
PST_CALL void pst_gateway_accepted(const struct pst_gateway_config *c,
				   struct pst_gateway_state *s,
				   struct pst_queue *q, const struct pst_packet *k);

/* It did not fit into @q. */
PST_CALL void pst_gateway_overflow(const struct pst_gateway_config *c,
				   struct pst_gateway_state *s,
				   struct pst_queue *q, const struct pst_packet *k);

/* The head of the queue is about to leave; @q without it. Only for served queues. */
PST_CALL enum pst_verdict pst_gateway_leave(const struct pst_gateway_config *c,
					    struct pst_gateway_state *s,
					    struct pst_queue *q,
					    const struct pst_packet *k);

/* A packet has left the queue, sent on or dropped at its head; @q without it. */
PST_CALL void pst_gateway_left(const struct pst_gateway_config *c,
			       struct pst_gateway_state *s, struct pst_queue *q,
			       const struct pst_packet *k);

#ifndef PST_LINKED

PST_CALL u64 pst_gateway_init(const struct pst_gateway_config *c,
			      struct pst_gateway_state *s,
			      const struct pst_queue *q)
{
	u64 discipline_ns =
		pst_discipline_interval_ns(c->discipline, pst_discipline_params_of(c, s));
	u64 law_ns = pst_law_interval_ns(c->law, pst_law_params_of(c, s));

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
	s->count.interval_ns = c->flow_interval_ns;
	pst_departure_rate_init(&s->departures);
	if (pst_gateway_is_upstream(c))
		__builtin_memset(&s->upstream, 0, sizeof(s->upstream));
	else
		__builtin_memset(&s->hidden, 0, sizeof(s->hidden));
	pst_discipline_init(c->discipline, pst_discipline_params_of(c, s),
			    &s->discipline, q);
	pst_law_init(c->law, pst_law_params_of(c, s), &s->law, q);
	if (discipline_ns)
		s->discipline_tick_ns = q->now_ns + discipline_ns;
	if (law_ns)
		s->law_tick_ns = q->now_ns + law_ns;
	return pst_gateway_next_tick_ns(s, q->now_ns);
}

PST_CALL u64 pst_gateway_tick(const struct pst_gateway_config *c,
			      struct pst_gateway_state *s, struct pst_queue *q)
{
	u64 ns;

	pst_gateway_count_flows(c, s, q);
	if (s->discipline_tick_ns && s->discipline_tick_ns <= q->now_ns) {
		ns = pst_discipline_tick(c->discipline, pst_discipline_params_of(c, s),
					 &s->discipline, q);
		s->discipline_tick_ns = ns ? q->now_ns + ns : 0;
	}
	if (s->law_tick_ns && s->law_tick_ns <= q->now_ns) {
		ns = pst_law_tick(c->law, pst_law_params_of(c, s), &s->law, q);
		s->law_tick_ns = ns ? q->now_ns + ns : 0;
	}
	return pst_gateway_next_tick_ns(s, q->now_ns);
}

PST_CALL enum pst_verdict pst_gateway_arrive(const struct pst_gateway_config *c,
					     struct pst_gateway_state *s,
					     struct pst_queue *q,
					     const struct pst_packet *k)
{
	pst_gateway_count_flows(c, s, q);
	if (pst_gateway_measures(c) && s->departures.seen_ns)
		q->measured_bytes_per_s = s->departures.bytes_per_s;
	return pst_gateway_verdict(
		c, s, k,
		pst_discipline_arrive(c->discipline, pst_discipline_params_of(c, s),
				      &s->discipline, q, k));
}

PST_CALL void pst_gateway_accepted(const struct pst_gateway_config *c,
				   struct pst_gateway_state *s,
				   struct pst_queue *q, const struct pst_packet *k)
{
	pst_gateway_count_flows(c, s, q);
	pst_discipline_accepted(c->discipline, pst_discipline_params_of(c, s),
				&s->discipline, q, k);
	pst_law_accepted(c->law, pst_law_params_of(c, s), &s->law, q, k);
}

PST_CALL void pst_gateway_overflow(const struct pst_gateway_config *c,
				   struct pst_gateway_state *s,
				   struct pst_queue *q, const struct pst_packet *k)
{
	pst_discipline_overflow(c->discipline, pst_discipline_params_of(c, s),
				&s->discipline, q, k);
}

PST_CALL enum pst_verdict pst_gateway_leave(const struct pst_gateway_config *c,
					    struct pst_gateway_state *s,
					    struct pst_queue *q,
					    const struct pst_packet *k)
{
	return pst_gateway_verdict(
		c, s, k,
		pst_discipline_leave(c->discipline, pst_discipline_params_of(c, s),
				     &s->discipline, q, k));
}

PST_CALL void pst_gateway_left(const struct pst_gateway_config *c,
			       struct pst_gateway_state *s, struct pst_queue *q,
			       const struct pst_packet *k)
{
	pst_gateway_count_flows(c, s, q);
	pst_discipline_left(c->discipline, pst_discipline_params_of(c, s),
			    &s->discipline, q, k);
	pst_law_left(c->law, pst_law_params_of(c, s), &s->law, q, k);
}

#endif /* PST_LINKED */

#endif
