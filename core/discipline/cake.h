/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CAKE, common applications kept enhanced: a queue per flow, each with its own COBALT,
 * served so that first hosts and then their flows get the same rate.
 *
 * T. Hoeiland-Joergensen, D. Taht, J. Morton: "Piece of CAKE: A Comprehensive Queue
 * Management Solution for Home Gateways", IEEE LANMAN, 2018, section III; details from
 * Linux:
 *
 *   hash      eight queues form a set; a flow takes its own queue of the set, or one that
 *             is at rest, and shares one only if none is
 *   quantum   rate / 4096 seconds, 300 to 1514 bytes, divided by the number of bulk flows
 *             of the flow's source or target, whichever has more (triple isolation)
 *   enqueue   a queue at rest or decaying goes to the end of the new list with a quantum
 *   overflow  the head of the queue with the most bytes is dropped
 *   dequeue   one decaying queue, then the first new one, or else the first old one. A
 *             deficit that is used up gains a quantum and sends the queue to the end of
 *             the old list; with packets left it counts as a bulk flow. An empty queue
 *             decays until its COBALT rests, and then leaves the lists
 *   COBALT    target >= 1.5 packets of the link, interval >= 2 targets; the last packet
 *             of a queue is not dropped
 *
 * As a scheduler it needs a host that keeps the packets in one FIFO per queue, and
 * pst_cake_tables: the simulator. Linux has its own.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_CAKE_H
#define PENSTOCK_CORE_DISCIPLINE_CAKE_H

#include "cake_table.h"

#define PST_CAKE_TITLE "CAKE, common applications kept enhanced"
#define PST_CAKE_SOURCE "Hoeiland-Joergensen, Taht and Morton 2018, section III"
#define PST_CAKE_FORMULA "window_bytes"

/* What a turn adds to the deficit of @f. */
PST_FN s64 pst_cake_quantum_bytes(const struct pst_cake_params *p,
				  const struct pst_cake_tables *t, const struct pst_queue *q,
				  const struct pst_cake_queue *f)
{
	u64 quantum = PST_FULL_FRAME_BYTES;
	u64 load = 1;

	if (p->shaped)
		quantum = pst_max(pst_min(q->rate_bytes_per_s >> 12, quantum),
				  PST_CAKE_LEAST_QUANTUM_BYTES);
	if (p->by_source)
		load = pst_max(load, t->sources[f->source].bulk_flows);
	if (p->by_target)
		load = pst_max(load, t->targets[f->target].bulk_flows);
	return (s64)((quantum + load - 1) / load);
}

/* A packet of @bytes went into queue @i. */
PST_FN void pst_cake_added(const struct pst_cake_params *p, const struct pst_cake_tables *t,
			   const struct pst_queue *q, u32 i, u32 bytes)
{
	struct pst_cake_queue *f = &t->queues[i];

	f->bytes += bytes;
	f->packets++;
	if (f->use == PST_CAKE_RESTS || f->use == PST_CAKE_DECAYS) {
		pst_cake_append(p, t, i, PST_CAKE_NEW, PST_CAKE_SPARSE);
		f->deficit_bytes = pst_cake_quantum_bytes(p, t, q, f);
	} else if (f->use == PST_CAKE_WAITS) {
		f->use = PST_CAKE_BULK;
		pst_cake_count(t, f, true);
	}
}

/* A packet of @bytes was taken off the head of queue @i. */
PST_FN void pst_cake_removed(const struct pst_cake_tables *t, u32 i, u32 bytes)
{
	t->queues[i].bytes -= bytes;
	t->queues[i].packets--;
}

/* The packet was sent. */
PST_FN void pst_cake_sent(const struct pst_cake_tables *t, u32 i, u32 bytes)
{
	t->queues[i].deficit_bytes -= bytes;
}

/* The first queue of the first list that has one, of the decaying too if @decaying. */
PST_FN u32 pst_cake_front(const struct pst_cake_params *p, const struct pst_cake_tables *t,
			  bool decaying)
{
	u32 order[] = { PST_CAKE_DECAYING, PST_CAKE_NEW, PST_CAKE_OLD };
	u32 n;

	for (n = decaying ? 0 : 1; n < PST_CAKE_LISTS; n++) {
		u32 head = pst_cake_head(p, order[n]);

		if (t->queues[head].after != head)
			return t->queues[head].after;
	}
	return PST_CAKE_NONE;
}

/* The deficit of queue @i is used up. */
PST_FN void pst_cake_turn(const struct pst_cake_params *p, const struct pst_cake_tables *t,
			  const struct pst_queue *q, u32 i)
{
	struct pst_cake_queue *f = &t->queues[i];
	enum pst_cake_use use = (enum pst_cake_use)f->use;

	if (use == PST_CAKE_SPARSE && f->packets) {
		use = PST_CAKE_BULK;
		pst_cake_count(t, f, true);
	} else if (use == PST_CAKE_SPARSE) {
		use = PST_CAKE_WAITS;
	}
	f->deficit_bytes += pst_cake_quantum_bytes(p, t, q, f);
	pst_cake_append(p, t, i, PST_CAKE_OLD, use);
}

/*
 * The queue to serve, empty or not; @first if it is the first that a departure asks for.
 * PST_CAKE_NONE if none is on a list; call it only if a packet waits.
 */
PST_FN u32 pst_cake_select(const struct pst_cake_params *p, const struct pst_cake_tables *t,
			   const struct pst_queue *q, bool first)
{
	for (;;) {
		u32 i = pst_cake_front(p, t, first);

		if (i == PST_CAKE_NONE || t->queues[i].deficit_bytes > 0)
			return i;
		pst_cake_turn(p, t, q, i);
		first = false;
	}
}

/* The selected queue @i was found empty. */
PST_FN void pst_cake_drained(const struct pst_cake_params *p, const struct pst_cake_tables *t,
			     const struct pst_queue *q, u32 i)
{
	struct pst_cake_queue *f = &t->queues[i];
	struct pst_cobalt_params c = pst_cake_cobalt(p, q);

	pst_cobalt_empty(&c, &f->cobalt, q->now_ns);
	if (f->use == PST_CAKE_BULK)
		pst_cake_count(t, f, false);
	if (!pst_cobalt_rests(&f->cobalt, q->now_ns)) {
		pst_cake_append(p, t, i, PST_CAKE_DECAYING, PST_CAKE_DECAYS);
		return;
	}
	pst_cake_unlink(t, i);
	f->use = PST_CAKE_RESTS;
}

/* The longest queue in bytes, the first of equal ones; a packet of it is to be dropped. */
PST_FN u32 pst_cake_overflow(const struct pst_cake_params *p, const struct pst_cake_tables *t,
			     const struct pst_queue *q)
{
	struct pst_cobalt_params c = pst_cake_cobalt(p, q);
	u32 fattest = 0;
	u32 i;

	for (i = 1; i < p->queues; i++)
		if (t->queues[i].bytes > t->queues[fattest].bytes)
			fattest = i;
	pst_cobalt_full(&c, &t->queues[fattest].cobalt, q->now_ns);
	return fattest;
}

/*
 * Packet @k was the head of queue @i and is about to leave; call this after
 * pst_cake_removed(). After a drop the next packet of this queue is the next to leave.
 */
PST_FN enum pst_verdict pst_cake_on_leave(const struct pst_cake_params *p,
					  const struct pst_cake_tables *t,
					  const struct pst_queue *q, u32 i,
					  const struct pst_packet *k)
{
	struct pst_cake_queue *f = &t->queues[i];
	struct pst_cobalt_params c = pst_cake_cobalt(p, q);
	enum pst_verdict verdict = pst_cobalt_on_leave(&c, &f->cobalt, q, k);

	return verdict == PST_DROP && !f->packets ? PST_PASS : verdict;
}

#endif
