/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The end of a flow, as its own ends see it: a RST counts only with the sequence number
 * that its receiver expects next (RFC 5961 section 3), a FIN once it is acknowledged and
 * no data was sent beyond it (RFC 9293 section 3.6). Data that passes afterwards shows
 * that the flow is still open.
 */
#ifndef PENSTOCK_CORE_PACKET_ENDS_H
#define PENSTOCK_CORE_PACKET_ENDS_H

#include "parse.h"
#include "flow.h"

struct pst_ends {
	u32 answered;		/* ACK number of the newest segment forward */
	u32 forward_fin;	/* number after the data sender's FIN */
	u32 reverse_fin;	/* and after the data receiver's */
	bool has_answered;
	bool has_forward_fin;
	bool has_reverse_fin;
	bool forward_done;	/* the data sender's FIN is acknowledged */
	bool reverse_done;
	bool over;
};

/* True if the RST with number @seq ends the flow. */
PST_FN bool pst_ends_reset(const struct pst_ends *e, const struct pst_flow *f,
			   bool forward, u32 seq)
{
	if (!forward)
		return e->has_answered && seq == e->answered;
	return (f->has_ack && seq == f->ack) || (f->has_sent && seq == f->sent) ||
	       (e->has_forward_fin && seq == e->forward_fin);
}

/* A segment forward, no RST. */
PST_FN void pst_ends_forward(struct pst_ends *e, const struct pst_flow *f,
			     const struct pst_segment *s)
{
	u32 end = s->seq + s->payload_bytes;

	if (s->payload_bytes && e->has_forward_fin &&
	    !pst_seq_before(end, e->forward_fin)) {
		e->has_forward_fin = false;
		e->forward_done = false;
	}
	if ((s->flags & PST_TCP_FIN) && !pst_flow_is_beyond(f, end)) {
		e->forward_fin = end + 1;
		e->has_forward_fin = true;
	}
	if (!(s->flags & PST_TCP_ACK))
		return;
	e->answered = s->ack;
	e->has_answered = true;
	if (e->has_reverse_fin && s->ack == e->reverse_fin)
		e->reverse_done = true;
}

/* A segment back, no RST; its window is at most the maximum of RFC 7323. */
PST_FN void pst_ends_reverse(struct pst_ends *e, const struct pst_segment *s)
{
	u32 end = s->seq + s->payload_bytes;

	if (s->payload_bytes && e->has_reverse_fin &&
	    !pst_seq_before(end, e->reverse_fin)) {
		e->has_reverse_fin = false;
		e->reverse_done = false;
	}
	if ((s->flags & PST_TCP_FIN) && e->has_answered &&
	    end - e->answered < 65535U << PST_MAX_SCALE) {
		e->reverse_fin = end + 1;
		e->has_reverse_fin = true;
	}
	if ((s->flags & PST_TCP_ACK) && e->has_forward_fin &&
	    s->ack == e->forward_fin)
		e->forward_done = true;
}

/* A segment that is not a SYN passes; true if it ends the flow. */
PST_FN bool pst_ends_on_segment(struct pst_ends *e, const struct pst_flow *f,
				bool forward, const struct pst_segment *s)
{
	bool was_over = e->over;

	if (s->flags & PST_TCP_RST) {
		e->over = was_over || pst_ends_reset(e, f, forward, s->seq);
		return e->over && !was_over;
	}
	if (forward)
		pst_ends_forward(e, f, s);
	else
		pst_ends_reverse(e, s);
	if (s->payload_bytes)
		e->over = false;
	if (e->forward_done && e->reverse_done)
		e->over = true;
	return e->over && !was_over;
}

#endif
