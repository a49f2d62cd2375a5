/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dispatch to a queue discipline, expanded from registry.h. All functions are pure except
 * for *s; time is passed in with the queue. A constant discipline leaves one case of each
 * switch after pruning by compiler or BPF verifier.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_DISCIPLINE_H
#define PENSTOCK_CORE_DISCIPLINE_DISCIPLINE_H

#include "registry.h"

#define PST_ENUM(name, NAME, ...) PST_DISCIPLINE_##NAME,
enum pst_discipline {
	PST_DISCIPLINES(PST_ENUM)
	PST_DISCIPLINE_COUNT,
};
#undef PST_ENUM

/* In 64-bit words: the most that a discipline has. core.c demands that all fit. */
#define PST_DISCIPLINE_PARAM_WORDS 11
#define PST_DISCIPLINE_STATE_WORDS 16

/* Of a discipline with several queues the host has more to do. */
#ifdef PST_LINKED
#define PST_DISCIPLINE_MEMBERS(MEMBER) \
	MEMBER(fq_codel, FQ_CODEL) MEMBER(dualpi2, DUALPI2) MEMBER(cake, CAKE)
#else
#define PST_DISCIPLINE_MEMBERS(MEMBER) PST_DISCIPLINES(MEMBER)
#endif

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_params name;
union pst_discipline_params {
	u64 words[PST_DISCIPLINE_PARAM_WORDS];
	PST_DISCIPLINE_MEMBERS(PST_MEMBER)
};
#undef PST_MEMBER

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_state name;
union pst_discipline_state {
	u64 words[PST_DISCIPLINE_STATE_WORDS];
	PST_DISCIPLINE_MEMBERS(PST_MEMBER)
};
#undef PST_MEMBER
#undef PST_DISCIPLINE_MEMBERS

/* What a discipline may have, as bits: registry.h. */
enum pst_discipline_bit {
	PST_DISCIPLINE_HAS_init = 1 << 0,
	PST_DISCIPLINE_HAS_on_arrive = 1 << 1,
	PST_DISCIPLINE_HAS_on_accepted = 1 << 2,
	PST_DISCIPLINE_HAS_on_overflow = 1 << 3,
	PST_DISCIPLINE_HAS_on_leave = 1 << 4,
	PST_DISCIPLINE_HAS_on_left = 1 << 5,
	PST_DISCIPLINE_HAS_on_tick = 1 << 6,
	PST_DISCIPLINE_HAS_schedules = 1 << 7,
	PST_DISCIPLINE_HAS_header = 1 << 8,
	PST_DISCIPLINE_HAS_labels = 1 << 9,
	PST_DISCIPLINE_HAS_tables = 1 << 10,
	PST_DISCIPLINE_HAS_dual = 1 << 11,
	PST_DISCIPLINE_HAS_isolates = 1 << 12,
	PST_DISCIPLINE_HAS_measures = 1 << 13,
};

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
#define PST_BIT(has) | PST_DISCIPLINE_HAS_##has
#define PST_MASK(name, NAME, ...) \
	| (u64)(((0U PST_##NAME##_HAS(PST_BIT)) & bits) != 0) << PST_DISCIPLINE_##NAME
	return (0ULL PST_DISCIPLINES(PST_MASK)) >> discipline & 1;
#undef PST_MASK
#undef PST_BIT
}

PST_CALL u32 pst_discipline_feedback(u32 discipline)
{
#define PST_CASE(name, NAME, DISCIPLINE, ...) \
	PST_CASE_OF(NAME, DISCIPLINE, header, return PST_##NAME##_FEEDBACK;)
	PST_SWITCH(PST_DISCIPLINES, PST_DISCIPLINE_, PST_CASE, discipline)
#undef PST_CASE
	return PST_FEEDBACK_NONE;
}

#define PST_DISCIPLINE_DO(word, ...) \
	PST_DO(PST_DISCIPLINES, PST_DISCIPLINE_, discipline, word, __VA_ARGS__)
#define PST_DISCIPLINE_RETURN(word, ...) \
	PST_RETURN(PST_DISCIPLINES, PST_DISCIPLINE_, discipline, word, __VA_ARGS__)

/* Clears *s: an initialiser of a union reaches its first member only. */
PST_FN void pst_discipline_init(u32 discipline,
				const union pst_discipline_params *p,
				union pst_discipline_state *s,
				const struct pst_queue *q)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT && pst_queue_fits(q));
	__builtin_memset(s, 0, sizeof(*s));
	PST_DISCIPLINE_DO(init, q)
}

PST_CALL enum pst_verdict
pst_discipline_arrive(u32 discipline, const union pst_discipline_params *p,
		      union pst_discipline_state *s, const struct pst_queue *q,
		      const struct pst_packet *k)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && k->bytes);
	PST_DISCIPLINE_RETURN(on_arrive, q, k)
	return PST_PASS;
}

PST_CALL void pst_discipline_accepted(u32 discipline,
				      const union pst_discipline_params *p,
				      union pst_discipline_state *s,
				      const struct pst_queue *q,
				      const struct pst_packet *k)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && k->bytes);
	PST_DISCIPLINE_DO(on_accepted, q, k)
}

PST_CALL void pst_discipline_overflow(u32 discipline,
				      const union pst_discipline_params *p,
				      union pst_discipline_state *s,
				      const struct pst_queue *q,
				      const struct pst_packet *k)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && k->bytes);
	PST_DISCIPLINE_DO(on_overflow, q, k)
}

PST_CALL enum pst_verdict
pst_discipline_leave(u32 discipline, const union pst_discipline_params *p,
		     union pst_discipline_state *s, const struct pst_queue *q,
		     const struct pst_packet *k)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && k->bytes);
	PST_DISCIPLINE_RETURN(on_leave, q, k)
	return PST_PASS;
}

PST_CALL void pst_discipline_left(u32 discipline,
				  const union pst_discipline_params *p,
				  union pst_discipline_state *s,
				  const struct pst_queue *q,
				  const struct pst_packet *k)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && k->bytes);
	PST_DISCIPLINE_DO(on_left, q, k)
}

/* Nanoseconds to the first tick; 0 for a discipline without ticks. */
PST_FN u64 pst_discipline_interval_ns(u32 discipline,
				      const union pst_discipline_params *p)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT);
#define PST_CASE(name, NAME, DISCIPLINE, ...) \
	PST_CASE_OF(NAME, DISCIPLINE, on_tick, return p->name.interval_ns;)
	PST_SWITCH(PST_DISCIPLINES, PST_DISCIPLINE_, PST_CASE, discipline)
#undef PST_CASE
	return 0;
}

PST_CALL u64 pst_discipline_tick(u32 discipline,
				 const union pst_discipline_params *p,
				 union pst_discipline_state *s,
				 const struct pst_queue *q)
{
	PST_REQUIRE(discipline < PST_DISCIPLINE_COUNT && pst_queue_fits(q));
	PST_DISCIPLINE_RETURN(on_tick, q)
	return 0;
}

#endif /* PST_LINKED */

#endif
