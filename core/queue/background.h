/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rate of a background class (less than best effort, RFC 6297): what the others on a line
 * leave of it. Each T the class gets
 *
 *   rate = C - O - C D / (2 T) + C e                                              (1)
 *   e    = (target - wait) / (4 (RTT + T)), and from the third step in turn         (2)
 *          at which nothing waits 2 target / (RTT + T)
 *
 * O is what has come of others in the last T, C the line's rate, `wait` what data waits in its
 * queue, and D by how much that has grown, as more is sent than comes.
 * While that is above its target, C is no more than what has passed. A queue integrates, and answers
 * after a round trip and a step: (2) is a loop that is damped for any of them. The class keeps a
 * short queue standing, so C is measured on. The second line of (2) finds a rate that has risen, with
 * a queue of twice its target when it comes to stand.
 *
 * The target is below that of `penstock`: what is held beside the class has a longer queue, and so
 * the whole line. On a slow line it is the time of two packets. The class always has a segment in a
 * round trip, so that its flows end.
 */
#ifndef PENSTOCK_CORE_QUEUE_BACKGROUND_H
#define PENSTOCK_CORE_QUEUE_BACKGROUND_H

#include "../base.h"

#define PST_BACKGROUND_TARGET_NS 3000000ULL
#define PST_BACKGROUND_STEP_NS 20000000ULL /* T is at least this, and a round trip, */
#define PST_BACKGROUND_LONGEST_NS 200000000ULL /* and at most this */
#define PST_BACKGROUND_NOTHING_NS 1000000ULL /* a shorter wait is jitter */

/* All zero before the first step. */
struct pst_background {
	u64 rate_bytes_per_s;	/* what the class gets; 0 before the first step */
	u64 stepped_ns;
	u64 line_bytes;		/* that had come then, */
	u64 own_bytes;		/* and of these, of the class */
	u64 wait_ns;		/* what data waited then */
	u64 nothing_steps;	/* in turn at which nothing waited */
};

#define PST_BACKGROUND_NOTHING_STEPS 3

/* The line at a step. Without padding, as BPF reads all of it. */
struct pst_line {
	u64 now_ns;
	u64 line_bytes;		/* that have come, of all */
	u64 own_bytes;		/* likewise, of the class */
	u64 rate_bytes_per_s;	/* C */
	u64 sent_bytes_per_s;	/* what passes of all, as averaged with C */
	u64 wait_ns;
	u64 rtt_ns;		/* of flows, without the wait; 0 unknown */
	u64 target_ns;		/* 0: the default */
	u64 drain_q16;		/* what is taken off the rate, to see the queue empty */
};

/* T, for flows with round trips of @rtt_ns. */
PST_FN u64 pst_background_step_ns(u64 rtt_ns)
{
	return pst_clamp(rtt_ns, PST_BACKGROUND_STEP_NS, PST_BACKGROUND_LONGEST_NS);
}

PST_FN bool pst_background_is_due(const struct pst_background *b, u64 rtt_ns, u64 now_ns)
{
	return pst_sub_floor(now_ns, b->stepped_ns) >= pst_background_step_ns(rtt_ns);
}

/* The wait to aim at, for packets of @packet_bytes. */
PST_FN u64 pst_background_target_ns(const struct pst_line *l, u64 packet_bytes)
{
	u64 pair_ns = pst_min(pst_mul_div(2 * pst_min(packet_bytes, PST_MAX_BYTES), PST_NS_PER_S,
					  pst_max(l->rate_bytes_per_s, 1)),
			      PST_MAX_NS);

	return pst_max(l->target_ns ? pst_min(l->target_ns, PST_MAX_NS) : PST_BACKGROUND_TARGET_NS,
		       pair_ns);
}

/* C, as (1) takes it. */
PST_FN u64 pst_background_line(const struct pst_line *l, u64 target_ns)
{
	u64 rate = pst_clamp(l->rate_bytes_per_s, 1, PST_MAX_BYTES);

	return l->wait_ns > target_ns ? pst_min(rate, pst_max(l->sent_bytes_per_s, 1)) : rate;
}

/* C e of (2) is added to @left, for C of @line and the wait to aim at, @target_ns. */
PST_FN u64 pst_background_corrected(const struct pst_background *b, const struct pst_line *l,
				    u64 line, u64 left, u64 target_ns)
{
	u64 turn_ns = pst_min(l->rtt_ns, PST_MAX_NS) + pst_background_step_ns(l->rtt_ns);
	u64 wait_ns = pst_min(l->wait_ns, PST_MAX_NS);

	if (b->nothing_steps >= PST_BACKGROUND_NOTHING_STEPS)
		return left + pst_mul_div(line, 2 * target_ns, turn_ns);
	if (wait_ns <= target_ns)
		return left + pst_mul_div(line, target_ns - wait_ns, 4 * turn_ns);
	return pst_sub_floor(left, pst_mul_div(line, wait_ns - target_ns, 4 * turn_ns));
}

/* C D / (2 T) is taken off @left, no more than a quarter of C in either direction. */
PST_FN u64 pst_background_damped(const struct pst_background *b, const struct pst_line *l,
				 u64 line, u64 left, u64 since_ns)
{
	u64 grown_ns = pst_sub_floor(pst_min(l->wait_ns, PST_MAX_NS), b->wait_ns);
	u64 shrunk_ns = pst_sub_floor(b->wait_ns, pst_min(l->wait_ns, PST_MAX_NS));

	grown_ns = pst_min(grown_ns, since_ns / 2);
	shrunk_ns = pst_min(shrunk_ns, since_ns / 2);
	return pst_sub_floor(left + pst_mul_div(line, shrunk_ns, 2 * since_ns),
			     pst_mul_div(line, grown_ns, 2 * since_ns));
}

/* A step, if one is due: the new rate of @b, for packets of @packet_bytes. */
PST_FN void pst_background_step(struct pst_background *b, const struct pst_line *l,
				u64 packet_bytes)
{
	u64 target_ns = pst_background_target_ns(l, packet_bytes);
	u64 line = pst_background_line(l, target_ns);
	u64 since_ns = pst_clamp(pst_sub_floor(l->now_ns, b->stepped_ns), 1, PST_MAX_NS);
	u64 others_bytes = pst_sub_floor(pst_sub_floor(l->line_bytes, b->line_bytes),
					 pst_sub_floor(l->own_bytes, b->own_bytes));
	u64 others = pst_min(pst_mul_div(pst_min(others_bytes, PST_MAX_BYTES), PST_NS_PER_S,
					 since_ns),
			     PST_MAX_BYTES);
	u64 least = pst_mul_div(pst_min(packet_bytes, PST_MAX_BYTES), PST_NS_PER_S,
				pst_background_step_ns(l->rtt_ns));
	u64 rate;

	b->nothing_steps = l->wait_ns < PST_BACKGROUND_NOTHING_NS ?
				   pst_min(b->nothing_steps + 1, PST_BACKGROUND_NOTHING_STEPS) :
				   0;
	rate = pst_background_damped(b, l, line, pst_sub_floor(line, others), since_ns);
	rate = pst_background_corrected(b, l, line, rate, target_ns);
	/* Before the first step nothing is known of others. */
	if (!b->stepped_ns)
		rate = pst_min(rate, line / 2);
	rate -= rate * pst_min(l->drain_q16, PST_Q16_ONE) >> 16;
	b->rate_bytes_per_s = pst_max(pst_min(rate, line + line / 8), least);
	b->stepped_ns = pst_max(l->now_ns, 1);
	b->line_bytes = l->line_bytes;
	b->own_bytes = l->own_bytes;
	b->wait_ns = pst_min(l->wait_ns, PST_MAX_NS);
}

#endif
