/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The queues of CAKE and the hosts between which their flows travel, by set-associative
 * hashes (cake.h), and the lists of queues.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_CAKE_TABLE_H
#define PENSTOCK_CORE_DISCIPLINE_CAKE_TABLE_H

#include "cake_params.h"

#define PST_CAKE_STATE(S)                                                     \
	S(collisions, PST_COUNT,                                              \
	  "packets whose flow has to share a queue with another")

struct pst_cake_state {
	PST_CAKE_STATE(PST_STATE_FIELD)
};

#define PST_CAKE_WAYS 8U
#define PST_CAKE_NONE 0xffffffffU
#define PST_CAKE_LEAST_QUANTUM_BYTES 300

enum pst_cake_list {
	PST_CAKE_NEW,
	PST_CAKE_OLD,
	PST_CAKE_DECAYING,
	PST_CAKE_LISTS,
};

enum pst_cake_use {
	PST_CAKE_RESTS,		/* on no list */
	PST_CAKE_SPARSE,	/* new, or empty since */
	PST_CAKE_WAITS,		/* sparse and empty, but on the old list for its deficit */
	PST_CAKE_BULK,		/* of the old list; counts for its hosts */
	PST_CAKE_DECAYS,	/* empty; its COBALT does not rest yet */
};

struct pst_cake_queue {
	struct pst_cobalt_state cobalt;
	u64 bytes;
	u64 packets;
	s64 deficit_bytes;
	u32 tag;	/* hash of its flow */
	u32 source;	/* hosts, in their tables */
	u32 target;
	u32 before;	/* in its list, which is a ring */
	u32 after;
	u32 use;	/* enum pst_cake_use */
};

struct pst_cake_host {
	u32 tag;
	u32 bulk_flows;
};

/* Kept by the host, initially all zero: @queues has an entry more for each list. */
struct pst_cake_tables {
	struct pst_cake_queue *queues;
	struct pst_cake_host *sources;
	struct pst_cake_host *targets;
};

/* A packet's flow, and the hosts between which it travels. */
struct pst_cake_key {
	u32 flow;
	u32 source;
	u32 target;
};

PST_FN u32 pst_cake_head(const struct pst_cake_params *p, u32 list)
{
	PST_REQUIRE(list < PST_CAKE_LISTS);
	return (u32)p->queues + list;
}

/* Call this before the first event. */
PST_FN void pst_cake_begin(const struct pst_cake_params *p, const struct pst_cake_tables *t)
{
	u32 list;

	for (list = 0; list < PST_CAKE_LISTS; list++) {
		u32 head = pst_cake_head(p, list);

		t->queues[head].before = head;
		t->queues[head].after = head;
	}
}

PST_FN void pst_cake_unlink(const struct pst_cake_tables *t, u32 i)
{
	struct pst_cake_queue *f = &t->queues[i];

	if (f->use == PST_CAKE_RESTS)
		return;
	PST_REQUIRE(t->queues[f->before].after == i && t->queues[f->after].before == i);
	t->queues[f->before].after = f->after;
	t->queues[f->after].before = f->before;
}

/* Queue @i moves to the end of @list. */
PST_FN void pst_cake_append(const struct pst_cake_params *p, const struct pst_cake_tables *t,
			    u32 i, u32 list, enum pst_cake_use use)
{
	u32 head = pst_cake_head(p, list);
	struct pst_cake_queue *f = &t->queues[i];

	PST_REQUIRE(i < p->queues && use != PST_CAKE_RESTS);
	pst_cake_unlink(t, i);
	f->use = use;
	f->after = head;
	f->before = t->queues[head].before;
	t->queues[f->before].after = i;
	t->queues[head].before = i;
	PST_ENSURE(t->queues[f->before].after == i && t->queues[f->after].before == i);
}

PST_FN u32 pst_cake_hash(const struct pst_cake_params *p, u32 key)
{
	return (u32)pst_fair_hash(p->perturbation << 32 | key);
}

PST_FN u32 pst_cake_way(u32 place, u32 n)
{
	return place - place % PST_CAKE_WAYS + (place + n) % PST_CAKE_WAYS;
}

PST_FN u32 pst_cake_place(const struct pst_cake_params *p, u32 hash)
{
	PST_REQUIRE(p->queues >= PST_CAKE_WAYS);
	return hash % ((u32)p->queues - (u32)p->queues % PST_CAKE_WAYS);
}

/* The entry of the host @hash, which takes one without bulk flows if it has none. */
PST_FN u32 pst_cake_host_of(const struct pst_cake_params *p, struct pst_cake_host *hosts, u32 hash)
{
	u32 place = pst_cake_place(p, hash);
	u32 found = place;
	u32 n;

	for (n = PST_CAKE_WAYS; n > 0; n--) {
		u32 i = pst_cake_way(place, n - 1);

		if (hosts[i].tag == hash)
			return i;
		if (!hosts[i].bulk_flows)
			found = i;
	}
	hosts[found].tag = hash;
	PST_ENSURE(found < p->queues);
	return found;
}

PST_FN void pst_cake_count(const struct pst_cake_tables *t, const struct pst_cake_queue *f,
			   bool more)
{
	PST_REQUIRE(more || (t->sources[f->source].bulk_flows &&
			     t->targets[f->target].bulk_flows));
	t->sources[f->source].bulk_flows += more ? 1U : -1U;
	t->targets[f->target].bulk_flows += more ? 1U : -1U;
}

/* Queue @f is reserved for the flow @key. */
PST_FN void pst_cake_reserve(const struct pst_cake_params *p, const struct pst_cake_tables *t,
			     struct pst_cake_queue *f, const struct pst_cake_key *key)
{
	bool bulk = f->use == PST_CAKE_BULK;

	if (bulk)
		pst_cake_count(t, f, false);
	f->tag = pst_cake_hash(p, key->flow);
	f->source = pst_cake_host_of(p, t->sources, pst_cake_hash(p, key->source));
	f->target = pst_cake_host_of(p, t->targets, pst_cake_hash(p, key->target));
	if (bulk)
		pst_cake_count(t, f, true);
}

/* The queue for a packet of @key. */
PST_FN u32 pst_cake_classify(const struct pst_cake_params *p, struct pst_cake_state *s,
			     const struct pst_cake_tables *t, const struct pst_cake_key *key)
{
	u32 hash = pst_cake_hash(p, key->flow);
	u32 place = pst_cake_place(p, hash);
	u32 found = PST_CAKE_NONE;
	u32 n;

	for (n = 0; n < PST_CAKE_WAYS; n++) {
		u32 i = pst_cake_way(place, n);
		const struct pst_cake_queue *f = &t->queues[i];

		if (f->use != PST_CAKE_RESTS && f->tag == hash)
			return i;
		if (found == PST_CAKE_NONE && f->use == PST_CAKE_RESTS)
			found = i;
	}
	if (found == PST_CAKE_NONE) {
		found = place;
		s->collisions++;
	}
	pst_cake_reserve(p, t, &t->queues[found], key);
	PST_ENSURE(found < p->queues && t->queues[found].tag == hash);
	return found;
}

#endif
