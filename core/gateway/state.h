/* SPDX-License-Identifier: GPL-2.0-only */
/* What a gateway is configured with and keeps, for the queue and for each flow. */
#ifndef PENSTOCK_CORE_GATEWAY_STATE_H
#define PENSTOCK_CORE_GATEWAY_STATE_H

#include "../law/law.h"
#include "../packet/options.h"
#include "../flow/rtt.h"
#include "../queue/hidden_queue.h"
#include "../queue/upstream_queue.h"
#include "../discipline/discipline.h"
#include "../flow/flow_count.h"
#include "../rewrite/window.h"

/* The effect of a discipline's early event: S(name, NAME, text). */
#define PST_SIGNALS(S)                                                        \
	S(drop, DROP, "the packet is dropped")                                \
	S(ecn, ECN, "the packet is marked if it is ECN-capable, else dropped") \
	S(window, WINDOW,                                                     \
	  "the packet passes, and the next ACK grants one segment")

#define PST_ENUM(name, NAME, help) PST_SIGNAL_##NAME,
enum pst_signal {
	PST_SIGNALS(PST_ENUM)
	PST_SIGNAL_COUNT,
};
#undef PST_ENUM

/* What is done if there are more flows than segments: S(name, NAME, what). */
#define PST_BEYONDS(S)                                               \
	S(none, NONE, "nothing: the queue overflows")                \
	S(pace_acks, PACE_ACKS, "ACKs wait for room for what they let out")

#define PST_ENUM(name, NAME, help) PST_BEYOND_##NAME,
enum pst_beyond {
	PST_BEYONDS(PST_ENUM)
	PST_BEYOND_COUNT,
};
#undef PST_ENUM

/* Constant; a changed setting makes a new configuration. */
struct pst_gateway_config {
	u32 discipline;		/* enum pst_discipline */
	u32 law;		/* enum pst_law */
	u32 mode;		/* enum pst_mode */
	u32 signal;		/* enum pst_signal */
	u32 epoch;		/* changes with the law, whose flow state then starts empty */
	bool observe;		/* decide and count, but pass ACKs unchanged */
	u64 flow_interval_ns;	/* time for which a flow counts as active; > 0 */
	u32 share_by;		/* enum pst_share_by: what the host's groups are */
	u32 beyond;		/* enum pst_beyond; see pace.h */
	bool auto_rate;		/* C is measured; see pst_gateway_look() */
	bool passive;		/* by ACKs, as the queue: it is further down; with auto_rate */
	bool upstream;		/* by the data's timestamps: it is before the gateway; likewise */
	bool released;		/* with upstream: windows open again, before it observes */
	union pst_discipline_params discipline_params;
	union pst_law_params law_params;
};

/* A gateway's queue is in one place, so what it keeps of others shares memory. */
#ifdef PST_INTEGERS
#define PST_EITHER(one, other) one; other;
#else
#define PST_EITHER(one, other) union { one; other; };
#endif

struct pst_gateway_state {
	union pst_discipline_state discipline;
	struct pst_departure_rate departures;	/* by pst_gateway_look() */
	/* With passive, or with upstream. */
	PST_EITHER(struct pst_hidden_queue hidden, struct pst_upstream_queue upstream)
	union pst_law_state law;
	struct pst_flow_count count;
	u64 signals_owed;	/* early events that no ACK has carried yet */
	u64 discipline_tick_ns;	/* time of the next; 0 for none */
	u64 law_tick_ns;
	u64 apart;		/* 1: of another queue, of a told rate; its host says so */
};

struct pst_gateway_flow {
	struct pst_flow flow;
	struct pst_rtt rtt;
	struct pst_flow_use use;
	PST_EITHER(struct pst_hidden_flow hidden, struct pst_one_way one_way) /* likewise */
	union pst_law_flow law;
	u32 epoch;		/* of the configuration that `law` belongs to */
};

/* True if windows are rewritten; otherwise a gateway needs no flows. */
PST_FN bool pst_gateway_rewrites(const struct pst_gateway_config *c)
{
	return pst_law_is(c->law, PST_TRAIT_LIMITS) || c->signal == PST_SIGNAL_WINDOW;
}

PST_FN bool pst_gateway_sees_packets(const struct pst_gateway_config *c)
{
	return pst_discipline_sees_packets(c->discipline) ||
	       pst_law_is(c->law, PST_TRAIT_PACKETS);
}

/* True if ACKs wait where flows are more than segments. */
PST_FN bool pst_gateway_paces(const struct pst_gateway_config *c)
{
	return c->beyond == PST_BEYOND_PACE_ACKS && pst_gateway_rewrites(c) && !c->observe;
}

/* True if what leaves the queue is measured: it is C, or the discipline divides it. */
PST_FN bool pst_gateway_measures(const struct pst_gateway_config *c)
{
	return c->auto_rate || pst_discipline_measures(c->discipline);
}

/*
 * Hosts that never measure passively define PST_NEVER_PASSIVE, and those that always do
 * PST_ALWAYS_PASSIVE, which saves code and stack.
 */
PST_FN bool pst_gateway_is_passive(const struct pst_gateway_config *c)
{
#ifdef PST_NEVER_PASSIVE
	(void)c;
	return false;
#elif defined(PST_ALWAYS_PASSIVE)
	(void)c;
	return true;
#else
	return c->passive;
#endif
}

PST_FN bool pst_gateway_is_upstream(const struct pst_gateway_config *c)
{
#ifdef PST_NEVER_UPSTREAM
	(void)c;
	return false;
#else
	return c->upstream;
#endif
}

/* True if the queue is further down or upstream. */
PST_FN bool pst_gateway_is_elsewhere(const struct pst_gateway_config *c)
{
	return pst_gateway_is_passive(c) || pst_gateway_is_upstream(c);
}

/*
 * True if the queue of @s is not the one before the gateway, but a model beside it: windows are
 * written, although the gateway observes or does not know its own queue yet.
 */
PST_FN bool pst_gateway_is_apart(const struct pst_gateway_config *c,
				 const struct pst_gateway_state *s)
{
	return pst_gateway_is_upstream(c) && s->apart;
}

/* True if ACKs pass unchanged. */
PST_FN bool pst_gateway_observes(const struct pst_gateway_config *c,
				 const struct pst_gateway_state *s)
{
	return c->observe && !pst_gateway_is_apart(c, s);
}

/* True while the queue is elsewhere and unknown: ACKs then pass, and windows open. */
PST_FN bool pst_gateway_is_blind(const struct pst_gateway_config *c,
				 const struct pst_gateway_state *s)
{
	if (pst_gateway_is_upstream(c))
		return (c->released || !pst_upstream_is_known(&s->upstream)) && !s->apart;
	return pst_gateway_is_passive(c) && !pst_hidden_is_known(&s->hidden);
}

/* With passive or upstream, what waits elsewhere: nothing while unknown. */
PST_FN u64 pst_gateway_hidden_bytes(const struct pst_gateway_config *c,
				    const struct pst_gateway_state *s, u64 now_ns)
{
	if (pst_gateway_is_blind(c, s))
		return 0;
	if (pst_gateway_is_upstream(c))
		return pst_upstream_bytes(&s->upstream, &s->departures, now_ns);
	if (s->hidden.idle)
		return pst_hidden_beside_bytes(&s->hidden, &s->departures, now_ns);
	return pst_hidden_bytes(&s->hidden, &s->departures, now_ns);
}

/* What an ACK that passes @q is to wait behind the gateway. */
PST_FN u64 pst_gateway_ahead_ns(const struct pst_gateway_config *c, const struct pst_queue *q)
{
	return pst_gateway_is_passive(c) ? 0 : q->acks_wait_ns;
}

/*
 * With passive or upstream, what ACKs of the other direction wait in the queue elsewhere, as far as
 * that is worth telling: of a queue upstream only while no window holds it, as a short wait is less
 * than the error with which it is known; and of one further down only while windows hold it, as of
 * one that overflows a trip says too little. Else 0.
 */
PST_FN u64 pst_gateway_ack_wait_ns(const struct pst_gateway_config *c,
				   const struct pst_gateway_state *s, u64 now_ns)
{
	bool holds = !pst_gateway_observes(c, s) && !pst_gateway_is_blind(c, s);
	u64 wait_ns = 0;

	if (pst_gateway_is_upstream(c) && !holds)
		wait_ns = pst_upstream_now_ns(&s->upstream, now_ns);
	if (pst_gateway_is_passive(c) && holds)
		wait_ns = pst_mul_div(pst_min(pst_gateway_hidden_bytes(c, s, now_ns),
					      PST_MAX_BYTES),
				      PST_NS_PER_S,
				      pst_clamp(s->departures.bytes_per_s, 1, PST_MAX_BYTES));
	return pst_min(wait_ns, PST_MAX_NS);
}

/* With passive or upstream, hosts complete their view of the queue by this. */
PST_FN void pst_gateway_view_hidden(const struct pst_gateway_config *c,
				    const struct pst_gateway_state *s,
				    struct pst_queue *q)
{
	q->bytes = pst_gateway_hidden_bytes(c, s, q->now_ns);
	q->packets = 0;
	q->inferred = pst_gateway_is_passive(c) ?
			      pst_drain_may_be_path(&s->hidden.drain) :
			      pst_upstream_is_inferred(&s->upstream, q->now_ns);
	q->rate_bytes_per_s = s->departures.bytes_per_s;
}

/* Sets N in the queue's view. */
PST_FN void pst_gateway_count_flows(const struct pst_gateway_config *c,
				    struct pst_gateway_state *s,
				    struct pst_queue *q)
{
	if (!pst_law_is(c->law, PST_TRAIT_LIMITS))
		return;
	q->flows = pst_flow_count_get(&s->count, q->now_ns);
	q->flows_q16 = pst_flow_count_q16(&s->count);
	if (pst_gateway_is_passive(c))
		q->controlled_q16 = pst_max(s->count.last_q16, s->count.running_q16);
	q->others_use_q15 =
		pst_flow_count_others_use_q15(&s->count, q->rate_bytes_per_s);
	q->others_fill = c->discipline != PST_DISCIPLINE_FAIR &&
			 pst_flow_count_others_fill(&s->count);
	q->observed = pst_gateway_observes(c, s) || pst_gateway_is_blind(c, s);
	q->paced = c->beyond == PST_BEYOND_PACE_ACKS;
	q->pause_ns = pst_law_pause_ns(c->law, &s->law);
}

#endif
