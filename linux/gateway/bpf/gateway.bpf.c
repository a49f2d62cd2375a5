/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gateway in the kernel: three programs on the clsact (or TCX) hooks of the
 * bottleneck device. They neither delay nor create packets. On egress, the discipline, if
 * any, drops or marks packets, and SCONE, if on, changes the advice in its packets. On
 * ingress, only the window field of TCP segments changes. Checksums are updated.
 */
#include "ack_wait.h"
#include "forward.h"
#include "reverse.h"
#include "rules.h"
#include "scone.h"
#include "sweep.h"

#define GW_CLOCK_MONOTONIC 1
#define GW_PASS (-1)	/* TC_ACT_UNSPEC, TCX_NEXT: others' filters see it too */
#define GW_DROP 2	/* TC_ACT_SHOT, TCX_DROP */

char LICENSE[] SEC("license") = "GPL";

/* Before a tag in the packet's bytes the kernel would take the tag for IP's header. */
PST_FN bool gw_is_plain_ip(const struct __sk_buff *skb)
{
	return skb->protocol == PST_BE16(PST_ETHERTYPE_IPV4) ||
	       skb->protocol == PST_BE16(PST_ETHERTYPE_IPV6);
}

/*
 * The discipline's verdict on a packet; true if it is a drop, which an observing gateway
 * does not carry out. A mark that the kernel cannot set, as in a tagged frame, becomes a
 * drop: RFC 3168 section 5 treats both alike.
 */
__attribute__((noinline)) int gw_carry_out(struct __sk_buff *skb,
					   const struct pst_packet *k, u32 verdict,
					   u32 observes)
{
	struct gw_counts *n = gw_counts();
	bool marks = verdict == PST_MARK;

	if (!n || !k)
		return 0;
	if (verdict == PST_SIGNAL)
		n->value[GW_COUNT_early_windows]++;
	if (verdict != PST_DROP && verdict != PST_MARK)
		return 0;
	if (marks && !observes)
		marks = gw_is_plain_ip(skb) && bpf_skb_ecn_set_ce(skb) == 1;
	if (marks)
		n->value[GW_COUNT_early_marks]++;
	else
		n->value[GW_COUNT_early_drops]++;
	gw_note_held(skb, k, !marks);
	return !marks;
}

/* Not by a pointer from above, for which Linux 6.1's limit leaves no stack. */
PST_FN void gw_count_virtual_drop(bool observes)
{
	struct gw_counts *n = gw_counts();

	if (!n)
		return;
	n->value[GW_COUNT_virtual_drops]++;
	n->value[GW_COUNT_observed_drops] += observes;
}

/* A packet of the queue is dropped, or while observing would be: what becomes of it. */
PST_FN int gw_drop(struct gw_shared *g)
{
	if (gw_is_shape(g))
		g->counts.drops++;
	return gw_observes(g) ? GW_PASS : GW_DROP;
}

/* The shape of @k; of what is no segment, its kind and flow as well. 0 without shapes. */
PST_FN u32 gw_classify(const struct gw_config *c, struct __sk_buff *skb,
		       const struct pst_segment *s, struct pst_packet *k)
{
	if (!s)
		return c->sees_packets || gw_has_shapes() ? gw_on_unparsed(skb, k) : 0;
	return gw_has_shapes() ? gw_shape_of(skb, s, true, k->queued_ns) : 0;
}

/* A packet that goes out by the queue @g, for the functions that pst_port_out() takes. */
struct gw_out {
	struct __sk_buff *skb;
	const struct pst_segment *s; /* null: it is none */
	struct gw_shared *g;
};

PST_FN enum pst_verdict gw_out_flow(void *host, struct pst_queue *q, struct pst_packet *k)
{
	const struct gw_config *c = gw_config();
	struct gw_out *o = host;

	if (c->sees_departures)
		gw_on_departures(o->g, gw_bytes_before(c, o->g, q), k->queued_ns, k);
	if (!o->s)
		gw_on_other(o->skb, o->g, k, gw_wire_bytes(o->skb));
	else if (gw_forward_tcp(o->skb, o->s, o->g, k))
		return PST_DROP;
	if (c->spares && pst_kind_by_rule(k->kind, k->elastic) == PST_KIND_BY_RULE)
		gw_on_uncontrolled(o->skb, o->g, k);
	return PST_PASS;
}

/* A drop is counted here: one that the discipline did not decide is not its own. */
PST_FN enum pst_verdict gw_out_judge(void *host, struct pst_queue *q, struct pst_packet *k)
{
	const struct gw_config *c = gw_config();
	struct gw_out *o = host;
	u32 verdict;

	if (!c->sees_packets)
		return PST_PASS;
	verdict = gw_on_arrival(c, o->g, gw_bytes_before(c, o->g, q), k);
	return verdict != PST_PASS && gw_carry_out(o->skb, k, verdict, gw_observes(o->g)) ?
		       PST_DROP :
		       PST_PASS;
}

SEC("tc")
int penstock_forward(struct __sk_buff *skb)
{
	const struct gw_config *c = gw_config();
	struct gw_shared *g = gw_shared();
	struct gw_counts *n = gw_counts();
	struct pst_segment s;
	struct pst_packet k;
	u64 queue_bytes = 0;
	struct gw_out out = { skb, 0, 0 };
	struct pst_queue *q;
	bool drops;

	if (!g || !n)
		return GW_PASS;
	n->value[GW_COUNT_forward_packets]++;
	n->value[GW_COUNT_forward_bytes] += gw_wire_bytes(skb);
	gw_note_device(c, g, skb);
	gw_packet_of(skb, gw_now_ns(), &k);
	if (gw_parse(skb, &s) == PST_PARSED_TCP)
		out.s = &s;
	/* Linux 6.1's limit leaves no stack to keep it while the headers are parsed. */
	g = gw_queue_forward(c, skb, gw_classify(c, skb, out.s, &k), k.queued_ns);
	if (!g)
		return GW_PASS;
	gw_advance(c, g, k.queued_ns);
	if (gw_is_down())
		gw_look_at_line(k.queued_ns);
	q = gw_queue_before(c, g, k.queued_ns);
	if (!q)
		return GW_PASS;
	out.g = g;
	drops = pst_port_out(&g->port, q, &k, gw_is_measured(c, g), &out, gw_out_flow,
			     gw_out_judge) == PST_DROP;
	if (drops && gw_drop(g) == GW_DROP)
		return GW_DROP;
	if (c->measures || c->sees_packets)
		queue_bytes = gw_bytes_before(c, g, q);
	if (c->scone) {
		pst_stage_advise(&g->port, gw_link_rate(c, g), k.queued_ns);
		gw_scone(skb, g, k.queued_ns);
	}
	gw_entered(c, g, queue_bytes, k.bytes);
	gw_tell_ack_wait(g, k.queued_ns);
	if (c->sees_entries)
		gw_on_accepted(g, queue_bytes, k.queued_ns, &k);
	if (!gw_is_virtual(c, g))
		return GW_PASS;
	if (!c->measures && !c->sees_packets)
		queue_bytes = gw_virtual_bytes(g, k.queued_ns);
	if (gw_virtual_enqueue(g, k.queued_ns, queue_bytes, gw_line_bytes(c, skb),
			       gw_segments(skb)))
		return GW_PASS;
	gw_count_virtual_drop(gw_observes(g));
	return gw_is_shape(g) && !drops ? gw_drop(g) : GW_PASS;
}

SEC("tc")
int penstock_reverse(struct __sk_buff *skb)
{
	struct gw_counts *n = gw_counts();
	/* For the segment, for which Linux 6.1's limit leaves no stack. */
	struct gw_scratch *at_hand = gw_scratch();
	struct pst_segment *s;
	enum pst_parsed parsed;
	u64 answered_ns;

	if (!n || !at_hand)
		return GW_PASS;
	s = &at_hand->segment;
	n->value[GW_COUNT_reverse_packets]++;
	n->value[GW_COUNT_reverse_bytes] += skb->len;
	parsed = gw_parse(skb, s);
	if (parsed != PST_PARSED_TCP) {
		gw_count_bypass(n, parsed);
		if (gw_config()->names_flows)
			gw_on_answer(skb);
		return GW_PASS;
	}
	answered_ns = gw_reverse_tcp(skb, s, n);
	if (answered_ns)
		gw_on_syn_ack(skb, s, n, answered_ns);
	return GW_PASS;
}

/* The clock of discipline and law; it rearms itself, without a process. */
static int gw_tick(void *map, u32 *key, struct gw_clock *clock)
{
	const struct gw_config *c = gw_config();
	struct gw_shared *g = gw_shared();
	struct gw_counts *n = gw_counts();
	u64 now_ns = gw_now_ns();
	struct pst_queue *q;
	u64 next_ns;

	(void)map;
	(void)key;
	if (!g || !n)
		return 0;
	q = gw_queue_found(c, g, now_ns);
	if (!q)
		return 0;
	if (gw_is_down() && c->measures)
		gw_look_at_line(now_ns);
	next_ns = pst_port_due(&g->port, q, gw_is_measured(c, g));
	g->due_ns = now_ns + next_ns;
	n->value[GW_COUNT_ticks]++;
	if (next_ns)
		bpf_timer_start(&clock->timer, next_ns, 0);
	return 0;
}

/* Runs the timer's work at once, for tests. */
SEC("tc")
int penstock_sweep(struct __sk_buff *skb)
{
	(void)skb;
	return gw_sweep_flows();
}

/* 0, or the step that failed. */
static __attribute__((noinline)) int gw_start_sweeping(void)
{
	u32 id = GW_CLOCK_SWEEP;
	struct gw_clock *clock = bpf_map_lookup_elem(&clocks, &id);

	if (!clock)
		return 4;
	bpf_timer_init(&clock->timer, &clocks, GW_CLOCK_MONOTONIC);
	bpf_timer_cancel(&clock->timer);
	if (bpf_timer_set_callback(&clock->timer, gw_sweep_tick))
		return 5;
	return bpf_timer_start(&clock->timer, GW_SWEEP_NS, 0) ? 6 : 0;
}

/* Draws the key of the flow hashes, once: whoever knew it could choose flows that collide. */
static __attribute__((noinline)) int gw_choose_key(void)
{
	struct pst_fair_table *t = gw_fairness();

	if (t && !t->key)
		t->key = (u64)bpf_get_prandom_u32() << 32 | bpf_get_prandom_u32() | 1;
	return 0;
}

/*
 * Run once by the tool, after the maps are in place and before the hooks: starts the
 * clock, takes over the settings, and initialises the gateway if the context's mark says that
 * it is new.
 */
SEC("tc")
int penstock_start(struct __sk_buff *skb)
{
	const struct gw_config *c = gw_config();
	struct gw_shared *g = gw_shared();
	u64 now_ns = gw_now_ns();
	struct gw_clock *clock;
	u64 next_ns;
	u32 id = GW_CLOCK_GATEWAY;
	int failed = gw_start_sweeping();

	clock = bpf_map_lookup_elem(&clocks, &id);
	if (failed)
		return failed;
	if (!g || !clock)
		return 1;
	gw_link_of(gw_settings(), &g->link, &g->port.config);
	if (skb->mark)
		gw_init(g, now_ns);
	gw_choose_key();
	/* What another configuration measured here is not the rate of this queue. */
	if (!c->measures)
		g->port.state.departures.seen_ns = 0;
	next_ns = pst_gateway_next_tick_ns(&g->port.state, now_ns);
	g->due_ns = now_ns + next_ns;
	bpf_timer_init(&clock->timer, &clocks, GW_CLOCK_MONOTONIC);
	bpf_timer_cancel(&clock->timer);
	if (!next_ns)
		return 0;
	if (bpf_timer_set_callback(&clock->timer, gw_tick))
		return 2;
	return bpf_timer_start(&clock->timer, next_ns, 0) ? 3 : 0;
}
