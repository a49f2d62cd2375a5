/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What timestamps say of a queue before the gateway, and whether that is believed. Equations are
 * those of upstream_queue.h.
 */
#ifndef PENSTOCK_CORE_QUEUE_UPSTREAM_STAMP_H
#define PENSTOCK_CORE_QUEUE_UPSTREAM_STAMP_H

#include "upstream_queue.h"

#define PST_UPSTREAM_MARGIN_NS 1000000ULL /* a shorter wait is jitter */
#define PST_UPSTREAM_KEEP_NS (10 * PST_NS_PER_S)
#define PST_UPSTREAM_ROUND_NS (5 * PST_NS_PER_S)
#define PST_UPSTREAM_HIGH_NS 10000000ULL /* twice what methods aim at, without pauses */
#define PST_UPSTREAM_STAYS_NS 200000000ULL
#define PST_UPSTREAM_STAYS_TRIPS 4ULL
#define PST_UPSTREAM_ABOVE_NS (2 * PST_NS_PER_S)
#define PST_UPSTREAM_AGAIN_NS (60 * PST_NS_PER_S)
#define PST_UPSTREAM_DOUBT_NS (30 * PST_NS_PER_S)
#define PST_UPSTREAM_DOUBT_SHIFT 5 /* doubts in turn take up to 960 s */

/* A segment that carries a timestamp. Without padding, as BPF reads all of it. */
struct pst_stamp {
	u64 now_ns;
	u64 rtt_ns;		/* of its flow, without the wait; 0 unknown */
	u64 packet_bytes;
	u64 pause_ns;		/* of the queue's target; PST_MAX_NS at most */
	u32 val;
	u32 observed;		/* 1 if no window is written, so that waits prove nothing, else 0 */
};

/* The wait that the flows agree on, where all stamps are looked at. */
PST_FN u64 pst_upstream_wait_ns(const struct pst_upstream_queue *u)
{
	return u->wait.wait_ns;
}

/* Where few are: true if *@wait_ns is what data of a flow with TSval @val has waited. */
PST_FN bool pst_upstream_alone(struct pst_upstream_queue *u, struct pst_one_way *o, u32 val,
			       u64 now_ns, u64 *wait_ns)
{
	bool known = pst_one_way_take(o, val, u->usual_tick, 0, now_ns, wait_ns);

	if (known)
		u->usual_tick = o->tick;
	return known;
}

/* The queue has not been empty for a round, or a drain is due before that is over. */
PST_FN void pst_upstream_drain(struct pst_upstream_queue *u, const struct pst_departure_rate *r,
			       u64 now_ns)
{
	u64 wait_ns = u->wait.wait_ns;
	u64 idle_ns = pst_upstream_idle_ns(r->bytes_per_s);
	u64 turn_ns = pst_min(u->rtt_ns, PST_MAX_NS) + wait_ns;

	if (!u->rtt_ns || u->drain.until_ns)
		return;
	if (now_ns < u->drain.round_ns + PST_UPSTREAM_ROUND_NS &&
	    !pst_drain_is_early(&u->drain, wait_ns, idle_ns, r->bytes_per_s, PST_UPSTREAM_LOST_PART,
				turn_ns, now_ns))
		return;
	if (u->drain.least_ns < PST_UPSTREAM_MARGIN_NS && u->gap_ns > idle_ns) {
		pst_drain_end_round(&u->drain, r->bytes_per_s, wait_ns < PST_UPSTREAM_MARGIN_NS,
				    now_ns);
		u->gap_ns = 0;
		return;
	}
	pst_drain_begin(&u->drain, wait_ns, u->rtt_ns, now_ns);
	u->gap_ns = 0;
	u->raise_us = 0;
	u->round++;
}

/*
 * The flow enters the round: its base moves if the last one showed where it is. True if what it
 * waits is path.
 */
PST_FN bool pst_upstream_enter_round(const struct pst_upstream_queue *u, struct pst_one_way *o,
				     u64 now_ns)
{
	bool rebased = (u8)(u->round - u->rebased) < (u8)(u->round - o->round);
	bool raised = (u8)(o->round + 1) == u->round;

	if (o->round == u->round)
		return false;
	if (rebased)
		o->base_ns = now_ns;
	else if (raised)
		o->base_ns = pst_min(o->base_ns + u->raise_us * 1000ULL, now_ns);
	o->round = u->round;
	return rebased || (raised && pst_upstream_is_longer(u));
}

/* What came since the last segment that said something, and whether the link was busy for it. */
PST_FN void pst_upstream_measure(struct pst_upstream_queue *u, struct pst_departure_rate *r,
				 const struct pst_stamp *t)
{
	u64 since_ns = pst_sub_floor(t->now_ns, u->said_ns);
	u64 wait_ns = u->wait.wait_ns;
	bool stood = pst_min(wait_ns, u->before_ns) >= PST_UPSTREAM_MARGIN_NS &&
		     since_ns <= wait_ns + u->before_ns;

	if (u->said_ns && !since_ns)
		return;
	if (u->said_ns)
		pst_departure_rate_add(r, u->came_bytes, since_ns, stood, t->packet_bytes);
	u->said_ns = pst_max(t->now_ns, 1);
	u->before_ns = wait_ns;
	u->came_bytes = 0;
	if (!u->known_ns)
		pst_departure_rate_remember(r, u->before_bytes_per_s);
	if (t->now_ns < u->doubted_ns || r->known_ns < PST_DEPARTURE_AVERAGE_NS)
		return;
	if (!u->known_ns) {
		pst_drain_end_round(&u->drain, r->bytes_per_s, true, t->now_ns);
	}
	if (!u->known_ns || stood || 2 * r->sent_bytes_per_s >= r->bytes_per_s)
		u->known_ns = t->now_ns + PST_UPSTREAM_KEEP_NS;
}

/* The least wait that is high: twice what methods aim at. */
PST_FN u64 pst_upstream_high_ns(const struct pst_stamp *t)
{
	return PST_UPSTREAM_HIGH_NS + 2 * t->pause_ns;
}

/* True if the rate has halved while waits were high, however high. */
PST_FN bool pst_upstream_is_beyond(struct pst_upstream_queue *u,
				   const struct pst_departure_rate *r, const struct pst_stamp *t)
{
	if (!u->known_ns || t->observed || u->wait.wait_ns < pst_upstream_high_ns(t)) {
		u->above_ns = 0;
		return false;
	}
	if (!u->above_ns) {
		u->above_ns = t->now_ns;
		u->above_bytes_per_s = pst_max(r->bytes_per_s, u->above_bytes_per_s / 8 * 7);
	}
	return r->sent_bytes_per_s < u->above_bytes_per_s / 2 &&
	       pst_sub_floor(t->now_ns, u->above_ns) >
		       PST_UPSTREAM_ABOVE_NS + 2 * PST_UPSTREAM_STAYS_TRIPS * u->rtt_ns;
}

/* True if smaller windows have halved the rate, and not the wait. */
PST_FN bool pst_upstream_is_doubtful(struct pst_upstream_queue *u,
				     const struct pst_departure_rate *r, const struct pst_stamp *t)
{
	u64 wait_ns = u->wait.wait_ns;

	if (!u->known_ns || t->observed || wait_ns < pst_upstream_high_ns(t)) {
		u->high_ns = 0;
		return false;
	}
	if (!u->high_ns || wait_ns < u->high_wait_ns / 2 ||
	    wait_ns > u->high_wait_ns + u->high_wait_ns / 2) {
		u->high_ns = t->now_ns;
		u->high_wait_ns = wait_ns;
		u->high_bytes_per_s = r->bytes_per_s;
	}
	return r->sent_bytes_per_s < u->high_bytes_per_s / 2 &&
	       pst_sub_floor(t->now_ns, u->high_ns) >
		       PST_UPSTREAM_STAYS_NS + PST_UPSTREAM_STAYS_TRIPS * u->rtt_ns;
}

/* The waits are path; if they were so just before, others fill the queue. */
PST_FN void pst_upstream_doubt(struct pst_upstream_queue *u, struct pst_departure_rate *r,
			       u64 now_ns)
{
	bool again = u->rebased_ns && now_ns < u->rebased_ns + PST_UPSTREAM_AGAIN_NS;

	u->round++;
	u->rebased = u->round;
	u->rebased_ns = pst_max(now_ns, 1);
	u->raise_us = 0;
	u->drain.until_ns = 0;
	u->high_ns = 0;
	u->above_ns = 0;
	u->wait.wait_ns = 0;
	if (!again) {
		u->doubt_shift = 0;
		/* The link's rate is what it was. */
		r->bytes_per_s = pst_clamp(u->high_bytes_per_s, PST_DEPARTURE_MIN_BYTES_PER_S,
					   PST_MAX_BYTES);
		return;
	}
	u->doubted_ns = now_ns + (PST_UPSTREAM_DOUBT_NS << u->doubt_shift);
	u->doubt_shift = pst_min(u->doubt_shift + 1, PST_UPSTREAM_DOUBT_SHIFT);
	u->rebased_ns = u->doubted_ns;
	u->known_ns = 0;
	u->before_bytes_per_s = 0;
	pst_departure_rate_init(r);
}

/* New data of @o arrives, or its SYN. True if what its data waits is path from now on. */
PST_FN bool pst_upstream_stamp(struct pst_upstream_queue *u, struct pst_departure_rate *r,
			       struct pst_one_way *o, const struct pst_stamp *t)
{
	u64 known_ns = pst_upstream_now_ns(u, t->now_ns);
	u64 wait_ns = 0;
	bool rebased, doubtful;

	if (!o->judged)
		o->round = u->round;
	if (!pst_one_way_take(o, t->val, u->usual_tick, known_ns, t->now_ns, &wait_ns))
		return false;
	rebased = pst_upstream_enter_round(u, o, t->now_ns);
	wait_ns = pst_sub_floor(t->now_ns, o->base_ns);
	u->usual_tick = o->tick;
	if (t->rtt_ns)
		u->rtt_ns = u->rtt_ns ? u->rtt_ns - u->rtt_ns / 16 + t->rtt_ns / 16 : t->rtt_ns;
	pst_common_wait_say(&u->wait, pst_one_way_place(o), wait_ns, t->now_ns);
	u->drain.least_ns = pst_min(u->drain.least_ns, u->wait.wait_ns);
	pst_upstream_measure(u, r, t);
	doubtful = pst_upstream_is_doubtful(u, r, t);
	if (pst_upstream_is_beyond(u, r, t) || doubtful)
		pst_upstream_doubt(u, r, t->now_ns);
	else if (u->known_ns && !t->observed)
		pst_upstream_drain(u, r, t->now_ns);
	return rebased;
}

#endif
