/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fair: limits each flow that no window controls to its max-min fair share of the link, by
 * marking and dropping its packets on arrival.
 *
 * Penstock's own; docs/methods/fair.md. r_i is what flow i sends, averaged over K, U the
 * queue, C the rate at which packets leave it, or as told until they do:
 *
 *   share = C / N                                                        (1)
 *   N     = sum of min(1, r_i / limit) over all flows, where a flow that
 *           this gateway restrains counts as 1                           (2)
 *   limit = share * target / U, in share / 2 .. 2 share                  (3)
 *   p_i   = 1 - limit / r_i, while U > target / 2                        (4)
 *
 * Share and limit of an uncontrolled flow of which m_i < share has passed, on average over
 * 4 s, are larger, except in (2), by
 *
 *   min(as much again, 12 (share - m_i))                                 (5)
 *
 * Thus no flow has less than its fair share because of what others send (R36).
 * (2) is water-filling: the rate that flows below their limit leave is divided among the
 * others. A flow is restrained if it is controlled and fills its window, or if it was
 * marked or dropped and still has half its share. It demands its whole share, however
 * little it gets. N is the larger of its values in this interval K and in the previous one.
 * Where the queue is further down, and long, a flow may have no packet in K: N is then no less than
 * the law's count of controlled flows, by use, and one.
 * (3) is the share at the target, where a law holds the queue. A limit that acted only
 * above the target would leave the link to traffic that does not respond. A limit that did
 * not fall with the queue would leave the queue as it is.
 * (5) is for windows that fall at each loss and grow back: their mean is below their peaks,
 * so peaks at the share would leave them less than a sender has that does not slow down.
 * A flow that has stayed below its share is not marked or dropped, however low its limit.
 * A sender responds once per round trip, so in the first K in which a flow is above its
 * share it is marked or dropped once. Above twice its limit, and after this K, (4) applies.
 *
 * Where no data of an answered flow came for PST_FAIR_ONE_WAY_NS, the answers take another path,
 * and all flows look like one that nobody answers: none is held.
 *
 * Flows that keep their rate are spared: fair_spare.h. What a rule of the operator spares
 * (packet/rule.h) always passes. All that one rule spares is one flow here, which counts in (2)
 * as r_i / share, so that the others divide what it leaves.
 *
 * All flows that nobody answers are one, but those that go on (flow/fair_streams.h) and keep their
 * rate, which are spared, if at all: whatever they send counts in (6), and beyond it each of them is
 * one of all that nobody answers.
 *
 * Segments without data and ICMP pass while all of them are a sixteenth of the link at most.
 * What is more counts as flows, each with its share: the segments without data of each flow that is
 * answered, those of all others together, and all ICMP, so that nobody can multiply them.
 *
 * A packet that is ECN-capable is marked, with p_i as it would be dropped (RFC 3168
 * section 5), or 2 sqrt(p_i) for ECT(1) (RFC 9332 section 2.1). A flow that is marked again
 * and again for PST_FAIR_HEED_UNITS, is above its share all along, and does not fall (r_i is at
 * least 7/8 of m_i), ignores marks, or the path removes them: its packets are dropped, until
 * 30 s have passed without a drop. If a drop that slows it down ended this, a sender that heeds
 * drops alone would be marked without effect for most of the time. Time above its share without
 * marks, as while it is spared or the queue is short, says nothing, and neither does a share that
 * falls as others come.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_FAIR_H
#define PENSTOCK_CORE_DISCIPLINE_FAIR_H

#include "../flow/fair_find.h"
#include "fair_count.h"
#include "fair_spare.h"

#define PST_FAIR_TITLE "fair, max-min shares for what no window controls"
#define PST_FAIR_SOURCE "Penstock; docs/methods/fair.md"
#define PST_FAIR_FORMULA "window_bytes"

PST_FN void pst_fair_advance(const struct pst_fair_params *p,
			     struct pst_fair_state *s, const struct pst_queue *q)
{
	bool follows = q->now_ns < s->end_ns + p->average_ns;

	if (q->now_ns < s->end_ns)
		return;
	if (!s->end_ns)
		s->known_ns = q->now_ns;
	pst_fair_count_advance(p, s, follows);
	s->epoch++;
	s->end_ns = q->now_ns + p->average_ns;
	s->target_bytes = pst_target_bytes(q, p->target_bytes, p->target_ns);
	s->among_q16 = 0;
	s->near_q16 = 0;
	s->inverse = ~0ULL / pst_max(p->average_ns, 1);
	s->slots_q16 = (1ULL << (PST_GROWTH_SLOT_SHIFT + 16)) / pst_max(p->average_ns, 1);
	s->small_bytes = follows ? pst_sub_floor(s->small_bytes, s->small_most_bytes) : 0;
	pst_fair_spare_advance(s, follows);
	PST_ENSURE(pst_fair_invariant(s) && s->end_ns >= q->now_ns);
}

/* Equation 1, in bytes in the averaging time; divides only if C or N has changed. */
PST_FN void pst_fair_divide(const struct pst_fair_params *p, struct pst_fair_state *s,
			    const struct pst_queue *q)
{
	u64 rate = q->measured_bytes_per_s ? q->measured_bytes_per_s : q->rate_bytes_per_s;
	u64 flows_q16 = pst_fair_flows_q16(s);
	u64 all_bytes;

	/* Further down, a flow may have no packet for longer than the averaging time. */
	if (q->controlled_q16)
		flows_q16 = pst_max(flows_q16, pst_min(q->controlled_q16, PST_FAIR_MOST_COUNT_Q16) +
						       PST_Q16_ONE);
	if (rate == s->rate_bytes_per_s && flows_q16 == s->among_q16)
		return;
	all_bytes = pst_bytes_in(pst_min(rate, PST_MAX_BYTES), p->average_ns);
	s->share_bytes = (pst_min(all_bytes, PST_MAX_BYTES) << 16) / flows_q16;
	s->spare_bytes = pst_min(all_bytes, PST_MAX_BYTES) * p->spare_q16 >> 16;
	s->small_most_bytes = pst_min(all_bytes, PST_MAX_BYTES) >> PST_FAIR_SMALL_SHIFT;
	s->rate_bytes_per_s = rate;
	s->among_q16 = flows_q16;
	PST_ENSURE(pst_fair_invariant(s));
}

/* Equation 3; at least 1. Divides only if U in the range of (3), or the target, has changed. */
PST_FN u64 pst_fair_limit_bytes(struct pst_fair_state *s, const struct pst_queue *q)
{
	u64 target_bytes = s->target_bytes;
	u64 near_bytes = pst_clamp(q->bytes, target_bytes / 2, 2 * target_bytes);

	if (!s->near_q16 || near_bytes != s->near_bytes) {
		s->near_q16 = (target_bytes << 16) / pst_max(near_bytes, 1);
		s->near_bytes = near_bytes;
	}
	PST_ENSURE(pst_fair_invariant(s));
	return pst_max(pst_min(s->share_bytes, PST_MAX_BYTES) * s->near_q16 >> 16, 1);
}

/* What a flow lacks of its share of @share_bytes on average. */
PST_FN u64 pst_fair_behind_bytes(u64 share_bytes, const struct pst_fair_entry *e, u64 average_ns)
{
	return pst_sub_floor(share_bytes, pst_fair_mean_bytes(e, average_ns));
}

/* Equation 5, for a share or limit of @bytes. */
PST_FN u64 pst_fair_raised_bytes(u64 bytes, u64 behind_bytes)
{
	return bytes + pst_min(bytes, 12 * behind_bytes);
}

/* True if the flow was marked or dropped, and still has half its share. */
PST_FN bool pst_fair_is_held(const struct pst_fair_entry *e)
{
	return e->first->held && e->second->held;
}

/* The flow's term of (2); divides only if it is more than @counted_q16. */
PST_FN u32 pst_fair_part_q16(const struct pst_fair_entry *e, const struct pst_packet *k,
			     u64 level_bytes, u64 limit_bytes, u32 counted_q16)
{
	bool restrained = k->kind == PST_KIND_CONTROLLED ? k->restrained :
							   pst_fair_is_held(e);

	PST_REQUIRE(limit_bytes >= 1);
	if (counted_q16 >= PST_Q16_ONE)
		return counted_q16;
	if (restrained || level_bytes >= limit_bytes)
		return PST_Q16_ONE;
	if (level_bytes << 16 < (counted_q16 + 1ULL) * limit_bytes)
		return counted_q16;
	return (u32)((level_bytes << 16) / limit_bytes);
}

/* True with the probability @p_q32, less than one, or with twice its root. */
PST_FN bool pst_fair_draws(const struct pst_queue *q, u64 p_q32, bool root)
{
	u64 random = pst_queue_random(q);

	PST_REQUIRE(p_q32 < PST_Q32_ONE);
	return root ? (random / 2) * (random / 2) < p_q32 << 32 : random < p_q32;
}

/* Equation 4, for a flow above its limit. */
PST_FN enum pst_verdict pst_fair_verdict(const struct pst_fair_params *p,
					 const struct pst_fair_entry *e,
					 const struct pst_queue *q,
					 const struct pst_packet *k,
					 u64 level_bytes, u64 limit_bytes)
{
	u32 now_units = pst_fair_units(q->now_ns);
	u32 trip_units = (u32)(p->average_ns >> PST_FAIR_UNIT_SHIFT);
	bool capable = pst_packet_ecn_capable(k);
	bool is_deaf = capable && (pst_fair_is_deaf(e, q->now_ns) ||
				   pst_fair_is_vain(e, p->average_ns, now_units));
	bool marks = capable && !is_deaf;
	u64 p_q32 = pst_mul_div(level_bytes - limit_bytes, PST_Q32_ONE, level_bytes);

	PST_REQUIRE(limit_bytes >= 1 && level_bytes > limit_bytes);
	if (level_bytes < 2 * limit_bytes && pst_fair_was_hit(e, now_units, trip_units) &&
	    !pst_fair_is_above(e, now_units, trip_units))
		return PST_PASS;
	if (!pst_fair_draws(q, p_q32, marks && (k->tos & PST_ECN_MASK) == PST_ECT1))
		return PST_PASS;
	pst_fair_hit(e, now_units);
	/* A burst says nothing of what it would take. */
	if (4 * pst_fair_mean_bytes(e, p->average_ns) > 3 * limit_bytes)
		pst_fair_limited(e);
	PST_ENSURE(k->kind != PST_KIND_CONTROLLED && pst_fair_is_held(e));
	if (marks)
		return PST_MARK;
	if (is_deaf)
		pst_fair_deafen(e, q->now_ns);
	pst_fair_take_back(e, k->bytes);
	return PST_DROP;
}

/* The verdict on a packet of a flow with this level, share and limit. */
PST_FN enum pst_verdict pst_fair_judge(const struct pst_fair_params *p,
				       const struct pst_fair_state *s,
				       const struct pst_fair_entry *e,
				       const struct pst_queue *q,
				       const struct pst_packet *k, u64 level_bytes,
				       u64 share_bytes, u64 limit_bytes)
{
	if (k->kind == PST_KIND_CONTROLLED || level_bytes <= limit_bytes ||
	    2 * q->bytes <= s->target_bytes)
		return PST_PASS;
	if (level_bytes <= share_bytes && !pst_fair_is_held(e))
		return PST_PASS;
	return pst_fair_verdict(p, e, q, k, level_bytes, limit_bytes);
}

/* What is known of the flow's growth, with this packet: its limit if it is spared, or 0. */
PST_FN u64 pst_fair_learn(const struct pst_fair_params *p, const struct pst_fair_state *s,
			  const struct pst_fair_entry *e, const struct pst_packet *k, u64 now_ns)
{
	struct pst_growth_bounds b = {
		.share_bytes = s->share_bytes * s->slots_q16 >> 16,
		.spare_bytes = s->spare_bytes * s->slots_q16 >> 16,
	};

	if (!p->spare_q16 || k->elastic || k->kind == PST_KIND_SMALL)
		return 0;
	pst_fair_grow(e, &b, k->bytes, pst_fair_units(now_ns));
	return pst_fair_is_grown(e) ? 0 : pst_fair_spared_limit_bytes(s, pst_fair_lasts(e));
}

/* A packet that a rule spares, of the flow that all of these are. */
PST_FN enum pst_verdict pst_fair_on_spared(const struct pst_fair_params *p,
					   struct pst_fair_state *s,
					   const struct pst_queue *q,
					   const struct pst_packet *k)
{
	struct pst_fair_entry e;
	u32 counted_q16;

	PST_REQUIRE(p->average_ns >= 1 && pst_fair_invariant(s));
	pst_fair_advance(p, s, q);
	pst_fair_divide(p, s, q);
	e = pst_fair_find(q->table, k->flow, true, 0);
	pst_fair_add(&e, k->bytes, s->share_bytes, q->now_ns, p->average_ns, s->inverse);
	counted_q16 = pst_fair_counted_q16(&e, (u32)s->epoch);
	pst_fair_count(s, &e, &q->table->pairs, 0, counted_q16,
		       pst_fair_spared_part_q16(pst_fair_level_bytes(&e), s->share_bytes,
						counted_q16),
		       false);
	return PST_PASS;
}

/* True if a small packet of @bytes passes, as these are few. */
PST_FN bool pst_fair_is_few(struct pst_fair_state *s, u32 bytes)
{
	if (s->small_bytes >= s->small_most_bytes)
		return false;
	s->small_bytes += bytes;
	PST_ENSURE(s->small_bytes < s->small_most_bytes + bytes);
	return true;
}

/* The flow of a packet, which is another one for what carries no data. */
PST_FN u64 pst_fair_flow_of(const struct pst_fair_table *t, const struct pst_packet *k)
{
	if (k->kind != PST_KIND_SMALL)
		return k->flow;
	return pst_fair_hash(k->answered ? k->flow : t->key);
}

/*
 * A packet of a flow that nobody answers, and that goes on, of which @e is the cell: the limit up to
 * which it is spared, or 0 if it counts with all that nobody answers.
 */
PST_FN u64 pst_fair_stream_limit_bytes(const struct pst_fair_params *p,
				       const struct pst_fair_state *s,
				       const struct pst_fair_entry *e,
				       const struct pst_packet *k, u64 now_ns)
{
	pst_fair_add(e, k->bytes, s->share_bytes, now_ns, p->average_ns, s->inverse);
	return pst_fair_learn(p, s, e, k, now_ns);
}

/* And the verdict on it. */
PST_FN enum pst_verdict pst_fair_on_stream(const struct pst_fair_params *p,
					   struct pst_fair_state *s,
					   const struct pst_fair_entry *e,
					   const struct pst_queue *q,
					   const struct pst_packet *k, u64 limit_bytes)
{
	u64 level_bytes = pst_fair_level_bytes(e);
	u32 counted_q16 = pst_fair_counted_q16(e, (u32)s->epoch);
	enum pst_verdict verdict;

	pst_fair_cell_judge(e->first, limit_bytes, q->now_ns);
	pst_fair_count(s, e, &q->table->pairs, 0, counted_q16,
		       pst_fair_spared_part_q16(pst_min(level_bytes, limit_bytes),
						s->share_bytes, counted_q16),
		       true);
	verdict = pst_fair_judge(p, s, e, q, k, level_bytes, 0, limit_bytes);
	if (verdict != PST_DROP)
		pst_fair_spend(s, k->bytes, pst_fair_lasts(e));
	return verdict;
}

/* The verdict on a packet of a flow with the cells @e. */
PST_FN enum pst_verdict pst_fair_on_flow(const struct pst_fair_params *p,
					 struct pst_fair_state *s,
					 const struct pst_fair_entry *e,
					 const struct pst_queue *q,
					 const struct pst_packet *k)
{
	bool controlled = k->kind == PST_KIND_CONTROLLED;
	struct pst_fair_pairs *pairs = &q->table->pairs;
	u64 part_q16 = pst_fair_part_at_q16(s, pairs, k->pair);
	u64 share_bytes = s->share_bytes * part_q16 >> 16;
	u64 behind_bytes, limit_bytes, level_bytes, spared_limit_bytes;
	enum pst_verdict verdict;
	u32 counted_q16;
	bool spared;

	pst_fair_add(e, k->bytes, share_bytes, q->now_ns, p->average_ns, s->inverse);
	behind_bytes = controlled ? 0 : pst_fair_behind_bytes(share_bytes, e, p->average_ns);
	share_bytes = pst_fair_raised_bytes(share_bytes, behind_bytes);
	pst_fair_cell_judge(e->first, share_bytes, q->now_ns);
	pst_fair_cell_judge(e->second, share_bytes, q->now_ns);
	level_bytes = pst_fair_level_bytes(e);
	limit_bytes = pst_max(pst_fair_limit_bytes(s, q) * part_q16 >> 16, 1);
	spared_limit_bytes = controlled ? 0 : pst_fair_learn(p, s, e, k, q->now_ns);
	if (part_q16 < PST_Q16_ONE)
		spared_limit_bytes = 0;
	counted_q16 = pst_fair_counted_q16(e, (u32)s->epoch);
	spared = spared_limit_bytes > s->share_bytes && level_bytes > s->share_bytes;
	pst_fair_count(s, e, pairs, k->pair, counted_q16,
		       spared ? pst_fair_spared_part_q16(pst_min(level_bytes, spared_limit_bytes),
							 s->share_bytes, counted_q16) :
				pst_fair_part_q16(e, k, level_bytes, limit_bytes, counted_q16),
		       spared);
	limit_bytes = pst_fair_raised_bytes(limit_bytes, behind_bytes);
	verdict = pst_fair_judge(p, s, e, q, k, level_bytes, share_bytes,
				 pst_max(limit_bytes, spared_limit_bytes));
	if (spared_limit_bytes && level_bytes > s->share_bytes && verdict != PST_DROP)
		pst_fair_spend(s, k->bytes, pst_fair_lasts(e));
	pst_fair_note_at(pairs, k->pair, k->bytes, verdict == PST_DROP, pst_fair_units(q->now_ns));
	return verdict;
}

PST_FN enum pst_verdict pst_fair_on_arrive(const struct pst_fair_params *p,
					   struct pst_fair_state *s,
					   const struct pst_queue *q,
					   const struct pst_packet *k)
{
	bool small = k->kind == PST_KIND_SMALL;
	struct pst_fair_entry e;
	u64 limit_bytes;

	if (!q->table || k->kind == PST_KIND_SPARED)
		return PST_PASS;
	if (k->kind == PST_KIND_BY_RULE)
		return pst_fair_on_spared(p, s, q, k);
	PST_REQUIRE(p->average_ns >= 1 && pst_fair_invariant(s));
	pst_fair_advance(p, s, q);
	pst_fair_divide(p, s, q);
	if (small && pst_fair_is_few(s, k->bytes))
		return PST_PASS;
	e = pst_fair_find(q->table, pst_fair_flow_of(q->table, k),
			  k->kind == PST_KIND_CONTROLLED || small || k->answered, k->stream);
	if (e.answered && !small)
		s->known_ns = q->now_ns;
	else if (pst_fair_is_one_way(s, q->now_ns))
		return PST_PASS;
	if (e.stream && !e.answered) {
		limit_bytes = pst_fair_stream_limit_bytes(p, s, &e, k, q->now_ns);
		if (limit_bytes)
			return pst_fair_on_stream(p, s, &e, q, k, limit_bytes);
		e = pst_fair_unanswered(q->table);
	}
	return pst_fair_on_flow(p, s, &e, q, k);
}

#endif
