/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * FQ-CoDel: many queues, each with its own CoDel, served by deficit round robin.
 *
 * T. Hoeiland-Joergensen, P. McKenney, D. Taht, J. Gettys, E. Dumazet: "The Flow
 * Queue CoDel Packet Scheduler and Active Queue Management Algorithm", RFC 8290,
 * 2018, section 4:
 *
 *   enqueue   the flow's hash chooses the queue; one that is on no list goes to
 *             the end of the new list with a deficit of one quantum
 *   overflow  the head of the queue with the most bytes is dropped, until half
 *             of these bytes or drop_batch packets are gone
 *   dequeue   the first new queue, or else the first old one. A deficit that is
 *             used up gains a quantum and sends the queue to the end of the old
 *             list. An empty queue moves there from the new list, and leaves
 *             the old one
 *
 * As a scheduler it needs a host that keeps the packets in one FIFO per queue, and a
 * table of pst_fq_queue: the simulator. The kernel and ns-3 have their own.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_FQ_CODEL_H
#define PENSTOCK_CORE_DISCIPLINE_FQ_CODEL_H

#include "codel.h"

#define PST_FQ_CODEL_TITLE "FQ-CoDel, flow queue CoDel"
#define PST_FQ_CODEL_SOURCE "RFC 8290 section 4"
#define PST_FQ_CODEL_FORMULA "window_bytes"

#define PST_FQ_CODEL_OWN_PARAMS(P)                                            \
	P(quantum_bytes, PST_BYTES, PST_IS(PST_FULL_FRAME_BYTES), 64, 1048576, \
	  "bytes that a queue may send per turn", "RFC 8290 section 5.2.4")   \
	P(queues, PST_COUNT, PST_IS(1024), 1, 65536,                          \
	  "number of queues that flows are hashed into", "RFC 8290 section 5.2.5") \
	P(drop_batch_pkts, PST_PKTS, PST_IS(64), 1, 65536,                    \
	  "largest number of packets dropped at an overflow",                 \
	  "RFC 8290 section 4.1.3")                                           \
	P(perturbation, PST_COUNT, PST_IS(0), 0, 0xffffffffULL,               \
	  "salt of the hash", "RFC 8290 section 4.1.1")

/* Queues are numbered from 1 in these lists; 0 is none. */
#define PST_FQ_CODEL_STATE(S)                                                 \
	S(new_first, PST_COUNT, "first queue of the new list")                \
	S(new_last, PST_COUNT, "its last one")                                \
	S(old_first, PST_COUNT, "first queue of the old list")                \
	S(old_last, PST_COUNT, "its last one")

#define PST_FQ_CODEL_PARAMS(P) PST_CODEL_PARAMS(P) PST_FQ_CODEL_OWN_PARAMS(P)

struct pst_fq_codel_params {
	struct pst_codel_params codel;
	PST_FQ_CODEL_OWN_PARAMS(PST_PARAM_FIELD)
};

struct pst_fq_codel_state {
	PST_FQ_CODEL_STATE(PST_STATE_FIELD)
};

enum pst_fq_list {
	PST_FQ_INACTIVE,
	PST_FQ_NEW,
	PST_FQ_OLD,
};

/* One queue, initially all zero. Its index in the host's table starts at 0. */
struct pst_fq_queue {
	struct pst_codel_state codel;
	u64 bytes;
	u64 packets;
	s64 deficit_bytes;
	u32 next;	/* in its list, from 1 */
	u32 list;	/* enum pst_fq_list */
};

#define PST_FQ_NONE 0xffffffffU

/* The queue of the flow @key; keys that differ in one bit are spread too. */
PST_FN u32 pst_fq_codel_classify(const struct pst_fq_codel_params *p, u32 key)
{
	u32 h = key ^ (u32)p->perturbation;

	PST_REQUIRE(p->queues >= 1);
	/* The finaliser of MurmurHash3. */
	h = (h ^ (h >> 16)) * 0x85ebca6bU;
	h = (h ^ (h >> 13)) * 0xc2b2ae35U;
	h ^= h >> 16;
	return h % (u32)p->queues;
}

PST_FN void pst_fq_codel_append(struct pst_fq_codel_state *s,
				struct pst_fq_queue *t, u32 i, u32 list)
{
	u64 *first = list == PST_FQ_NEW ? &s->new_first : &s->old_first;
	u64 *last = list == PST_FQ_NEW ? &s->new_last : &s->old_last;
	struct pst_fq_queue *f = t + i;

	PST_REQUIRE(list == PST_FQ_NEW || list == PST_FQ_OLD);
	PST_REQUIRE(f->list == PST_FQ_INACTIVE);
	f->list = list;
	f->next = 0;
	if (*last)
		(t + (*last - 1))->next = i + 1;
	else
		*first = i + 1;
	*last = i + 1;
	PST_ENSURE(*first);
}

/* Takes the first queue off @list. */
PST_FN void pst_fq_codel_remove_first(struct pst_fq_codel_state *s,
				      struct pst_fq_queue *t, u32 list)
{
	u64 *first = list == PST_FQ_NEW ? &s->new_first : &s->old_first;
	u64 *last = list == PST_FQ_NEW ? &s->new_last : &s->old_last;
	struct pst_fq_queue *removed = t + (*first - 1);

	PST_REQUIRE(*first && removed->list == list);
	*first = removed->next;
	if (!*first)
		*last = 0;
	removed->list = PST_FQ_INACTIVE;
	PST_ENSURE((!*first) == (!*last));
}

/* A packet of @bytes went into queue @i. */
PST_FN void pst_fq_codel_added(const struct pst_fq_codel_params *p,
			       struct pst_fq_codel_state *s,
			       struct pst_fq_queue *t, u32 i, u32 bytes)
{
	struct pst_fq_queue *f = t + i;

	PST_REQUIRE(bytes > 0);
	f->bytes += bytes;
	f->packets++;
	if (f->list != PST_FQ_INACTIVE)
		return;
	f->deficit_bytes = (s64)p->quantum_bytes;
	pst_fq_codel_append(s, t, i, PST_FQ_NEW);
	PST_ENSURE(s->new_last == i + 1ULL);
}

/* A packet of @bytes was taken off the head of queue @i. */
PST_FN void pst_fq_codel_removed(struct pst_fq_queue *t, u32 i, u32 bytes)
{
	struct pst_fq_queue *f = t + i;

	PST_REQUIRE(f->packets && f->bytes >= bytes);
	f->bytes -= bytes;
	f->packets--;
	PST_ENSURE(f->packets || !f->bytes);
}

/* The packet was sent. */
PST_FN void pst_fq_codel_sent(struct pst_fq_queue *t, u32 i, u32 bytes)
{
	struct pst_fq_queue *f = t + i;

	PST_REQUIRE(f->deficit_bytes > 0);
	f->deficit_bytes -= bytes;
}

/* The queue to serve, empty or not; PST_FQ_NONE if none is on a list. */
PST_FN u32 pst_fq_codel_select(const struct pst_fq_codel_params *p,
			       struct pst_fq_codel_state *s,
			       struct pst_fq_queue *t)
{
	for (;;) {
		u64 first = s->new_first ? s->new_first : s->old_first;
		u32 i = (u32)first - 1;
		struct pst_fq_queue *f;

		if (!first)
			return PST_FQ_NONE;
		f = t + i;
		PST_REQUIRE(f->list == (s->new_first ? PST_FQ_NEW : PST_FQ_OLD));
		if (f->deficit_bytes > 0)
			return i;
		f->deficit_bytes += (s64)p->quantum_bytes;
		pst_fq_codel_remove_first(s, t, f->list);
		pst_fq_codel_append(s, t, i, PST_FQ_OLD);
	}
}

/* The selected queue @i was found empty. */
PST_FN void pst_fq_codel_drained(struct pst_fq_codel_state *s,
				 struct pst_fq_queue *t, u32 i)
{
	struct pst_fq_queue *f = t + i;
	u32 list = f->list;

	PST_REQUIRE(!f->packets);
	pst_fq_codel_remove_first(s, t, list);
	if (list == PST_FQ_NEW)
		pst_fq_codel_append(s, t, i, PST_FQ_OLD);
	PST_ENSURE(f->list != PST_FQ_NEW);
}

/* The longest queue in bytes; the first of equal ones. */
PST_FN u32 pst_fq_codel_fattest(const struct pst_fq_codel_params *p,
				const struct pst_fq_queue *t)
{
	u32 fattest = 0;
	u32 i;

	PST_REQUIRE(p->queues >= 1);
	for (i = 1; i < p->queues; i++)
		if ((t + i)->bytes > (t + fattest)->bytes)
			fattest = i;
	return fattest;
}

/*
 * Packet @k was the head of queue @i and is about to leave; call this after
 * pst_fq_codel_removed(). @q describes all queues together.
 */
PST_FN enum pst_verdict
pst_fq_codel_on_leave(const struct pst_fq_codel_params *p,
		      struct pst_fq_queue *t, u32 i, const struct pst_queue *q,
		      const struct pst_packet *k)
{
	struct pst_fq_queue *f = t + i;
	struct pst_queue own = *q;

	own.bytes = f->bytes;
	own.packets = f->packets;
	return pst_codel_on_leave(&p->codel, &f->codel, &own, k);
}

#endif
