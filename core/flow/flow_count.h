/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The number of flows that share the link: N of the methods that divide a budget.
 *
 * Time is cut into intervals; a flow is counted once in each interval in which it sends.
 * N is the larger of the last whole interval's count and the running one's, so it rises
 * at once and falls after one to two intervals. O(1) per packet.
 *
 * N has two forms. The plain one counts each flow as 1. The other counts a flow by what
 * it sends (R30): as 1 if it fills its window, or has lost a segment and so needs more;
 * otherwise as the fraction of the window that it fills per round trip. A new flow has no
 * window to fill yet: from its fourth segment on it counts as the part of a share that earlier
 * ones came to send, or as what it has sent of one, if that is more.
 * Flows of one group count together, as one at most (flow_group.h).
 * Connections whose SYN was seen, and no data yet, are counted apart, for one to two
 * intervals: their first flights are to come. The connections of a flood of SYNs never send
 * data. So each connection counts as a fraction: that part of the connections of earlier
 * intervals which sent data in time.
 * Uncontrolled traffic is counted as well (R18): by a hash of its flow, each as 1 or as
 * the fraction of a fair share that it sends.
 */
#ifndef PENSTOCK_CORE_FLOW_FLOW_COUNT_H
#define PENSTOCK_CORE_FLOW_FLOW_COUNT_H

#include "flow_group.h"
#include "rtt.h"

#define PST_OTHERS 64U			/* hash buckets of uncontrolled flows */
#define PST_OTHERS_MIN_BYTES 6000ULL	/* four packets in an interval make no flow of 1 */
#define PST_BEGINNING_SEGMENTS 4U
#define PST_FEW_OPENINGS 4U /* that send nothing say little of the others */
#define PST_BRIEF_WEIGHT 16 /* of one connection, in the average: its inverse */
#define PST_MARK_SHIFT 20 /* units of 2^20 ns, about a millisecond */

struct pst_flow_count {
	u64 interval_ns;	/* > 0 */
	u64 epoch;
	u64 end_ns;		/* of the running interval */
	u64 running;
	u64 last;
	u64 running_q16;	/* by use */
	u64 last_q16;
	u32 syns_running;	/* of connections that open, in the interval */
	u32 syns_last;
	u32 opening_running;	/* of these, those whose data has not come */
	u32 opening_last;
	u32 silent_q15;		/* the part of earlier ones whose data did not come */
	u32 brief_q15;		/* the part of a share that earlier ones did not come to send */
	u32 share_bytes;	/* the last window of a flow that has shown what it sends; 0 none */
	u64 others_running_q16;
	u64 others_last_q16;
	u64 bytes_running;	/* of controlled flows */
	u64 bytes_last;
	u64 other_bytes_running;
	u64 other_bytes_last;
	u64 others_bytes_per_s;	/* in the last whole interval */
	u64 others_use_of;	/* the rate of which they use others_use_q15; 0 not known yet */
	u64 others_use_q15;
	u64 queue_bytes;	/* the queue at the last ACK, and its rate */
	u64 queue_bytes_per_s;
	u64 others[PST_OTHERS];	/* epoch << 32 | bytes in it */
};

/* Use of its window by a flow. */
struct pst_flow_use {
	u64 begun_ns;		/* its first data; 0 none */
	u64 turn_ns;		/* start of the current round trip */
	u32 epoch;		/* in which counted_q16 was counted */
	u32 opening_epoch;	/* in which its SYN was counted, until its first data; 0 none */
	u32 turn_bytes;		/* sent in it, or since the flow began */
	u32 turn_before_bytes;	/* and in the one before */
	u32 counted_q16;	/* in that interval */
	u32 counted_before_q16;	/* and in the one before */
	u32 window_bytes;	/* that the law allowed last; 0 none */
	u32 marked_edge;	/* that the flow may send up to */
	u16 marked_units;	/* when it was granted, of PST_MARK_SHIFT; 0 none */
	u8 first_segments;	/* that the law allowed with the SYN-ACK; 0 none */
	bool fills;		/* data came up to the last mark */
	bool shown;		/* it is known what it came to send */
};

/* What each event finds and leaves. */
PST_FN bool pst_flow_count_invariant(const struct pst_flow_count *c)
{
	return c->opening_running <= c->syns_running && c->opening_last <= c->syns_last &&
	       c->silent_q15 <= PST_Q15_ONE && c->brief_q15 <= PST_Q15_ONE &&
	       c->others_use_q15 <= 65535;
}

/*
 * An interval ends: connections that opened in the one before it, or with @all in it, have
 * had a whole one to send. What few of them do says little. A part that has once been
 * silent is trusted again within eight intervals.
 */
PST_FN void pst_flow_count_judge(struct pst_flow_count *c, bool all)
{
	u64 syns = c->syns_last + (all ? c->syns_running : 0ULL);
	u64 silent = c->opening_last + (all ? c->opening_running : 0ULL);

	PST_REQUIRE(pst_flow_count_invariant(c));
	c->silent_q15 = (u32)pst_max((silent << 15) / (syns + PST_FEW_OPENINGS),
				     pst_sub_floor(c->silent_q15, PST_Q15_ONE / 8));
}

PST_FN void pst_flow_count_advance(struct pst_flow_count *c, u64 now_ns)
{
	bool follows;
	u64 epoch;

	/* Without a division. An older time, from another CPU, changes nothing. */
	if (now_ns < c->end_ns)
		return;
	epoch = now_ns / c->interval_ns + 1;
	follows = epoch == c->epoch + 1;
	pst_flow_count_judge(c, !follows);
	c->last = follows ? c->running : 0;
	c->last_q16 = follows ? c->running_q16 : 0;
	c->syns_last = follows ? c->syns_running : 0;
	c->opening_last = follows ? c->opening_running : 0;
	c->others_last_q16 = follows ? c->others_running_q16 : 0;
	c->bytes_last = follows ? c->bytes_running : 0;
	c->other_bytes_last = follows ? c->other_bytes_running : 0;
	c->others_bytes_per_s = pst_min(
		pst_mul_div(pst_min(c->other_bytes_last, PST_MAX_BYTES),
			    PST_NS_PER_S, c->interval_ns),
		PST_MAX_BYTES);
	c->others_use_of = 0;
	c->others_use_q15 = 0;
	c->running = 0;
	c->running_q16 = 0;
	c->syns_running = 0;
	c->opening_running = 0;
	c->others_running_q16 = 0;
	c->bytes_running = 0;
	c->other_bytes_running = 0;
	c->epoch = epoch;
	c->end_ns = epoch * c->interval_ns;
	PST_ENSURE(pst_flow_count_invariant(c) && c->end_ns > now_ns);
}

PST_FN void pst_flow_count_data(struct pst_flow_count *c, struct pst_flow *f,
				u64 now_ns)
{
	pst_flow_count_advance(c, now_ns);
	if (f->epoch != c->epoch) {
		f->epoch = c->epoch;
		c->running++;
	}
}

/* N, at least 1. */
PST_FN u64 pst_flow_count_get(struct pst_flow_count *c, u64 now_ns)
{
	pst_flow_count_advance(c, now_ns);
	return pst_max(1, pst_max(c->last, c->running));
}

/* The SYN of a flow's sender passes; a repeated one counts once its count has lapsed. */
PST_FN void pst_flow_count_syn(struct pst_flow_count *c, struct pst_flow_use *u,
			       u64 now_ns)
{
	pst_flow_count_advance(c, now_ns);
	if (u->begun_ns || (u->opening_epoch && u->opening_epoch + 1 >= (u32)c->epoch))
		return;
	u->opening_epoch = (u32)c->epoch;
	c->syns_running++;
	c->opening_running++;
	PST_ENSURE(pst_flow_count_invariant(c));
}

/* Its first data passes. */
PST_FN void pst_flow_count_opened(struct pst_flow_count *c, struct pst_flow_use *u)
{
	if (!u->opening_epoch)
		return;
	if (u->opening_epoch == (u32)c->epoch)
		c->opening_running = (u32)pst_sub_floor(c->opening_running, 1);
	else if (u->opening_epoch + 1 == (u32)c->epoch)
		c->opening_last = (u32)pst_sub_floor(c->opening_last, 1);
	u->opening_epoch = 0;
	PST_ENSURE(pst_flow_count_invariant(c));
}

/*
 * O, the opening connections whose data can be expected. They are a smaller part of the
 * waiting connections than of all that open, as silent ones wait for longer; the part's
 * square is a sufficient approximation.
 */
PST_FN u32 pst_flow_count_opening(const struct pst_flow_count *c)
{
	u64 opening = (u64)c->opening_last + c->opening_running;
	u64 sends_q15 = PST_Q15_ONE - c->silent_q15;

	PST_REQUIRE(pst_flow_count_invariant(c));
	return (u32)(pst_min(opening, 0xffffffff) * (sends_q15 * sends_q15 >> 15) >> 15);
}

/* A round trip of @rtt_ns without the queue, with the queue of the last ACK. */
PST_FN u64 pst_flow_count_turn_ns(const struct pst_flow_count *c, u64 rtt_ns)
{
	return pst_clamp(pst_rtt_departure_ns(rtt_ns, c->queue_bytes,
					      c->queue_bytes_per_s),
			 1, 2 * PST_MAX_NS);
}

/*
 * Starts the flow's next round trip if this one is over, and keeps what was sent in it.
 * The wait in the queue takes a division, so it is left out of the first comparison.
 */
PST_FN void pst_flow_use_turn(const struct pst_flow_count *c, struct pst_flow_use *u,
			      u64 rtt_ns, u64 now_ns)
{
	u64 elapsed_ns = pst_sub_floor(now_ns, u->turn_ns);
	u64 turn_ns;

	if (elapsed_ns < rtt_ns)
		return;
	turn_ns = pst_flow_count_turn_ns(c, rtt_ns);
	if (elapsed_ns < turn_ns)
		return;
	u->turn_before_bytes = elapsed_ns < 2 * turn_ns ? u->turn_bytes : 0;
	u->turn_bytes = 0;
	u->turn_ns = now_ns;
}

/* The part of a share that @bytes are; all while none is known. */
PST_FN u32 pst_flow_count_part_q15(const struct pst_flow_count *c, u32 bytes)
{
	return bytes >= c->share_bytes ? (u32)PST_Q15_ONE :
					 (u32)(((u64)bytes << 15) / c->share_bytes);
}

/* The flow has ended, or has had time to send a share: it sent what turn_bytes says. */
PST_FN void pst_flow_count_show(struct pst_flow_count *c, struct pst_flow_use *u)
{
	u32 brief_q15 = (u32)PST_Q15_ONE - pst_flow_count_part_q15(c, u->turn_bytes);

	if (u->shown || !u->begun_ns)
		return;
	u->shown = true;
	c->brief_q15 -= c->brief_q15 / PST_BRIEF_WEIGHT;
	c->brief_q15 += brief_q15 / PST_BRIEF_WEIGHT;
}

/* As what a flow counts that has sent @part_q16 of its first segments, @bytes so far. */
PST_FN u64 pst_flow_count_begun_q16(const struct pst_flow_count *c, u64 part_q16, u32 bytes)
{
	return pst_max(part_q16 * (PST_Q15_ONE - c->brief_q15) >> 15,
		       c->share_bytes ? 2ULL * pst_flow_count_part_q15(c, bytes) : 0);
}

/* The fraction of its window that the flow fills, after @bytes more. */
PST_FN u64 pst_flow_use_part_q16(struct pst_flow_count *c,
				 struct pst_flow_use *u, u32 bytes, u32 mss_bytes,
				 u64 rtt_ns, u64 now_ns)
{
	u64 full_bytes = (u64)mss_bytes * PST_BEGINNING_SEGMENTS;
	u64 most_bytes, part_q16;
	bool begins;

	if (!u->begun_ns)
		u->begun_ns = now_ns;
	begins = !u->window_bytes ||
		 pst_sub_floor(now_ns, u->begun_ns) < c->interval_ns;
	if (!begins) {
		pst_flow_count_show(c, u);
		pst_flow_use_turn(c, u, rtt_ns, now_ns);
	}
	u->turn_bytes = (u32)pst_min((u64)u->turn_bytes + bytes, 0xffffffff);
	most_bytes = pst_max(u->turn_bytes, u->turn_before_bytes);
	if (begins && u->first_segments)
		full_bytes = (u64)mss_bytes * pst_min(u->first_segments,
						      PST_BEGINNING_SEGMENTS);
	if (!begins)
		full_bytes = u->window_bytes;
	part_q16 = most_bytes >= full_bytes ? PST_Q16_ONE : (most_bytes << 16) / full_bytes;
	return begins ? pst_flow_count_begun_q16(c, part_q16, (u32)most_bytes) : part_q16;
}

PST_FN void pst_flow_use_advance(const struct pst_flow_count *c,
				 struct pst_flow_use *u)
{
	u32 epoch = (u32)c->epoch;

	if (u->epoch == epoch)
		return;
	u->counted_before_q16 = u->epoch + 1 == epoch ? u->counted_q16 : 0;
	u->counted_q16 = 0;
	u->epoch = epoch;
}

/*
 * A controlled flow, of the group @g if any, sends @bytes of payload, @lost_some if they
 * were sent before; its RTT, without the queueing delay, is @rtt_ns.
 */
PST_FN void pst_flow_count_use(struct pst_flow_count *c, struct pst_flow_use *u,
			       struct pst_flow_group *g, u32 bytes,
			       bool lost_some, u32 mss_bytes, u64 rtt_ns,
			       u64 now_ns)
{
	u64 part_q16 = pst_flow_use_part_q16(c, u, bytes, mss_bytes, rtt_ns, now_ns);

	pst_flow_count_advance(c, now_ns);
	pst_flow_count_opened(c, u);
	c->bytes_running += bytes;
	if (lost_some)
		part_q16 = PST_Q16_ONE;
	pst_flow_use_advance(c, u);
	PST_ENSURE(part_q16 <= PST_Q16_ONE && u->counted_q16 <= PST_Q16_ONE);
	if (part_q16 <= u->counted_q16)
		return;
	c->running_q16 += pst_flow_group_add(g, c->epoch,
					     part_q16 - u->counted_q16);
	u->counted_q16 = (u32)part_q16;
}

/* The flow has ended: its share goes to the others. */
PST_FN void pst_flow_count_leave(struct pst_flow_count *c, struct pst_flow_use *u,
				 struct pst_flow_group *g, u64 now_ns)
{
	u64 running_q16, last_q16;

	pst_flow_count_advance(c, now_ns);
	pst_flow_count_show(c, u);
	pst_flow_use_advance(c, u);
	running_q16 = u->counted_q16;
	last_q16 = u->counted_before_q16;
	if (g) {
		pst_flow_group_advance(g, c->epoch);
		running_q16 = pst_flow_group_take(&g->running_q16, running_q16);
		last_q16 = pst_flow_group_take(&g->last_q16, last_q16);
	}
	c->running_q16 = pst_sub_floor(c->running_q16, running_q16);
	c->last_q16 = pst_sub_floor(c->last_q16, last_q16);
	u->counted_q16 = 0;
	u->counted_before_q16 = 0;
}

/* Uncontrolled traffic, in flows by use. */
PST_FN u64 pst_flow_count_others_q16(const struct pst_flow_count *c)
{
	return pst_max(c->others_last_q16, c->others_running_q16);
}

/* The part of @rate_bytes_per_s that it used in the last whole interval. */
PST_FN u16 pst_flow_count_others_use_q15(struct pst_flow_count *c, u64 rate_bytes_per_s)
{
	if (c->others_bytes_per_s && c->others_use_of != rate_bytes_per_s) {
		c->others_use_q15 = pst_min(pst_mul_div(c->others_bytes_per_s, PST_Q15_ONE,
							rate_bytes_per_s),
					    65535);
		c->others_use_of = rate_bytes_per_s;
	}
	return (u16)c->others_use_q15;
}

/* Flows by use, controlled or not; at least 1. */
PST_FN u64 pst_flow_count_q16(const struct pst_flow_count *c)
{
	return pst_max(PST_Q16_ONE, pst_max(c->last_q16, c->running_q16) +
					    pst_flow_count_others_q16(c));
}

/* @bytes of uncontrolled traffic pass, of a flow with this @hash. */
PST_FN void pst_flow_count_other(struct pst_flow_count *c, u32 hash, u32 bytes,
				 u64 now_ns)
{
	u64 *bucket = c->others + hash % PST_OTHERS;
	u64 fair_bytes, before, after;

	pst_flow_count_advance(c, now_ns);
	fair_bytes = ((c->bytes_last + c->other_bytes_last) << 16) /
		     pst_max(PST_Q16_ONE, c->last_q16 + c->others_last_q16);
	fair_bytes = pst_max(fair_bytes, PST_OTHERS_MIN_BYTES);
	before = *bucket >> 32 == (c->epoch & 0xffffffff) ?
			 *bucket & 0xffffffff : 0;
	after = pst_min(before + bytes, 0xffffffff);
	*bucket = (c->epoch & 0xffffffff) << 32 | after;
	c->other_bytes_running += bytes;
	c->others_running_q16 += (pst_min(after, fair_bytes) << 16) / fair_bytes -
				 (pst_min(before, fair_bytes) << 16) / fair_bytes;
}

/*
 * True if uncontrolled traffic has its fair share of the bytes, or nearly: more would be
 * taken from controlled flows (R36).
 */
PST_FN bool pst_flow_count_others_fill(const struct pst_flow_count *c)
{
	u64 others_q16 = pst_flow_count_others_q16(c);
	u64 other_bytes = c->other_bytes_last + c->other_bytes_running;
	u64 bytes = other_bytes + c->bytes_last + c->bytes_running;

	/* In units of 64 bytes the products fit for 100 Gbit/s and 10^6 flows. */
	return (others_q16 >> 4) &&
	       (other_bytes >> 6) * (pst_flow_count_q16(c) >> 4) * 8 >=
		       (bytes >> 6) * (others_q16 >> 4) * 7;
}

#endif
