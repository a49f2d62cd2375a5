/* SPDX-License-Identifier: GPL-2.0-only */
/* Flows after their handshake: look-up, lock, end. */
#ifndef PENSTOCK_GATEWAY_FLOW_H
#define PENSTOCK_GATEWAY_FLOW_H

#include "handshake.h"

#define GW_LOCK_TRIES 256

PST_FN bool gw_try_lock(struct gw_flow *f)
{
	return !__sync_val_compare_and_swap(&f->lock, 0, 1);
}

struct gw_locking {
	struct gw_flow *flow;
	bool locked;
};

static long gw_try_lock_again(u32 i, struct gw_locking *l)
{
	(void)i;
	l->locked = gw_try_lock(l->flow);
	return l->locked;
}

/* A global function, as in forward.h. */
__attribute__((noinline)) int gw_lock_slowly(struct gw_flow *f)
{
	struct gw_locking l = { f, false };

	if (!f)
		return 0;
	bpf_loop(GW_LOCK_TRIES, gw_try_lock_again, &l, 0);
	return l.locked;
}

/*
 * LRU maps cannot contain a bpf_spin_lock. False if the lock is not released within any
 * plausible time: the caller then passes the packet unchanged.
 */
PST_FN bool gw_lock(struct gw_flow *f)
{
	return gw_try_lock(f) || gw_lock_slowly(f);
}

/*
 * Data must not pass unseen, as windows depend on it (R2). The next ACK records it.
 */
PST_FN void gw_miss_data(struct gw_flow *f, u32 end)
{
	if (!f->missed || pst_seq_after(end, f->missed_end))
		f->missed_end = end;
	__sync_lock_test_and_set(&f->missed, 1);
}

PST_FN void gw_take_missed(struct gw_flow *f)
{
	if (f->missed && __sync_lock_test_and_set(&f->missed, 0))
		pst_flow_on_data(&f->gateway.flow, f->missed_end, 0);
}

PST_FN void gw_unlock(struct gw_flow *f)
{
	__sync_lock_test_and_set(&f->lock, 0);
}

/*
 * True if no flow and no handshake has the key, @f being the flow found. Such a segment
 * changes no state, so its checksum does not matter.
 */
PST_FN bool gw_is_unknown(const struct pst_segment *s, const struct gw_flow *f,
			  const struct gw_key *k)
{
	return !f && !(s->flags & PST_TCP_SYN) && !gw_is_awaited(k);
}

/*
 * Which of the flows with the key's ends the segment belongs to: sets the key's contender,
 * to PST_CONTENDERS for none, and returns how many there are. A single flow has all
 * segments. A global function, as in forward.h.
 */
__attribute__((noinline)) int gw_contend(const struct pst_segment *s, struct gw_key *k,
					 int forward)
{
	const struct gw_config *c = gw_config();
	struct gw_scratch *at_hand = gw_scratch();
	struct gw_contest *found;
	struct gw_flow *f;
	u64 fit;
	u32 i;

	if (!s || !k || !at_hand)
		return 0;
	found = &at_hand->contest;
	*found = (struct gw_contest){ .chosen = PST_CONTENDERS };
	/* Linux 6.1 takes no argument of a global function for a map's key. */
	at_hand->key = *k;
	for (i = 0; i < PST_CONTENDERS; i++) {
		at_hand->key.contender = (u8)i;
		f = bpf_map_lookup_elem(&flows, &at_hand->key);
		if (!f)
			continue;
		found->count++;
		found->last = (u8)i;
		fit = pst_contest_fit(&f->gateway.flow, &f->ends,
				      gw_skip_of(c, f) == GW_CONTROLLED, f->seen_ns, s,
				      forward);
		if (fit > found->best) {
			found->best = fit;
			found->chosen = (u8)i;
		}
	}
	k->contender = found->count > 1 ? found->chosen : found->last;
	return found->count;
}

/* The same where there may be others with the same ends, or a handshake of them. */
GW_APART struct gw_flow *
gw_open_contested(struct __sk_buff *skb, const struct pst_segment *s, struct gw_key *k,
		  struct gw_counts *n, bool forward)
{
	struct gw_half_open *h;
	struct gw_flow *f;
	int count;

	if (!s || !k || !n)
		return 0;
	h = bpf_map_lookup_elem(&half_open, k);
	if (h && gw_promote(skb, s, k, h, forward)) {
		n->value[GW_COUNT_flows_opened]++;
		h = 0;
	}
	count = gw_contend(s, k, forward);
	f = bpf_map_lookup_elem(&flows, k);
	if (f && count == 1 && !h && !k->contender)
		f->contested = false;
	return f;
}

/* The flow of a segment other than a SYN, or null; @f is what the map has now. */
PST_FN struct gw_flow *gw_open_flow(struct __sk_buff *skb,
				    const struct pst_segment *s,
				    struct gw_flow *f, struct gw_key *k,
				    struct gw_counts *n, bool forward)
{
	if (f ? !f->contested : !gw_is_awaited(k))
		return f;
	return gw_open_contested(skb, s, k, n, forward);
}

/*
 * A closed flow is not removed at once: its remaining packets are still controlled, so
 * that no host can evade control by an end that its peer does not accept.
 */
PST_FN void gw_note_end(const struct pst_segment *s, struct gw_flow *f,
			struct gw_counts *n, bool forward)
{
	if (pst_ends_on_segment(&f->ends, &f->gateway.flow, forward, s))
		n->value[GW_COUNT_flows_closed]++;
}

#endif
