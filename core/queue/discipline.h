/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dispatch to a queue discipline, expanded from registry.h. All functions are pure except
 * for *s; time is passed in with the queue. A constant discipline leaves one case of each
 * switch after pruning by compiler or BPF verifier.
 */
#ifndef PENSTOCK_CORE_QUEUE_DISCIPLINE_H
#define PENSTOCK_CORE_QUEUE_DISCIPLINE_H

#include "registry.h"

#define PST_ENUM(name, NAME, ...) PST_DISCIPLINE_##NAME,
enum pst_discipline {
	PST_DISCIPLINES(PST_ENUM)
	PST_DISCIPLINE_COUNT,
};
#undef PST_ENUM

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_params name;
union pst_discipline_params {
	PST_DISCIPLINES(PST_MEMBER)
};
#undef PST_MEMBER

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_state name;
union pst_discipline_state {
	PST_DISCIPLINES(PST_MEMBER)
};
#undef PST_MEMBER

/* Clears *s: an initialiser of a union reaches its first member only. */
PST_FN void pst_discipline_init(u32 discipline,
				const union pst_discipline_params *p,
				union pst_discipline_state *s,
				const struct pst_queue *q)
{
	(void)p;
	(void)q;
	__builtin_memset(s, 0, sizeof(*s));
	switch (discipline) {
#define PST_CASE(name, NAME, init, ...)                                  \
	case PST_DISCIPLINE_##NAME:                                      \
		PST_IF_##init(pst_##name##_init(&p->name, &s->name, q);) \
		break;
		PST_DISCIPLINES(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN enum pst_verdict
pst_discipline_arrive(u32 discipline, const union pst_discipline_params *p,
		      union pst_discipline_state *s, const struct pst_queue *q,
		      const struct pst_packet *k)
{
	(void)p;
	(void)s;
	(void)q;
	(void)k;
	switch (discipline) {
#define PST_CASE(name, NAME, init, arrive, ...)                                 \
	case PST_DISCIPLINE_##NAME:                                             \
		PST_IF_##arrive(return pst_##name##_on_arrive(&p->name,         \
							      &s->name, q, k);) \
		break;
		PST_DISCIPLINES(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return PST_PASS;
}

PST_FN void pst_discipline_accepted(u32 discipline,
				    const union pst_discipline_params *p,
				    union pst_discipline_state *s,
				    const struct pst_queue *q,
				    const struct pst_packet *k)
{
	(void)p;
	(void)s;
	(void)q;
	(void)k;
	switch (discipline) {
#define PST_CASE(name, NAME, init, arrive, accepted, ...)                       \
	case PST_DISCIPLINE_##NAME:                                             \
		PST_IF_##accepted(pst_##name##_on_accepted(&p->name, &s->name,  \
							   q, k);)              \
		break;
		PST_DISCIPLINES(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN void pst_discipline_overflow(u32 discipline,
				    const union pst_discipline_params *p,
				    union pst_discipline_state *s,
				    const struct pst_queue *q,
				    const struct pst_packet *k)
{
	(void)p;
	(void)s;
	(void)q;
	(void)k;
	switch (discipline) {
#define PST_CASE(name, NAME, init, arrive, accepted, overflow, ...)             \
	case PST_DISCIPLINE_##NAME:                                             \
		PST_IF_##overflow(pst_##name##_on_overflow(&p->name, &s->name,  \
							   q, k);)              \
		break;
		PST_DISCIPLINES(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN enum pst_verdict
pst_discipline_leave(u32 discipline, const union pst_discipline_params *p,
		     union pst_discipline_state *s, const struct pst_queue *q,
		     const struct pst_packet *k)
{
	(void)p;
	(void)s;
	(void)q;
	(void)k;
	switch (discipline) {
#define PST_CASE(name, NAME, init, arrive, accepted, overflow, leave, ...)      \
	case PST_DISCIPLINE_##NAME:                                             \
		PST_IF_##leave(return pst_##name##_on_leave(&p->name, &s->name, \
							    q, k);)             \
		break;
		PST_DISCIPLINES(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return PST_PASS;
}

PST_FN void pst_discipline_left(u32 discipline,
				const union pst_discipline_params *p,
				union pst_discipline_state *s,
				const struct pst_queue *q,
				const struct pst_packet *k)
{
	(void)p;
	(void)s;
	(void)q;
	(void)k;
	switch (discipline) {
#define PST_CASE(name, NAME, init, arrive, accepted, overflow, leave, left, tick, ...)\
	case PST_DISCIPLINE_##NAME:                                               \
		PST_IF_##left(pst_##name##_on_left(&p->name, &s->name, q, k);)    \
		break;
		PST_DISCIPLINES(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

/* Nanoseconds to the first tick; 0 for a discipline without ticks. */
PST_FN u64 pst_discipline_interval_ns(u32 discipline,
				      const union pst_discipline_params *p)
{
	(void)p;
	switch (discipline) {
#define PST_CASE(name, NAME, init, arrive, accepted, overflow, leave, left, tick, ...)\
	case PST_DISCIPLINE_##NAME:                                               \
		PST_IF_##tick(return p->name.interval_ns;)                        \
		break;
		PST_DISCIPLINES(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return 0;
}

/* Nanoseconds to the next tick; 0 for none. */
PST_FN u64 pst_discipline_tick(u32 discipline,
			       const union pst_discipline_params *p,
			       union pst_discipline_state *s,
			       const struct pst_queue *q)
{
	(void)p;
	(void)s;
	(void)q;
	switch (discipline) {
#define PST_CASE(name, NAME, init, arrive, accepted, overflow, leave, left, tick, ...)\
	case PST_DISCIPLINE_##NAME:                                               \
		PST_IF_##tick(return pst_##name##_on_tick(&p->name, &s->name, q);) \
		break;
		PST_DISCIPLINES(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return 0;
}

/* True if it handles packets: as they arrive, enter or leave. */
PST_FN bool pst_discipline_sees_packets(u32 discipline)
{
	switch (discipline) {
#define PST_CASE(name, NAME, init, arrive, accepted, overflow, leave, left, tick, ...)\
	case PST_DISCIPLINE_##NAME:                                                 \
		PST_IF_##arrive(return true;) PST_IF_##accepted(return true;)       \
		PST_IF_##overflow(return true;) PST_IF_##leave(return true;)        \
		PST_IF_##left(return true;)                                         \
		break;
		PST_DISCIPLINES(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return false;
}

/* True if it schedules several queues, which its host must keep (fq_codel.h). */
PST_FN bool pst_discipline_schedules(u32 discipline)
{
#define PST_BIT(name, NAME, init, arrive, accepted, overflow, leave, left, tick, \
		schedules, ...)                                                  \
	PST_IF_##schedules(| 1ULL << PST_DISCIPLINE_##NAME)
	return (0ULL PST_DISCIPLINES(PST_BIT)) >> discipline & 1;
#undef PST_BIT
}

/* The enum pst_feedback_kind that it reads and writes. */
PST_FN u32 pst_discipline_feedback(u32 discipline)
{
	switch (discipline) {
#define PST_CASE(name, NAME, init, arrive, accepted, overflow, leave, left, tick, \
		 schedules, header, ...)                                          \
	case PST_DISCIPLINE_##NAME:                                               \
		PST_IF_##header(return PST_##NAME##_FEEDBACK;)                    \
		break;
		PST_DISCIPLINES(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return PST_FEEDBACK_NONE;
}

/* True if it labels packets in their TOS octet, with rates of flows kept by its host. */
PST_FN bool pst_discipline_labels(u32 discipline)
{
#define PST_BIT(name, NAME, init, arrive, accepted, overflow, leave, left, tick, \
		schedules, header, labels)                                       \
	PST_IF_##labels(| 1ULL << PST_DISCIPLINE_##NAME)
	return (0ULL PST_DISCIPLINES(PST_BIT)) >> discipline & 1;
#undef PST_BIT
}

/* True if it decides at dequeue, so that the queue has to be served. */
PST_FN bool pst_discipline_decides_at_departure(u32 discipline)
{
	switch (discipline) {
#define PST_CASE(name, NAME, init, arrive, accepted, overflow, leave, left, tick, ...)\
	case PST_DISCIPLINE_##NAME:                                               \
		PST_IF_##leave(return true;)                                      \
		break;
		PST_DISCIPLINES(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return false;
}

#endif
