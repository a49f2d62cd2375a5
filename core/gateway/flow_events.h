/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a flow at a gateway: its handshake and its data; ACKs are in passage_back.h. */
#ifndef PENSTOCK_CORE_GATEWAY_FLOW_EVENTS_H
#define PENSTOCK_CORE_GATEWAY_FLOW_EVENTS_H

#include "kind.h"
#include "port.h"

/* Windows are whole segments, of which one may wait for an ACK: 3/4 of them are all. */
#define PST_RESTRAINED_Q16 (PST_Q16_ONE * 3 / 4)

/* Another connection replaces this one. */
PST_FN void pst_gateway_forget(struct pst_gateway_flow *f)
{
	__builtin_memset(f, 0, sizeof(*f));
}

/* A SYN with number @isn passes in the direction of the data (@forward) or against it. */
PST_FN void pst_gateway_syn(struct pst_gateway_flow *f, bool forward, u32 isn,
			    const struct pst_options *o, u64 now_ns)
{
	pst_flow_on_syn(&f->flow, forward, o->scale);
	pst_flow_on_mss(&f->flow, forward, pst_options_payload(o));
	if (forward)
		pst_flow_on_isn(&f->flow, isn);
	pst_rtt_on_syn(&f->rtt, forward != f->flow.reverse_opened, now_ns);
}

/* A segment other than a SYN passes: the initiator's first one ends the handshake. */
PST_FN void pst_gateway_opened(struct pst_gateway_flow *f, bool forward,
			       u64 now_ns)
{
	if (forward != f->flow.reverse_opened)
		pst_rtt_on_third(&f->rtt, f->flow.reverse_opened, now_ns);
}

/*
 * A SYN passes, in the direction of the data (@forward) or against it. Before an answer, a
 * first flight is expected. Call it before pst_gateway_syn().
 */
PST_FN void pst_gateway_opening(struct pst_flow_count *c, struct pst_gateway_flow *f,
				bool forward, u64 now_ns)
{
	if (!(forward ? f->flow.has_reverse_syn : f->flow.has_forward_syn))
		pst_flow_count_syn(c, &f->use, now_ns);
}

/* True if data is timed: q->bytes is then read, which is expensive for some hosts. */
PST_FN bool pst_gateway_times_data(const struct pst_gateway_flow *f)
{
	return !f->rtt.probing;
}

/*
 * Uncontrolled bytes pass forward, of a flow with this @hash: not TCP, or of a bypassed
 * flow, or data that pst_gateway_data() did not accept.
 */
PST_FN void pst_gateway_other(const struct pst_gateway_config *c,
			      struct pst_gateway_state *s, u32 hash, u32 bytes,
			      u64 now_ns)
{
	if (pst_gateway_is_passive(c))
		pst_hidden_other(&s->hidden, bytes);
	if (pst_law_is(c->law, PST_TRAIT_LIMITS))
		pst_flow_count_other(&s->count, hash, bytes, now_ns);
}

/* True if the flow sends all that its window permits, or nearly: only the window limits it. */
PST_FN bool pst_gateway_restrains(const struct pst_gateway_flow *f)
{
	return f->use.window_bytes && f->use.counted_q16 >= PST_RESTRAINED_Q16;
}

/* True if a FIN at @end may be the flow's own: no data was seen behind it (R35). */
PST_FN bool pst_gateway_is_last(const struct pst_flow *f, u32 end)
{
	return f->has_sent && !pst_seq_before(end, f->sent) && !pst_flow_is_beyond(f, end);
}

/* A FIN of the flow, which is of the group @g if any, passes forward, after all its data. */
PST_FN void pst_gateway_fin(struct pst_gateway_state *s, struct pst_gateway_flow *f,
			    struct pst_flow_group *g, u64 now_ns)
{
	pst_flow_count_leave(&s->count, &f->use, g, now_ns);
}

/* A longer route is no more than so much longer, and four times. */
#define PST_NEAR_MORE_NS 100000000ULL

/* The timestamps of data up to @end, or of its SYN. Without padding, as BPF reads all of it. */
struct pst_stamps {
	u32 end;
	u32 val;
	u32 echo;
};

/* True if the timestamps of a segment that passes forward now are to be told. */
PST_FN bool pst_gateway_reads_stamps(const struct pst_gateway_config *c,
				     const struct pst_gateway_flow *f, u64 now_ns)
{
	return pst_gateway_is_upstream(c) || pst_rtt_awaits_echo(&f->rtt, now_ns);
}

/*
 * Data of @f, or its SYN, has timestamps. Hosts call this before pst_gateway_forward(), with
 * packets of @packet_bytes.
 */
PST_CALL void pst_gateway_stamp(const struct pst_gateway_config *c,
				struct pst_gateway_state *s, struct pst_gateway_flow *f,
				const struct pst_stamps *t, u64 packet_bytes, u64 now_ns);

/* The header fields of a segment that passes forward, in host byte order. */
struct pst_data_header {
	u32 seq;
	u32 payload_bytes;
	u32 segment_bytes;	/* of its last whole segment: all, but of a GSO packet */
	u8 ecn;			/* codepoint, RFC 3168 section 5 */
	bool fin;
	bool push;		/* with the last of what its sender has (RFC 9293 section 3.9.1.2) */
	bool reset;		/* its payload, if any, is text (RFC 9293 section 3.5.3) */
	/* Of a SYN, its options; else null, as where the host has struct pst_handshake. */
	const struct pst_options *syn;
};

/*
 * A segment of a flow passes forward, on its way into @q: its events, in their order.
 * Returns false as pst_gateway_data() does; the host then calls pst_gateway_other() for the
 * payload. Hosts call this before pst_port_arrive().
 */
PST_CALL bool pst_gateway_forward(struct pst_port *port, struct pst_gateway_flow *f,
				  struct pst_flow_group *group, struct pst_queue *q,
				  const struct pst_data_header *h);

#ifndef PST_LINKED

#include "../queue/upstream_stamp.h"

/* The same for hosts that look at a queue before a gateway which goes by another: @observed. */
PST_FN void pst_gateway_take_stamp(struct pst_gateway_state *s, struct pst_gateway_flow *f,
				   u32 end, u32 val, u64 packet_bytes, u64 now_ns,
				   u64 pause_ns, bool observed)
{
	struct pst_stamp t;

	if (f->flow.has_sent && !pst_seq_after(end, f->flow.sent))
		return;
	t.now_ns = now_ns;
	t.rtt_ns = pst_rtt_get(&f->rtt);
	t.packet_bytes = packet_bytes;
	t.pause_ns = pause_ns;
	t.val = val;
	t.observed = observed;
	/* Its round trip then falls to what it is now. */
	if (pst_upstream_stamp(&s->upstream, &s->departures, &f->one_way, &t) && f->rtt.near_ns)
		f->rtt.near_ns = pst_min(4 * f->rtt.near_ns + PST_NEAR_MORE_NS, PST_MAX_NS);
}

/*
 * The data may answer the timed ACK. If the host looks at all stamps, the wait that flows agree on
 * is known; else this one is looked at.
 */
PST_FN void pst_gateway_take_echo(struct pst_gateway_state *s, struct pst_gateway_flow *f,
				  const struct pst_stamps *t, u64 now_ns, bool looks)
{
	u64 wait_ns = 0;

	if (!pst_rtt_awaits_echo(&f->rtt, now_ns) || !pst_rtt_is_echo(&f->rtt, t->end, t->echo) ||
	    (f->flow.has_sent && !pst_seq_after(t->end, f->flow.sent)) ||
	    pst_flow_is_beyond(&f->flow, t->end))
		return;
	if (looks)
		wait_ns = pst_upstream_wait_ns(&s->upstream);
	if (looks || pst_upstream_alone(&s->upstream, &f->one_way, t->val, now_ns, &wait_ns))
		pst_rtt_on_echo(&f->rtt, wait_ns, now_ns);
	else
		pst_rtt_miss_echo(&f->rtt, t->end);
}

PST_CALL void pst_gateway_stamp(const struct pst_gateway_config *c,
				struct pst_gateway_state *s, struct pst_gateway_flow *f,
				const struct pst_stamps *t, u64 packet_bytes, u64 now_ns)
{
	bool upstream = pst_gateway_is_upstream(c);

	if (upstream)
		pst_gateway_take_stamp(s, f, t->end, t->val, packet_bytes, now_ns,
				       pst_law_pause_ns(c->law, &s->law), c->observe);
	pst_gateway_take_echo(s, f, t, now_ns, upstream);
}

/*
 * Data of a flow passes forward: @payload_bytes from @seq, of which the last
 * @segment_bytes are its last whole segment (all of it, except in a GSO packet), and
 * leaves the queue at @leaves_ns. @ecn is its codepoint. @group is the flow's. False if
 * it is beyond every window granted: the host then calls pst_gateway_other(), as a sender
 * that ignores its window is load that no window controls (R36).
 */
PST_FN bool pst_gateway_data(struct pst_port *port, struct pst_gateway_flow *f,
			     struct pst_flow_group *group, struct pst_queue *q,
			     u32 seq, u32 payload_bytes, u32 segment_bytes,
			     u32 ecn, u64 leaves_ns)
{
	const struct pst_gateway_config *c = PST_CONFIG(port);
	struct pst_gateway_state *s = &port->state;
	u32 end = seq + payload_bytes;
	bool sent_before = f->flow.has_sent && !pst_seq_after(end, f->flow.sent);
	bool timed_before = f->rtt.probing;

	if (!pst_flow_believes(&f->flow, seq, end))
		return false;
	if (ecn == PST_ECT1)
		f->flow.scalable = true;
	if (!pst_gateway_is_passive(c) || timed_before || pst_hidden_times(q->now_ns))
		pst_rtt_on_data(&f->rtt, &f->flow, end, leaves_ns);
	if (pst_gateway_is_passive(c)) {
		pst_hidden_sent(&s->hidden, payload_bytes, sent_before, q->now_ns);
		if (f->rtt.probing && timed_before)
			pst_hidden_follow(&s->hidden, &f->hidden);
		else if (f->rtt.probing)
			pst_hidden_mark(&s->hidden, &f->hidden);
	}
	if (sent_before)
		pst_rtt_on_again(&f->rtt, q->now_ns);
	pst_rtt_on_arrival(&f->rtt, end, q->now_ns);
	pst_flow_take_data(&f->flow, end - segment_bytes, segment_bytes);
	if (f->flow.unsaid)
		return true;
	pst_flow_count_data(&s->count, &f->flow, q->now_ns);
	pst_flow_count_use(&s->count, &f->use, group, payload_bytes,
			   sent_before, f->flow.mss_bytes,
			   pst_rtt_get(&f->rtt), q->now_ns);
	pst_law_data(c->law, &port->config.law_params, &s->law, &f->law, q, payload_bytes);
	return true;
}

/*
 * True if the sender of this segment seems to have more. PSH alone denies it only of a segment that
 * is not full: Linux without GSO, held by a small window, sends pairs that end with it.
 */
PST_FN bool pst_gateway_has_more(const struct pst_gateway_flow *f, const struct pst_data_header *h)
{
	return !h->push || (f->flow.mss_bytes && h->segment_bytes >= f->flow.mss_bytes);
}

PST_FLAT PST_CALL bool pst_gateway_forward(struct pst_port *port, struct pst_gateway_flow *f,
				  struct pst_flow_group *group, struct pst_queue *q,
				  const struct pst_data_header *h)
{
	const struct pst_gateway_config *c = PST_CONFIG(port);
	struct pst_gateway_state *s = &port->state;
	u64 leaves_ns = q->now_ns;
	bool counts = true;

	if (h->syn) {
		pst_gateway_opening(&s->count, f, true, q->now_ns);
		pst_gateway_syn(f, true, h->seq, h->syn, q->now_ns);
		return true;
	}
	pst_gateway_opened(f, true, q->now_ns);
	if (h->reset)
		return true;
	if (h->payload_bytes) {
		/* Before the data is judged: Linux 6.1 leaves no stack to keep it. */
		if (!pst_seq_before(h->seq + h->payload_bytes, f->flow.sent))
			f->flow.waits = pst_gateway_has_more(f, h);
		if (!q->phantom && !pst_gateway_is_elsewhere(c) &&
		    pst_gateway_times_data(f))
			leaves_ns = pst_rtt_departure_ns(q->now_ns, q->bytes,
							 q->rate_bytes_per_s);
		counts = pst_gateway_data(port, f, group, q, h->seq, h->payload_bytes,
					  h->segment_bytes, h->ecn, leaves_ns);
	}
	if (h->fin && counts && pst_gateway_is_last(&f->flow, h->seq + h->payload_bytes))
		pst_gateway_fin(s, f, group, q->now_ns);
	return counts && !(h->payload_bytes && f->flow.unsaid);
}

#endif /* PST_LINKED */

#endif
