/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dispatch to a window law. All functions are pure except for
 * *s and *f; time is passed in with the queue. A constant law leaves one case of each
 * switch after pruning by compiler or BPF verifier.
 */
#ifndef PENSTOCK_CORE_LAW_LAW_H
#define PENSTOCK_CORE_LAW_LAW_H

#include "registry.h"

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

/* What the queue's target has on top, to outlast pauses; 0 .. PST_MAX_NS. */
PST_CALL u64 pst_law_pause_ns(u32 law, const union pst_law_state *s);

#ifndef PST_LINKED

PST_CALL bool pst_law_is(u32 law, enum pst_law_trait trait)
{
	return pst_law_dispatch_has(law, trait);
}

/* Clears *s: an initialiser of a union reaches its first member only. */
PST_FN void pst_law_init(u32 law, const union pst_law_params *p,
			 union pst_law_state *s, const struct pst_queue *q)
{
	PST_REQUIRE(law < PST_LAW_COUNT && pst_queue_fits(q));
	__builtin_memset(s, 0, sizeof(*s));
	pst_law_dispatch_init(law, p, s, q);
}

PST_CALL void pst_law_accepted(u32 law, const union pst_law_params *p,
			       union pst_law_state *s, const struct pst_queue *q,
			       const struct pst_packet *k)
{
	PST_REQUIRE(law < PST_LAW_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && k->bytes);
	pst_law_dispatch_on_accepted(law, p, s, q, k);
}

PST_CALL void pst_law_left(u32 law, const union pst_law_params *p,
			   union pst_law_state *s, const struct pst_queue *q,
			   const struct pst_packet *k)
{
	PST_REQUIRE(law < PST_LAW_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && k->bytes);
	pst_law_dispatch_on_left(law, p, s, q, k);
}

PST_FN void pst_law_data(u32 law, const union pst_law_params *p,
			 union pst_law_state *s, union pst_law_flow *f,
			 const struct pst_queue *q, u32 bytes)
{
	PST_REQUIRE(law < PST_LAW_COUNT);
	pst_law_dispatch_on_data(law, p, s, f, q, bytes);
}

/* Nanoseconds to the first tick; 0 for a law without ticks. */
PST_FN u64 pst_law_interval_ns(u32 law, const union pst_law_params *p)
{
	PST_REQUIRE(law < PST_LAW_COUNT);
	return pst_law_dispatch_interval_ns(law, p);
}

PST_CALL u64 pst_law_tick(u32 law, const union pst_law_params *p,
			  union pst_law_state *s, const struct pst_queue *q)
{
	PST_REQUIRE(law < PST_LAW_COUNT && pst_queue_fits(q));
	return pst_law_dispatch_on_tick(law, p, s, q);
}

PST_CALL u64 pst_law_ack(u32 law, const union pst_law_params *p,
			 union pst_law_state *s, union pst_law_flow *f,
			 const struct pst_queue *q, const struct pst_ack *a)
{
	PST_REQUIRE(law < PST_LAW_COUNT);
	PST_REQUIRE(pst_queue_fits(q) && pst_ack_fits(a));
	return pst_min(pst_law_dispatch_on_ack(law, p, s, f, q, a), a->window_bytes);
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
	return pst_law_dispatch_pace_ns(law, p, s, q, a, bytes, booked_ns, waits);
}

/* Whether the law can still reduce its windows. */
PST_FN enum pst_floor pst_law_floor(u32 law, const union pst_law_params *p,
				    const union pst_law_state *s,
				    const struct pst_queue *q)
{
	return pst_law_dispatch_floor(law, p, s, q);
}

PST_CALL u64 pst_law_pause_ns(u32 law, const union pst_law_state *s)
{
	return pst_min(pst_law_dispatch_pause_ns(law, s), PST_MAX_NS);
}

#endif /* PST_LINKED */

#endif
