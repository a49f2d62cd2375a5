/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dispatch to a window law, expanded from registry.h. All functions are pure except for
 * *s and *f; time is passed in with the queue. A constant law leaves one case of each
 * switch after pruning by compiler or BPF verifier.
 */
#ifndef PENSTOCK_CORE_CONTROL_LAW_H
#define PENSTOCK_CORE_CONTROL_LAW_H

#include "registry.h"

#define PST_ENUM(name, NAME, ...) PST_LAW_##NAME,
enum pst_law {
	PST_LAWS(PST_ENUM)
	PST_LAW_COUNT,
};
#undef PST_ENUM

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_params name;
union pst_law_params {
	PST_LAWS(PST_MEMBER)
};
#undef PST_MEMBER

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_state name;
union pst_law_state {
	PST_LAWS(PST_MEMBER)
};
#undef PST_MEMBER

/* A law's state per flow, for laws with a flow table. */
#define PST_MEMBER(name, NAME, flow, ...) \
	PST_IF_##flow(struct pst_##name##_flow name;)
union pst_law_flow {
	u64 none;
	PST_LAWS(PST_MEMBER)
};
#undef PST_MEMBER

#define PST_FLOW_MAX_BYTES 64

/* The state per flow as an argument, for laws that have one. */
#define PST_FLOW_OF_HAS(f, name) &(f)->name,
#define PST_FLOW_OF_NO(f, name)

/* Clears *s: an initialiser of a union reaches its first member only. */
PST_FN void pst_law_init(u32 law, const union pst_law_params *p,
			 union pst_law_state *s, const struct pst_queue *q)
{
	(void)p;
	(void)q;
	__builtin_memset(s, 0, sizeof(*s));
	switch (law) {
#define PST_CASE(name, NAME, flow, init, ...)                            \
	case PST_LAW_##NAME:                                             \
		PST_IF_##init(pst_##name##_init(&p->name, &s->name, q);) \
		break;
		PST_LAWS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN void pst_law_accepted(u32 law, const union pst_law_params *p,
			     union pst_law_state *s, const struct pst_queue *q,
			     const struct pst_packet *k)
{
	(void)p;
	(void)s;
	(void)q;
	(void)k;
	switch (law) {
#define PST_CASE(name, NAME, flow, init, accepted, ...)                         \
	case PST_LAW_##NAME:                                                    \
		PST_IF_##accepted(pst_##name##_on_accepted(&p->name, &s->name,  \
							   q, k);)              \
		break;
		PST_LAWS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN void pst_law_left(u32 law, const union pst_law_params *p,
			 union pst_law_state *s, const struct pst_queue *q,
			 const struct pst_packet *k)
{
	(void)p;
	(void)s;
	(void)q;
	(void)k;
	switch (law) {
#define PST_CASE(name, NAME, flow, init, accepted, left, ...)                  \
	case PST_LAW_##NAME:                                                   \
		PST_IF_##left(pst_##name##_on_left(&p->name, &s->name, q, k);) \
		break;
		PST_LAWS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN void pst_law_data(u32 law, const union pst_law_params *p,
			 union pst_law_state *s, union pst_law_flow *f,
			 const struct pst_queue *q, u32 bytes)
{
	(void)p;
	(void)s;
	(void)f;
	(void)q;
	(void)bytes;
	switch (law) {
#define PST_CASE(name, NAME, flow, init, accepted, left, data, ...)             \
	case PST_LAW_##NAME:                                                    \
		PST_IF_##data(pst_##name##_on_data(&p->name, &s->name,          \
						   PST_FLOW_OF_##flow(f, name)  \
						   q, bytes);)                  \
		break;
		PST_LAWS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

/* Nanoseconds to the first tick; 0 for a law without ticks. */
PST_FN u64 pst_law_interval_ns(u32 law, const union pst_law_params *p)
{
	(void)p;
	switch (law) {
#define PST_CASE(name, NAME, flow, init, accepted, left, data, tick, ack, ...) \
	case PST_LAW_##NAME:                                              \
		PST_IF_##tick(return p->name.interval_ns;)                \
		break;
		PST_LAWS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return 0;
}

/* Nanoseconds to the next tick; 0 for none. */
PST_FN u64 pst_law_tick(u32 law, const union pst_law_params *p,
			union pst_law_state *s, const struct pst_queue *q)
{
	(void)p;
	(void)s;
	(void)q;
	switch (law) {
#define PST_CASE(name, NAME, flow, init, accepted, left, data, tick, ack, ...)          \
	case PST_LAW_##NAME:                                                       \
		PST_IF_##tick(return pst_##name##_on_tick(&p->name, &s->name, q);) \
		break;
		PST_LAWS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return 0;
}

/* The bytes that the law allows, at most a->window_bytes. */
PST_FN u64 pst_law_ack(u32 law, const union pst_law_params *p,
		       union pst_law_state *s, union pst_law_flow *f,
		       const struct pst_queue *q, const struct pst_ack *a)
{
	u64 allowed_bytes = a->window_bytes;

	(void)p;
	(void)s;
	(void)f;
	(void)q;
	switch (law) {
#define PST_CASE(name, NAME, flow, init, accepted, left, data, tick, ack, ...)  \
	case PST_LAW_##NAME:                                               \
		PST_IF_##ack(allowed_bytes = pst_##name##_on_ack(          \
				     &p->name, &s->name,                   \
				     PST_FLOW_OF_##flow(f, name) q, a);)   \
		break;
		PST_LAWS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return pst_min(allowed_bytes, a->window_bytes);
}

/* What a law has by its registry line, as bits. */
enum pst_law_trait {
	PST_TRAIT_LIMITS = 1,	/* limits windows */
	PST_TRAIT_OPENS = 2,	/* is asked about SYN-ACKs, and thus about first flights */
	PST_TRAIT_DIVIDES = 4,	/* divides the link by N, flows or groups */
	PST_TRAIT_PACKETS = 8,	/* handles packets, as they enter the queue or leave it */
	PST_TRAIT_FLOW = 16,	/* has state per flow */
	PST_TRAIT_TICKS = 32,	/* measures the queue at an interval */
	PST_TRAIT_PACES = 64,	/* delays ACKs where flows are too many */
};

/* True if the law has the trait. */
PST_FN bool pst_law_is(u32 law, enum pst_law_trait trait)
{
	switch (law) {
#define PST_CASE(name, NAME, flow, init, accepted, left, data, tick, ack, opens, divides, \
		 paces, ...)                                                      \
	case PST_LAW_##NAME:                                                     \
		return (0U PST_IF_##ack(| PST_TRAIT_LIMITS)                      \
				PST_IF_##opens(| PST_TRAIT_OPENS)                \
				PST_IF_##divides(| PST_TRAIT_DIVIDES)            \
				PST_IF_##paces(| PST_TRAIT_PACES)                \
				PST_IF_##accepted(| PST_TRAIT_PACKETS)           \
				PST_IF_##left(| PST_TRAIT_PACKETS)               \
				PST_IF_##tick(| PST_TRAIT_TICKS)                 \
				PST_IF_##flow(| PST_TRAIT_FLOW)) & trait;
		PST_LAWS(PST_CASE)
#undef PST_CASE
	default:
		return false;
	}
}

/*
 * Nanoseconds that @bytes are to take on the link, after those that are booked for the next
 * @booked_ns; 0 where there is room. *@waits is true if the ACK waits for its turn.
 */
PST_FN u64 pst_law_pace_ns(u32 law, const union pst_law_params *p,
			   union pst_law_state *s, const struct pst_queue *q,
			   const struct pst_ack *a, u64 bytes, u64 booked_ns,
			   bool *waits)
{
	*waits = false;
	(void)p;
	(void)s;
	(void)q;
	(void)a;
	(void)bytes;
	(void)booked_ns;
	switch (law) {
#define PST_CASE(name, NAME, flow, init, accepted, left, data, tick, ack, opens, divides, \
		 paces, ...)                                                              \
	case PST_LAW_##NAME:                                                              \
		PST_IF_##paces(return pst_##name##_pace_ns(&p->name, &s->name, q, a,      \
							   bytes, booked_ns, waits);)     \
		break;
		PST_LAWS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return 0;
}

/* Whether the law can still reduce its windows. */
PST_FN enum pst_floor pst_law_floor(u32 law, const union pst_law_params *p,
				    const union pst_law_state *s,
				    const struct pst_queue *q)
{
	(void)p;
	(void)s;
	(void)q;
	switch (law) {
#define PST_CASE(name, NAME, flow, init, accepted, left, data, tick, ack, opens, divides, \
		 paces, floors)                                                           \
	case PST_LAW_##NAME:                                                              \
		PST_IF_##floors(return pst_##name##_floor(&p->name, &s->name, q);)        \
		break;
		PST_LAWS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return PST_FLOOR_NONE;
}

#endif
