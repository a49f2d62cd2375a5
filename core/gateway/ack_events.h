/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a flow at a gateway: its ACKs, and the windows that they take back. Only the
 * order of ack_parts.h and ../rewrite/window.h is here: tests/prove/ack/ proves it apart.
 */
#ifndef PENSTOCK_CORE_GATEWAY_ACK_EVENTS_H
#define PENSTOCK_CORE_GATEWAY_ACK_EVENTS_H

#include "ack_parts.h"

/*
 * A SYN without ACK passes back: the receiver opens the connection. For hosts without
 * struct pst_handshake.
 */
PST_CALL void pst_gateway_reverse_syn(struct pst_gateway_state *s, struct pst_gateway_flow *f,
				      u32 isn, const struct pst_options *syn, u64 now_ns);

/*
 * A segment with the ACK flag passes back, with the events that come before, for the same
 * hosts: a SYN has the number @isn and the options @syn, null for others.
 */
PST_CALL struct pst_rewrite pst_gateway_reverse(const struct pst_gateway_config *c,
						struct pst_gateway_state *s,
						struct pst_gateway_flow *f,
						struct pst_queue *q,
						const struct pst_ack_header *h, u32 isn,
						const struct pst_options *syn);

#ifndef PST_LINKED

/*
 * The steps of pst_gateway_ack(), for hosts that cannot have them in one function: true
 * if the law must be asked about *@a; otherwise *@out is the result.
 */
PST_FN bool pst_gateway_ack_asks(const struct pst_gateway_config *c,
				 struct pst_gateway_state *s,
				 struct pst_gateway_flow *f, u64 now_ns,
				 const struct pst_ack_header *h,
				 struct pst_ack *a, struct pst_rewrite *out)
{
	if (!h->syn)
		pst_flow_settle(&f->flow, h->ack,
				(u64)h->field << f->flow.scale);
	if (!h->syn && !pst_is_unseen(&f->flow, h))
		pst_gateway_time_ack(c, s, f, h->ack, now_ns);
	if (h->syn && pst_law_is(c->law, PST_TRAIT_OPENS) &&
	    pst_flow_opens(&f->flow, c->mode)) {
		if (pst_gateway_repeats(c, f, h, out))
			return false;
		*a = pst_gateway_ack_view(f, h);
		return true;
	}
	if (pst_is_current(&f->flow, h))
		pst_gateway_mark(f, now_ns);
	if (pst_rewrite_bypassed(&f->flow, c->mode, h, out))
		return false;
	if (pst_gateway_repeats(c, f, h, out))
		return false;
	*a = pst_gateway_ack_view(f, h);
	return true;
}

/* The result for *@a, for which pst_gateway_allowed() returned @allowed_bytes. */
PST_FN struct pst_rewrite
pst_gateway_ack_answer(const struct pst_gateway_config *c,
		       struct pst_gateway_state *s,
		       const struct pst_gateway_flow *f,
		       const struct pst_ack_header *h, const struct pst_ack *a,
		       u64 allowed_bytes)
{
	/* While the queue is not known, only R26 bounds what the receiver offers. */
	if (pst_gateway_is_blind(c, s))
		allowed_bytes = a->window_bytes;
	else if (!h->syn)
		allowed_bytes = pst_gateway_signalled(c, s, &f->flow, a, allowed_bytes);
	if (h->syn)
		return pst_rewrite_opening(&f->flow, h, allowed_bytes);
	return pst_rewrite_window(&f->flow, c->mode, h, allowed_bytes);
}

/* Records the ACK and the window sent in its place. */
PST_FN void pst_gateway_ack_done(const struct pst_gateway_config *c,
				 struct pst_gateway_flow *f, u64 now_ns,
				 const struct pst_ack_header *h,
				 const struct pst_rewrite *out)
{
	bool had_edge = f->flow.has_edge;
	u32 edge = f->flow.edge;

	pst_rewrite_commit(&f->flow, h, c->observe ? h->field : out->field);
	if (had_edge && pst_seq_after(f->flow.edge, edge))
		pst_rtt_on_grant(&f->rtt, edge, now_ns);
}

/*
 * A segment with the ACK flag passes back to the sender of the data: computes its window.
 * The host writes it, unless the configuration only observes.
 */
PST_FN struct pst_rewrite pst_gateway_ack(const struct pst_gateway_config *c,
					  struct pst_gateway_state *s,
					  struct pst_gateway_flow *f,
					  struct pst_queue *q,
					  const struct pst_ack_header *h)
{
	struct pst_rewrite out;
	struct pst_ack a;

	if (pst_gateway_ack_asks(c, s, f, q->now_ns, h, &a, &out))
		out = pst_gateway_ack_answer(c, s, f, h, &a,
					     pst_gateway_allowed(c, s, f, q, &a));
	pst_gateway_ack_done(c, f, q->now_ns, h, &out);
	return out;
}

PST_CALL void pst_gateway_reverse_syn(struct pst_gateway_state *s, struct pst_gateway_flow *f,
				      u32 isn, const struct pst_options *syn, u64 now_ns)
{
	pst_gateway_opening(&s->count, f, false, now_ns);
	pst_gateway_syn(f, false, isn, syn, now_ns);
}

PST_FLAT PST_CALL struct pst_rewrite pst_gateway_reverse(const struct pst_gateway_config *c,
						struct pst_gateway_state *s,
						struct pst_gateway_flow *f,
						struct pst_queue *q,
						const struct pst_ack_header *h, u32 isn,
						const struct pst_options *syn)
{
	struct pst_rewrite out = { h->field, PST_BY_RECEIVER };

	if (syn)
		pst_gateway_syn(f, false, isn, syn, q->now_ns);
	else
		pst_gateway_opened(f, false, q->now_ns);
	if (pst_gateway_rewrites(c))
		out = pst_gateway_ack(c, s, f, q, h);
	return out;
}

#endif /* PST_LINKED */

#endif
