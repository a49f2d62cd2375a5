/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dispatch to a window law, expanded from registry.h. All functions are pure except for
 * *s and *f; time is passed in with the queue. A constant law leaves one case of each
 * switch after pruning by compiler or BPF verifier.
 */
#ifndef PENSTOCK_CORE_LAW_LAW_H
#define PENSTOCK_CORE_LAW_LAW_H

#include "registry.h"

#define PST_ENUM(name, NAME, ...) PST_LAW_##NAME,
enum pst_law {
	PST_LAWS(PST_ENUM)
	PST_LAW_COUNT,
};
#undef PST_ENUM

/* In 64-bit words: the most that a law has. core.c demands that all fit. */
#define PST_LAW_PARAM_WORDS 12
#define PST_LAW_STATE_WORDS 29
#define PST_LAW_FLOW_WORDS 3	/* 8 at most */

#ifdef PST_LINKED
#define PST_LAW_MEMBERS(MEMBER)
#else
#define PST_LAW_MEMBERS(MEMBER) PST_LAWS(MEMBER)
#endif

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_params name;
union pst_law_params {
	u64 words[PST_LAW_PARAM_WORDS];
	PST_LAW_MEMBERS(PST_MEMBER)
};
#undef PST_MEMBER

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_state name;
union pst_law_state {
	u64 words[PST_LAW_STATE_WORDS];
	PST_LAW_MEMBERS(PST_MEMBER)
};
#undef PST_MEMBER

/* A law's state per flow, for laws with a flow table. */
#define PST_MEMBER(name, NAME, ...) PST_WHERE(NAME, flow, struct pst_##name##_flow name;)
union pst_law_flow {
	u64 words[PST_LAW_FLOW_WORDS];
	PST_LAW_MEMBERS(PST_MEMBER)
};
#undef PST_MEMBER
#undef PST_LAW_MEMBERS

/* What a law may have, as bits: registry.h. */
enum pst_law_bit {
	PST_LAW_HAS_flow = 1 << 0,
	PST_LAW_HAS_init = 1 << 1,
	PST_LAW_HAS_on_accepted = 1 << 2,
	PST_LAW_HAS_on_left = 1 << 3,
	PST_LAW_HAS_on_data = 1 << 4,
	PST_LAW_HAS_on_tick = 1 << 5,
	PST_LAW_HAS_on_ack = 1 << 6,
	PST_LAW_HAS_opens = 1 << 7,
	PST_LAW_HAS_divides = 1 << 8,
	PST_LAW_HAS_pace_ns = 1 << 9,
	PST_LAW_HAS_floor = 1 << 10,
};

enum pst_law_trait {
	PST_TRAIT_LIMITS = PST_LAW_HAS_on_ack,	/* limits windows */
	PST_TRAIT_OPENS = PST_LAW_HAS_opens,	/* is asked about SYN-ACKs: first flights */
	PST_TRAIT_DIVIDES = PST_LAW_HAS_divides, /* divides the link by N, flows or groups */
	PST_TRAIT_PACKETS = PST_LAW_HAS_on_accepted | PST_LAW_HAS_on_left,
	PST_TRAIT_DEPARTURES = PST_LAW_HAS_on_left, /* of these, when they leave */
	PST_TRAIT_FLOW = PST_LAW_HAS_flow,	/* has state per flow */
	PST_TRAIT_TICKS = PST_LAW_HAS_on_tick,	/* measures the queue at an interval */
	PST_TRAIT_PACES = PST_LAW_HAS_pace_ns,	/* delays ACKs where flows are too many */
};

/* True if the law has the trait. */
PST_CALL bool pst_law_is(u32 law, enum pst_law_trait trait);
PST_CALL void pst_law_accepted(u32 law, const union pst_law_params *p,
			       union pst_law_state *s, const struct pst_queue *q,
			       const struct pst_packet *k);
PST_CALL void pst_law_left(u32 law, const union pst_law_params *p,
			   union pst_law_state *s, const struct pst_queue *q,
			   const struct pst_packet *k);

/* Nanoseconds to the next tick; 0 for none. */
PST_CALL u64 pst_law_tick(u32 law, const union pst_law_params *p,
			  union pst_law_state *s, const struct pst_queue *q);

/* The bytes that the law allows, at most a->window_bytes. */
PST_CALL u64 pst_law_ack(u32 law, const union pst_law_params *p,
			 union pst_law_state *s, union pst_law_flow *f,
			 const struct pst_queue *q, const struct pst_ack *a);

#ifndef PST_LINKED

PST_CALL bool pst_law_is(u32 law, enum pst_law_trait trait)
{
#define PST_BIT(has) | PST_LAW_HAS_##has
#define PST_MASK(name, NAME, ...) \
	| (u64)(((0U PST_##NAME##_HAS(PST_BIT)) & (u32)trait) != 0) << PST_LAW_##NAME
	return (0ULL PST_LAWS(PST_MASK)) >> law & 1;
#undef PST_MASK
#undef PST_BIT
}

#define PST_LAW_DO(word, ...) PST_DO(PST_LAWS, PST_LAW_, law, word, __VA_ARGS__)
#define PST_LAW_RETURN(word, ...) PST_RETURN(PST_LAWS, PST_LAW_, law, word, __VA_ARGS__)
/* The state per flow as an argument, for laws that have one. */
#define PST_FLOW(name, NAME) PST_WHERE(NAME, flow, &f->name,)

/* Clears *s: an initialiser of a union reaches its first member only. */
PST_FN void pst_law_init(u32 law, const union pst_law_params *p,
			 union pst_law_state *s, const struct pst_queue *q)
{
	PST_REQUIRE(law < PST_LAW_COUNT && pst_queue_fits(q));
	__builtin_memset(s, 0, sizeof(*s));
	PST_LAW_DO(init, q)
}

PST_CALL void pst_law_accepted(u32 law, const union pst_law_params *p,
			       union pst_law_state *s, const struct pst_queue *q,
			       const struct pst_packet *k)
{
	PST_REQUIRE(law < PST_LAW_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && k->bytes);
	PST_LAW_DO(on_accepted, q, k)
}

PST_CALL void pst_law_left(u32 law, const union pst_law_params *p,
			   union pst_law_state *s, const struct pst_queue *q,
			   const struct pst_packet *k)
{
	PST_REQUIRE(law < PST_LAW_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && k->bytes);
	PST_LAW_DO(on_left, q, k)
}

PST_FN void pst_law_data(u32 law, const union pst_law_params *p,
			 union pst_law_state *s, union pst_law_flow *f,
			 const struct pst_queue *q, u32 bytes)
{
	PST_REQUIRE(law < PST_LAW_COUNT);
#define PST_CASE(name, NAME, LAW, ...)                                           \
	PST_CASE_OF(NAME, LAW, on_data,                                          \
		    pst_##name##_on_data(&p->name, &s->name, PST_FLOW(name, NAME) \
					 q, bytes); break;)
	PST_SWITCH(PST_LAWS, PST_LAW_, PST_CASE, law)
#undef PST_CASE
}

/* Nanoseconds to the first tick; 0 for a law without ticks. */
PST_FN u64 pst_law_interval_ns(u32 law, const union pst_law_params *p)
{
	PST_REQUIRE(law < PST_LAW_COUNT);
#define PST_CASE(name, NAME, LAW, ...) \
	PST_CASE_OF(NAME, LAW, on_tick, return p->name.interval_ns;)
	PST_SWITCH(PST_LAWS, PST_LAW_, PST_CASE, law)
#undef PST_CASE
	return 0;
}

PST_CALL u64 pst_law_tick(u32 law, const union pst_law_params *p,
			  union pst_law_state *s, const struct pst_queue *q)
{
	PST_REQUIRE(law < PST_LAW_COUNT && pst_queue_fits(q));
	PST_LAW_RETURN(on_tick, q)
	return 0;
}

PST_CALL u64 pst_law_ack(u32 law, const union pst_law_params *p,
			 union pst_law_state *s, union pst_law_flow *f,
			 const struct pst_queue *q, const struct pst_ack *a)
{
	u64 allowed_bytes = a->window_bytes;

	PST_REQUIRE(law < PST_LAW_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && pst_ack_fits(a));
#define PST_CASE(name, NAME, LAW, ...)                                     \
	PST_CASE_OF(NAME, LAW, on_ack,                                     \
		    allowed_bytes = pst_##name##_on_ack(                   \
			    &p->name, &s->name, PST_FLOW(name, NAME) q, a); \
		    break;)
	PST_SWITCH(PST_LAWS, PST_LAW_, PST_CASE, law)
#undef PST_CASE
	return pst_min(allowed_bytes, a->window_bytes);
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
	PST_REQUIRE(law < PST_LAW_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && pst_ack_fits(a));
	*waits = false;
	PST_LAW_RETURN(pace_ns, q, a, bytes, booked_ns, waits)
	return 0;
}

/* Whether the law can still reduce its windows. */
PST_FN enum pst_floor pst_law_floor(u32 law, const union pst_law_params *p,
				    const union pst_law_state *s,
				    const struct pst_queue *q)
{
	PST_LAW_RETURN(floor, q)
	return PST_FLOOR_NONE;
}

#endif /* PST_LINKED */

#endif
