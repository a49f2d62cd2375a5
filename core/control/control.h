/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One gateway method at work: its parameters, what it remembers, and the events
 * that a host reports. All functions are pure but for *s; time comes in by the
 * queue. The switch is made from the registry, so a constant method number
 * leaves one case, which is what the BPF verifier and the compilers prune to.
 *
 *   pst_control_init     once, before the first event; clears *s first
 *   pst_control_enqueue  a data packet arrives; q without it. Returns a verdict
 *   pst_control_dequeue  a data packet left the queue; q without it
 *   pst_control_tick     every pst_control_interval_ns(), when that is not 0
 *   pst_control_ack      an ACK passes; returns the bytes the method allows,
 *                        at most a->window_bytes
 */
#ifndef PENSTOCK_CORE_CONTROL_CONTROL_H
#define PENSTOCK_CORE_CONTROL_CONTROL_H

#include "registry.h"

#define PST_ENUM(name, NAME, ...) PST_METHOD_##NAME,
enum pst_method {
	PST_METHODS(PST_ENUM)
	PST_METHOD_COUNT,
};
#undef PST_ENUM

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_params name;
union pst_params {
	PST_METHODS(PST_MEMBER)
};
#undef PST_MEMBER

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_state name;
union pst_state {
	PST_METHODS(PST_MEMBER)
};
#undef PST_MEMBER

/* PST_IF_HAS(stmt) keeps its statement, PST_IF_NO(stmt) drops it. */
#define PST_IF_HAS(stmt) stmt
#define PST_IF_NO(stmt)

PST_FN void pst_control_init(u32 method, const union pst_params *p,
			     union pst_state *s, const struct pst_queue *q)
{
	(void)p;
	(void)q;
	/* All of it: an initialiser of a union reaches its first member only. */
	__builtin_memset(s, 0, sizeof(*s));
	switch (method) {
#define PST_CASE(name, NAME, init, enq, deq, tick, ack)                 \
	case PST_METHOD_##NAME:                                         \
		PST_IF_##init(pst_##name##_init(&p->name, &s->name, q);) \
		break;
		PST_METHODS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN enum pst_verdict pst_control_enqueue(u32 method,
					    const union pst_params *p,
					    union pst_state *s,
					    const struct pst_queue *q,
					    const struct pst_packet *k)
{
	(void)p;
	(void)s;
	(void)q;
	(void)k;
	switch (method) {
#define PST_CASE(name, NAME, init, enq, deq, tick, ack)                       \
	case PST_METHOD_##NAME:                                               \
		PST_IF_##enq(return pst_##name##_on_enqueue(&p->name, &s->name, \
							    q, k);)           \
		break;
		PST_METHODS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return PST_PASS;
}

PST_FN void pst_control_dequeue(u32 method, const union pst_params *p,
				union pst_state *s, const struct pst_queue *q,
				const struct pst_packet *k)
{
	(void)p;
	(void)s;
	(void)q;
	(void)k;
	switch (method) {
#define PST_CASE(name, NAME, init, enq, deq, tick, ack)                      \
	case PST_METHOD_##NAME:                                              \
		PST_IF_##deq(pst_##name##_on_dequeue(&p->name, &s->name, q, k);) \
		break;
		PST_METHODS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

/* Nanoseconds between two ticks; 0 for a method without on_tick. */
PST_FN u64 pst_control_interval_ns(u32 method, const union pst_params *p)
{
	(void)p;
	switch (method) {
#define PST_CASE(name, NAME, init, enq, deq, tick, ack)   \
	case PST_METHOD_##NAME:                           \
		PST_IF_##tick(return p->name.interval_ns;) \
		break;
		PST_METHODS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return 0;
}

PST_FN void pst_control_tick(u32 method, const union pst_params *p,
			     union pst_state *s, const struct pst_queue *q)
{
	(void)p;
	(void)s;
	(void)q;
	switch (method) {
#define PST_CASE(name, NAME, init, enq, deq, tick, ack)                    \
	case PST_METHOD_##NAME:                                            \
		PST_IF_##tick(pst_##name##_on_tick(&p->name, &s->name, q);) \
		break;
		PST_METHODS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN u64 pst_control_ack(u32 method, const union pst_params *p,
			   union pst_state *s, const struct pst_queue *q,
			   const struct pst_ack *a)
{
	u64 allowed_bytes = a->window_bytes;

	(void)p;
	(void)s;
	(void)q;
	switch (method) {
#define PST_CASE(name, NAME, init, enq, deq, tick, ack)                       \
	case PST_METHOD_##NAME:                                               \
		PST_IF_##ack(allowed_bytes =                                  \
				     pst_##name##_on_ack(&p->name, &s->name, q, a);) \
		break;
		PST_METHODS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return pst_min(allowed_bytes, a->window_bytes);
}

/* True if the method rewrites windows at all. */
PST_FN bool pst_control_has_ack(u32 method)
{
	switch (method) {
#define PST_CASE(name, NAME, init, enq, deq, tick, ack) \
	case PST_METHOD_##NAME:                         \
		PST_IF_##ack(return true;)              \
		break;
		PST_METHODS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return false;
}

#endif
