/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes that a law and a pending early event allow at an ACK. */
#ifndef PENSTOCK_CORE_GATEWAY_ALLOW_H
#define PENSTOCK_CORE_GATEWAY_ALLOW_H

#include "../queue/upstream_stamp.h"
#include "ack_view.h"
#include "port.h"

/*
 * N as it counts for a flow of @group, if any: groups, and the flows among which its own
 * divides what it is given.
 */
PST_FN void pst_gateway_divide(struct pst_gateway_state *s,
			       struct pst_flow_group *group, struct pst_queue *q)
{
	u64 members_q16;

	if (!group)
		return;
	members_q16 = pst_flow_group_members_q16(group, s->count.epoch);
	q->flows_q16 = pst_min(pst_mul_div(pst_min(q->flows_q16, PST_MAX_BYTES),
					   pst_min(members_q16, PST_MAX_BYTES),
					   PST_Q16_ONE),
			       PST_MAX_BYTES);
	q->flows = (q->flows_q16 + PST_Q16_ONE / 2) >> 16;
}

/* N in the queue's view, for a flow of @group; null for a flow on its own. */
PST_FN void pst_gateway_count_for(const struct pst_gateway_config *c,
				  struct pst_gateway_state *s,
				  struct pst_flow_group *group, struct pst_queue *q)
{
	pst_gateway_count_flows(c, s, q);
	pst_gateway_divide(s, group, q);
}

/* C, less what a drain of the queue elsewhere takes off windows. */
PST_FN u64 pst_gateway_drained(const struct pst_gateway_config *c,
			       const struct pst_gateway_state *s, const struct pst_queue *q)
{
	u64 rate = pst_min(q->rate_bytes_per_s, PST_MAX_BYTES);
	u64 part_q16 = 0;

	if (pst_gateway_is_upstream(c) && !s->apart)
		part_q16 = pst_drain_part_q16(&s->upstream.drain, q->now_ns);
	else if (pst_gateway_is_passive(c))
		part_q16 = pst_drain_part_q16(&s->hidden.drain, q->now_ns);
	return part_q16 ? rate - (rate * part_q16 >> 16) : q->rate_bytes_per_s;
}

/* The bytes that the law allows at the ACK @a of @f, which is of @group if not null. */
PST_STAGE(u64, pst_stage_allow)(struct pst_port *port, struct pst_gateway_flow *f,
				struct pst_flow_group *group, struct pst_queue *q,
				const struct pst_ack *a)
{
	const struct pst_gateway_config *c = PST_CONFIG(port);
	struct pst_gateway_state *s;
	u64 rate_bytes_per_s, allowed_bytes;

	PST_GIVEN(port && f && q && a, 0);
	s = &port->state;
	rate_bytes_per_s = q->rate_bytes_per_s;
	if (pst_law_is(c->law, PST_TRAIT_FLOW) && f->epoch != c->epoch) {
		__builtin_memset(&f->law, 0, sizeof(f->law));
		f->epoch = c->epoch;
	}
	pst_gateway_count_for(c, s, group, q);
	if (a->opens && pst_law_is(c->law, PST_TRAIT_OPENS)) {
		q->opening = pst_flow_count_opening(&s->count);
		q->silent_q15 = (u16)s->count.silent_q15;
	}
	s->count.queue_bytes = q->phantom ? 0 : q->bytes;
	s->count.queue_bytes_per_s = q->rate_bytes_per_s;
	q->rate_bytes_per_s = pst_gateway_drained(c, s, q);
	allowed_bytes = pst_law_ack(c->law, &port->config.law_params, &s->law, &f->law, q, a);
	q->rate_bytes_per_s = rate_bytes_per_s;
	f->use.window_bytes = (u32)pst_min(allowed_bytes, 0xffffffff);
	if (!a->opens && a->fills && f->use.shown)
		s->count.share_bytes = f->use.window_bytes;
	if (a->opens && pst_law_is(c->law, PST_TRAIT_OPENS) &&
	    !pst_gateway_is_blind(c, s))
		f->use.first_segments = (u8)pst_min(allowed_bytes / a->mss_bytes, 255);
	return allowed_bytes;
}

PST_CALL u64 pst_gateway_signalled(const struct pst_gateway_config *c,
				   struct pst_gateway_state *s,
				   const struct pst_flow *f,
				   const struct pst_ack *a, u64 allowed_bytes)
{
	if (c->signal == PST_SIGNAL_WINDOW && s->signals_owed) {
		s->signals_owed--;
		allowed_bytes = pst_min(allowed_bytes, a->mss_bytes);
	}
	/* Marks need data in flight. */
	if (f->scalable)
		allowed_bytes = pst_max(allowed_bytes, 2ULL * a->mss_bytes);
	return allowed_bytes;
}

/*
 * True for a SYN-ACK that crosses the first data, because it was repeated while another was
 * delayed, and for a request before the first data: both carry the first window again. With
 * the receiver's own window the first flight would be unbounded, against R26. With a newly
 * computed window the sender would be promised a second first flight.
 */
PST_FN bool pst_gateway_repeats(const struct pst_gateway_config *c,
				const struct pst_gateway_flow *f,
				const struct pst_ack_header *h, struct pst_rewrite *out)
{
	u64 first_bytes = (u64)f->use.first_segments * f->flow.mss_bytes;

	if (!first_bytes || !pst_law_is(c->law, PST_TRAIT_OPENS))
		return false;
	if (h->syn && f->use.begun_ns)
		*out = pst_rewrite_opening(&f->flow, h, first_bytes);
	else if (!h->syn && pst_gateway_opens(f, h))
		*out = pst_rewrite_window(&f->flow, c->mode, h, first_bytes);
	else
		return false;
	return true;
}

#endif
