/* SPDX-License-Identifier: GPL-2.0-only */
/* What rules spare of that which no window controls; see core/packet/rule.h. */
#ifndef PENSTOCK_GATEWAY_RULES_H
#define PENSTOCK_GATEWAY_RULES_H

#include "forward.h"

PST_FN void gw_held_key_of(const struct pst_identity *i, struct gw_held_key *key)
{
	__builtin_memcpy(key->sender, i->ends.source, sizeof(key->sender));
	__builtin_memcpy(key->receiver, i->ends.target, sizeof(key->receiver));
	key->sender_port = i->ends.source_port;
	key->receiver_port = i->ends.target_port;
	key->protocol = i->protocol;
}

/* The discipline has dropped or marked @k. All unanswered flows count as one. */
__attribute__((noinline)) int gw_note_held(struct __sk_buff *skb,
					   const struct pst_packet *k, u32 drops)
{
	struct gw_held_key key = {};
	struct gw_held fresh = {};
	struct pst_identity i = {};
	struct gw_held *h;

	if (!k)
		return 0;
	gw_identify_apart(skb, &i);
	if (!gw_is_unanswered(k))
		gw_held_key_of(&i, &key);
	h = bpf_map_lookup_elem(&held, &key);
	if (!h) {
		bpf_map_update_elem(&held, &key, &fresh, BPF_NOEXIST);
		h = bpf_map_lookup_elem(&held, &key);
	}
	if (!h)
		return 0;
	h->drops += drops;
	h->marks += !drops;
	h->bytes += k->bytes;
	h->last_ns = k->queued_ns;
	h->unanswered = gw_lacks_answers(k);
	return 0;
}

/*
 * The first rule that names the packet whose headers are in `scratch`; PST_MAX_RULES for none. A
 * global function, as in forward.h.
 */
__attribute__((noinline)) u32 gw_rule_of(u32 mark)
{
	const struct gw_config *c = gw_settings();
	struct gw_scratch *at_hand = gw_scratch();
	u32 rule;

	if (!at_hand)
		return PST_MAX_RULES;
	for (rule = 0; rule < PST_MAX_RULES; rule++) {
		if (rule >= c->rule_count)
			break;
		if (pst_rule_names(&c->rules[rule], &at_hand->identity, mark,
				   gw_config()->outside))
			return rule;
	}
	return PST_MAX_RULES;
}

/* True if the packet is within the bound of the rule, if it has one. */
PST_FN bool gw_rule_has_room(struct gw_shared *g, u32 rule, const struct pst_packet *k)
{
	u32 at = (u32)pst_opaque(rule) & (PST_MAX_RULES - 1);
	u32 part_q16 = gw_settings()->rules[at].part_q16;
	u64 rate = pst_min(gw_link_rate(gw_config(), g), PST_MAX_BYTES);

	return !part_q16 || pst_spared_fits(&g->rule_due_ns[at], rate * part_q16 >> 16,
					    k->bytes, k->queued_ns);
}

PST_FN void gw_note_spared_flow(const struct pst_identity *i, u32 rule,
				const struct pst_packet *k)
{
	struct gw_held_key key = {};
	struct gw_spared fresh = {};
	struct gw_spared *s;

	gw_held_key_of(i, &key);
	s = bpf_map_lookup_elem(&spared_flows, &key);
	if (!s) {
		bpf_map_update_elem(&spared_flows, &key, &fresh, BPF_NOEXIST);
		s = bpf_map_lookup_elem(&spared_flows, &key);
	}
	if (!s)
		return;
	s->rule = rule;
	pst_spared_add(&s->spared, k->bytes, k->queued_ns);
}

/*
 * @k, which no window controls: spared where a rule says so. All that one rule spares is one
 * flow of `fair`, which nobody can multiply. A global function, as in forward.h.
 */
__attribute__((noinline)) int gw_on_uncontrolled(struct __sk_buff *skb, struct gw_shared *g,
						 struct pst_packet *k)
{
	struct gw_scratch *at_hand = gw_scratch();
	struct pst_fair_table *t = gw_fairness();
	struct pst_spared *s;
	u32 rule;

	if (!g || !k || !t || !at_hand)
		return 0;
	at_hand->identity = (struct pst_identity){};
	gw_identify_apart(skb, &at_hand->identity);
	rule = gw_rule_of(skb->mark);
	s = bpf_map_lookup_elem(&spared, &rule);
	if (!s)
		return 0;
	if (!gw_rule_has_room(g, rule, k)) {
		s->beyond_packets++;
		return 0;
	}
	pst_spared_add(s, k->bytes, k->queued_ns);
	gw_note_spared_flow(&at_hand->identity, rule, k);
	k->kind = pst_kind_by_rule(k->kind, k->elastic);
	k->flow = pst_fair_hash(t->key ^ (rule + 1));
	k->answered = true;
	return 0;
}

#endif
