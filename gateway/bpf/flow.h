/* SPDX-License-Identifier: GPL-2.0-only */
/* Flows after their handshake: look-up, lock, end. */
#ifndef PENSTOCK_GATEWAY_FLOW_H
#define PENSTOCK_GATEWAY_FLOW_H

#include "handshake.h"
#include "queue.h"

#define GW_LOCK_TRIES 256

PST_FN void gw_key_of(const struct pst_segment *s, bool forward, u16 vlan,
		      struct gw_key *k)
{
	const u32 *sender = forward ? s->source : s->target;
	const u32 *receiver = forward ? s->target : s->source;
	int i;

	for (i = 0; i < 4; i++) {
		k->sender[i] = sender[i];
		k->receiver[i] = receiver[i];
	}
	k->sender_port = forward ? s->source_port : s->target_port;
	k->receiver_port = forward ? s->target_port : s->source_port;
	k->vlan = s->vlan ? s->vlan : vlan;
	k->zero = 0;
}

PST_FN bool gw_try_lock(struct gw_flow *f)
{
	return !__sync_val_compare_and_swap(&f->lock, 0, 1);
}

static __attribute__((noinline)) bool gw_lock_slowly(struct gw_flow *f)
{
	int i;

	if (!f)
		return false;
	for (i = 0; i < GW_LOCK_TRIES; i++)
		if (gw_try_lock(f))
			return true;
	return false;
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
 * Data must not pass unseen, as windows depend on it (R2). The next holder of the lock
 * records it.
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

/* The flow of a segment other than a SYN, or null; @f is what the map has now. */
PST_FN struct gw_flow *gw_open_flow(struct __sk_buff *skb,
				    const struct pst_segment *s,
				    struct gw_flow *f, const struct gw_key *k,
				    struct gw_counts *n, bool forward)
{
	if (f && !f->reopened)
		return f;
	if (gw_is_awaited(k) && gw_promote(skb, s, k, forward)) {
		n->value[GW_COUNT_flows_opened]++;
		f = bpf_map_lookup_elem(&flows, k);
	}
	return f;
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
