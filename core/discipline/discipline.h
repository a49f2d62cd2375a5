/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dispatch to a queue discipline. All functions are pure except for *s; time is passed in with
 * the queue. A constant discipline leaves one case of each switch after pruning by compiler or
 * BPF verifier.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_DISCIPLINE_H
#define PENSTOCK_CORE_DISCIPLINE_DISCIPLINE_H

#include "registry.h"

/* True if it has one of @bits. */
PST_CALL bool pst_discipline_has(u32 discipline, u32 bits);

/* The enum pst_feedback_kind that it reads and writes. */
PST_CALL u32 pst_discipline_feedback(u32 discipline);
PST_CALL enum pst_verdict
pst_discipline_arrive(u32 discipline, const union pst_discipline_params *p,
		      union pst_discipline_state *s, const struct pst_queue *q,
		      const struct pst_packet *k);
PST_CALL void pst_discipline_accepted(u32 discipline,
				      const union pst_discipline_params *p,
				      union pst_discipline_state *s,
				      const struct pst_queue *q,
				      const struct pst_packet *k);
PST_CALL void pst_discipline_overflow(u32 discipline,
				      const union pst_discipline_params *p,
				      union pst_discipline_state *s,
				      const struct pst_queue *q,
				      const struct pst_packet *k);
PST_CALL enum pst_verdict
pst_discipline_leave(u32 discipline, const union pst_discipline_params *p,
		     union pst_discipline_state *s, const struct pst_queue *q,
		     const struct pst_packet *k);
PST_CALL void pst_discipline_left(u32 discipline,
				  const union pst_discipline_params *p,
				  union pst_discipline_state *s,
				  const struct pst_queue *q,
				  const struct pst_packet *k);

/* Nanoseconds to the next tick; 0 for none. */
PST_CALL u64 pst_discipline_tick(u32 discipline,
				 const union pst_discipline_params *p,
				 union pst_discipline_state *s,
				 const struct pst_queue *q);

/* True if it handles packets: as they arrive, enter or leave. */
PST_FN bool pst_discipline_sees_packets(u32 discipline)
{
	return pst_discipline_has(discipline, PST_DISCIPLINE_HAS_on_arrive |
						      PST_DISCIPLINE_HAS_on_accepted |
						      PST_DISCIPLINE_HAS_on_overflow |
						      PST_DISCIPLINE_HAS_on_leave |
						      PST_DISCIPLINE_HAS_on_left);
}

/* True if it schedules several queues, which its host must keep (fq_codel.h). */
PST_FN bool pst_discipline_schedules(u32 discipline)
{
	return pst_discipline_has(discipline, PST_DISCIPLINE_HAS_schedules);
}

/* True if these queues are two, by the ECN codepoint (dualpi2.h). */
PST_FN bool pst_discipline_is_dual(u32 discipline)
{
	return pst_discipline_has(discipline, PST_DISCIPLINE_HAS_dual);
}

/* True if these queues are two, by the header, with weights (xcp_tcp.h). */
PST_FN bool pst_discipline_weighs(u32 discipline)
{
	return pst_discipline_has(discipline, PST_DISCIPLINE_HAS_weighs);
}

/* True if these queues are divided among hosts (cake.h). */
PST_FN bool pst_discipline_isolates(u32 discipline)
{
	return pst_discipline_has(discipline, PST_DISCIPLINE_HAS_isolates);
}

/* True if it labels packets in their TOS octet, with rates of flows kept by its host. */
PST_FN bool pst_discipline_labels(u32 discipline)
{
	return pst_discipline_has(discipline, PST_DISCIPLINE_HAS_labels);
}

/* True if it has a table of flows, which its host keeps. */
PST_FN bool pst_discipline_tables(u32 discipline)
{
	return pst_discipline_has(discipline, PST_DISCIPLINE_HAS_tables);
}

/* True if it divides the rate at which packets leave, which its gateway measures. */
PST_FN bool pst_discipline_measures(u32 discipline)
{
	return pst_discipline_has(discipline, PST_DISCIPLINE_HAS_measures);
}

/* True if it decides at dequeue, so that the queue has to be served. */
PST_FN bool pst_discipline_decides_at_departure(u32 discipline)
{
	return pst_discipline_has(discipline, PST_DISCIPLINE_HAS_on_leave);
}

#ifndef PST_LINKED

PST_CALL bool pst_discipline_has(u32 discipline, u32 bits)
{
	return pst_discipline_dispatch_has(discipline, bits);
}

PST_CALL u32 pst_discipline_feedback(u32 discipline)
{
	return pst_discipline_dispatch_feedback(discipline);
}

/* Clears *s: an initialiser of a union reaches its first member only. */
PST_FN void pst_discipline_init(u32 discipline,
				const union pst_discipline_params *p,
				union pst_discipline_state *s,
				const struct pst_queue *q)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT && pst_queue_fits(q));
	__builtin_memset(s, 0, sizeof(*s));
	pst_discipline_dispatch_init(discipline, p, s, q);
}

PST_CALL enum pst_verdict
pst_discipline_arrive(u32 discipline, const union pst_discipline_params *p,
		      union pst_discipline_state *s, const struct pst_queue *q,
		      const struct pst_packet *k)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && k->bytes);
	return pst_discipline_dispatch_on_arrive(discipline, p, s, q, k);
}

PST_CALL void pst_discipline_accepted(u32 discipline,
				      const union pst_discipline_params *p,
				      union pst_discipline_state *s,
				      const struct pst_queue *q,
				      const struct pst_packet *k)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && k->bytes);
	pst_discipline_dispatch_on_accepted(discipline, p, s, q, k);
}

PST_CALL void pst_discipline_overflow(u32 discipline,
				      const union pst_discipline_params *p,
				      union pst_discipline_state *s,
				      const struct pst_queue *q,
				      const struct pst_packet *k)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && k->bytes);
	pst_discipline_dispatch_on_overflow(discipline, p, s, q, k);
}

PST_CALL enum pst_verdict
pst_discipline_leave(u32 discipline, const union pst_discipline_params *p,
		     union pst_discipline_state *s, const struct pst_queue *q,
		     const struct pst_packet *k)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && k->bytes);
	return pst_discipline_dispatch_on_leave(discipline, p, s, q, k);
}

PST_CALL void pst_discipline_left(u32 discipline,
				  const union pst_discipline_params *p,
				  union pst_discipline_state *s,
				  const struct pst_queue *q,
				  const struct pst_packet *k)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && k->bytes);
	pst_discipline_dispatch_on_left(discipline, p, s, q, k);
}

/* Nanoseconds to the first tick; 0 for a discipline without ticks. */
PST_FN u64 pst_discipline_interval_ns(u32 discipline,
				      const union pst_discipline_params *p)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT);
	return pst_discipline_dispatch_interval_ns(discipline, p);
}

PST_CALL u64 pst_discipline_tick(u32 discipline,
				 const union pst_discipline_params *p,
				 union pst_discipline_state *s,
				 const struct pst_queue *q)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT && pst_queue_fits(q));
	return pst_discipline_dispatch_on_tick(discipline, p, s, q);
}

#endif /* PST_LINKED */

#endif
