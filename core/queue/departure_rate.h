/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rate of a link, measured from the departures of its queue, without probe traffic.
 *
 * A host looks at the queue whenever a packet arrives and at its timer. Between two looks
 *
 *   left = queue after the first - queue before the second                      (1)
 *
 * as every arrival is a look. If the second look finds packets, the link was busy all the
 * time between, and what left is its rate. The averages weigh each look by its time:
 *
 *   busy = busy + min(T / K, 1) (left / T - busy)     over looks that find packets  (2)
 *   sent = sent + min(T / K, 1) (left / T - sent)     over all looks                (3)
 *   C    = max(busy, sent - L / K)                                                  (4)
 *
 * (4): the link can send what it has sent, up to the packet that a look may divide; this
 * also finds a rate that has risen while the queue is empty. K is 50 ms, or the time of 16
 * packets L; until looks that find packets cover K, (2) is the mean over them. Until there
 * are any, C is twice `sent`, as a sender in slow start doubles it, and at least 1 Mbit/s.
 *
 * RFC 8033 section 5.3 measures the departure rate in cycles instead, and only while at
 * least 16 kB are queued.
 *
 * For a kernel: per look a few additions and two comparisons; the divisions come with a
 * step, every PST_DEPARTURE_STEP_NS at most. Nothing overflows, whatever the host passes
 * in (CPUs without a lock may lose a look or take it twice). Where the bottleneck is
 * further down, its queue is not seen: pst_departure_rate_add() then takes the bytes that
 * ACKs acknowledge, busy while round trips are longer than their minimum.
 *
 * A host that does not see what the queue drops infers it from the limit that it was told.
 * A packet beyond too low a limit would count as dropped, and when it has left, (1) would be
 * too low, and C as little as a third. A queue that was seen is possible, so
 * pst_departure_rate_fits() takes the longest one that was seen recently for the limit, where
 * that is more.
 */
#ifndef PENSTOCK_CORE_QUEUE_DEPARTURE_RATE_H
#define PENSTOCK_CORE_QUEUE_DEPARTURE_RATE_H

#include "../base.h"

#define PST_DEPARTURE_STEP_NS 5000000ULL
#define PST_DEPARTURE_AVERAGE_NS 50000000ULL
#define PST_DEPARTURE_AVERAGE_PACKETS 16ULL
#define PST_DEPARTURE_LONGEST_STEPS 2000 /* after which a queue is forgotten: 10 s and more */
#define PST_DEPARTURE_FIRST_BYTES_PER_S 125000ULL
#define PST_DEPARTURE_MIN_BYTES_PER_S 125ULL /* 1 kbit/s: what scenarios allow */

struct pst_departure_rate {
	u64 bytes_per_s;	/* C */
	u64 sent_bytes_per_s;	/* equation 3 */
	u64 known_ns;		/* covered by (2), up to K */
	u64 seen_ns;		/* the last look; 0 none */
	u64 seen_bytes;		/* the queue after it */
	u64 longest_bytes;	/* the longest queue that was seen in so many steps, */
	u64 longest_before_bytes;	/* and in those of the interval before */
	u64 longest_steps;
	u64 busy_bytes;		/* not in (2) yet */
	u64 busy_ns;
	u64 all_bytes;		/* not in (3) yet */
	u64 all_ns;
};

PST_FN void pst_departure_rate_init(struct pst_departure_rate *r)
{
	__builtin_memset(r, 0, sizeof(*r));
	r->bytes_per_s = PST_DEPARTURE_FIRST_BYTES_PER_S;
}

/* @average updated by @bytes in @ns > 0, with the weight @ns / @of_ns. */
PST_FN u64 pst_departure_average(u64 average, u64 bytes, u64 ns, u64 of_ns)
{
	u64 now = pst_min(pst_mul_div(pst_min(bytes, PST_MAX_BYTES), PST_NS_PER_S,
				      pst_min(ns, PST_MAX_NS)),
			  PST_MAX_BYTES);
	u64 weight_q16 = ns < of_ns ? (ns << 16) / of_ns : PST_Q16_ONE;

	if (now >= average)
		return average + ((now - average) * weight_q16 >> 16);
	return average - ((average - now) * weight_q16 >> 16);
}

/* Equations 2 to 4, for packets of @packet_bytes. */
PST_FN void pst_departure_rate_step(struct pst_departure_rate *r, u64 packet_bytes)
{
	u64 few_ns = pst_mul_div(PST_DEPARTURE_AVERAGE_PACKETS *
					 pst_min(packet_bytes, 0xffffffff),
				 PST_NS_PER_S, pst_max(r->bytes_per_s, 1));
	u64 average_ns = pst_clamp(few_ns, PST_DEPARTURE_AVERAGE_NS, PST_NS_PER_S);
	u64 busy = r->bytes_per_s, least;

	r->sent_bytes_per_s = pst_departure_average(r->sent_bytes_per_s,
						    r->all_bytes, r->all_ns,
						    average_ns);
	r->all_bytes = 0;
	r->all_ns = 0;
	if (++r->longest_steps >= PST_DEPARTURE_LONGEST_STEPS) {
		r->longest_before_bytes = r->longest_bytes;
		r->longest_bytes = 0;
		r->longest_steps = 0;
	}
	if (r->busy_ns >= PST_DEPARTURE_STEP_NS) {
		r->known_ns = pst_min(r->known_ns + r->busy_ns, average_ns);
		busy = pst_departure_average(busy, r->busy_bytes, r->busy_ns,
					     r->known_ns);
		r->busy_bytes = 0;
		r->busy_ns = 0;
	}
	least = r->known_ns ?
			pst_sub_floor(r->sent_bytes_per_s,
				      pst_mul_div(packet_bytes, PST_NS_PER_S,
						  average_ns)) :
			2 * r->sent_bytes_per_s;
	r->bytes_per_s = pst_clamp(pst_max(busy, least),
				   PST_DEPARTURE_MIN_BYTES_PER_S, PST_MAX_BYTES);
}

/* @bytes left in @ns; @busy if the link is known to have been busy throughout. */
PST_FN void pst_departure_rate_add(struct pst_departure_rate *r, u64 bytes, u64 ns,
				   bool busy, u64 packet_bytes)
{
	r->all_bytes += bytes;
	r->all_ns += ns;
	if (busy) {
		r->busy_bytes += bytes;
		r->busy_ns += ns;
	}
	if (r->all_ns >= PST_DEPARTURE_STEP_NS)
		pst_departure_rate_step(r, packet_bytes);
}

/* Before the first look: C is @bytes_per_s, as told, until looks that find packets replace it. */
PST_FN void pst_departure_rate_expect(struct pst_departure_rate *r, u64 bytes_per_s)
{
	if (r->known_ns)
		return;
	r->bytes_per_s = pst_clamp(bytes_per_s, PST_DEPARTURE_MIN_BYTES_PER_S, PST_MAX_BYTES);
	r->known_ns = PST_NS_PER_S; /* the longest K */
}

/*
 * Of a queue that is elsewhere, too little was sent for long: C is unknown. Returns what it was, to
 * be expected once half of it is used.
 */
PST_FN u64 pst_departure_rate_forget(struct pst_departure_rate *r)
{
	u64 bytes_per_s = r->bytes_per_s;

	pst_departure_rate_init(r);
	return bytes_per_s;
}

/* If half of it is, C is @bytes_per_s again, as it was when it was forgotten; 0 never. */
PST_FN void pst_departure_rate_remember(struct pst_departure_rate *r, u64 bytes_per_s)
{
	if (bytes_per_s && 2 * r->sent_bytes_per_s >= bytes_per_s)
		pst_departure_rate_expect(r, bytes_per_s);
}

/* A look, at an arrival (before it is counted) or by a timer: the queue has @queue_bytes. */
PST_FN void pst_departure_rate_look(struct pst_departure_rate *r, u64 queue_bytes,
				    u64 packet_bytes, u64 now_ns)
{
	if (r->seen_ns)
		pst_departure_rate_add(r, pst_sub_floor(r->seen_bytes, queue_bytes),
				       pst_sub_floor(now_ns, r->seen_ns),
				       queue_bytes > 0, packet_bytes);
	r->seen_ns = pst_max(now_ns, r->seen_ns);
	r->seen_bytes = queue_bytes;
	r->longest_bytes = pst_max(queue_bytes, r->longest_bytes);
}

/* The longest queue that was seen recently. */
PST_FN u64 pst_departure_rate_longest(const struct pst_departure_rate *r)
{
	return pst_max(r->longest_bytes, r->longest_before_bytes);
}

/* True if @bytes more fit a queue of @queue_bytes, with the limit of @limit_bytes as told. */
PST_FN bool pst_departure_rate_fits(const struct pst_departure_rate *r, u64 queue_bytes,
				    u64 limit_bytes, u64 bytes)
{
	return queue_bytes + bytes <=
	       pst_max(limit_bytes, pst_departure_rate_longest(r));
}

/* The packet of @bytes that arrived then has entered the queue; not for dropped ones. */
PST_FN void pst_departure_rate_enter(struct pst_departure_rate *r, u64 bytes)
{
	r->seen_bytes += bytes;
}

#endif
