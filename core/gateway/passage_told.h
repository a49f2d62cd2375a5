/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The window in a header of the data itself, PST_FEEDBACK_WINDOW: routers lower it, the receiver
 * advertises no more, and ACKs may return on any way (nis-2004 sections 12.2.4 and 14.3.2). Its
 * sender tells how much is in flight, and its least round trip, so that a law sees what it
 * would see of an ACK:
 *
 *   acknowledged   the end of the data, less what is in flight
 *   window         what the header still allows: at first what the receiver has room for
 */
#ifndef PENSTOCK_CORE_GATEWAY_PASSAGE_TOLD_H
#define PENSTOCK_CORE_GATEWAY_PASSAGE_TOLD_H

#include "../packet/feedback.h"
#include "port.h"

/*
 * A segment of @f with the header @h, a SYN or data up to @end, leaves @q, whose state then
 * reaches the receiver as soon as can be; pst_gateway_forward() saw it enter. Lowers the window
 * in the header. The ACKs of such a flow pass.
 */
PST_CALL void pst_port_told(struct pst_port *port, struct pst_gateway_flow *f,
			    struct pst_flow_group *group, struct pst_queue *q,
			    struct pst_feedback *h, u32 end, bool syn);

#ifndef PST_LINKED

#include "allow.h"
#include "passage_back.h"

/* What the law sees of the header @h, whose ACK is then recorded. */
PST_FN struct pst_ack pst_told_view(struct pst_gateway_flow *f, const struct pst_feedback *h,
				    u32 end, bool syn)
{
	struct pst_flow *flow = &f->flow;
	u32 ack = end - h->cwnd_bytes;
	struct pst_ack a;

	a.window_bytes = h->label;
	a.rtt_ns = pst_rtt_get(&f->rtt);
	a.mss_bytes = (u32)pst_max(flow->mss_bytes, 1);
	a.granule_bytes = 1;
	a.acked_bytes = 0;
	a.flight_bytes = syn ? 0 : h->cwnd_bytes;
	a.granted_bytes = f->use.window_bytes;
	a.opens = syn;
	if (!syn) {
		if (flow->has_ack && pst_seq_after(ack, flow->ack))
			a.acked_bytes = ack - flow->ack;
		if (!flow->has_ack || pst_seq_after(ack, flow->ack))
			flow->ack = ack;
		flow->has_ack = true;
		a.flight_bytes += (u32)pst_min(a.acked_bytes, 0xffffffff - a.flight_bytes);
		f->use.fills = pst_ack_fills_window(&a);
	}
	a.acked_bytes = (u32)pst_min(a.acked_bytes, a.flight_bytes);
	a.fills = f->use.fills;
	PST_ENSURE(pst_ack_fits(&a));
	return a;
}

/*
 * The window of a header that allows @offered_bytes: at least a segment, and, but in literal mode,
 * within the ramp of R26, as an ACK's would be. The receiver never takes back what it granted.
 */
PST_FN u32 pst_told_window(struct pst_flow *f, u32 mode, u32 offered_bytes,
			   const struct pst_ack *a, u64 allowed_bytes)
{
	u64 bytes = pst_max(allowed_bytes, a->mss_bytes);

	if (mode != PST_LITERAL && f->ramp_bytes)
		bytes = pst_min(bytes, pst_max((u64)f->ramp_bytes + a->acked_bytes, a->mss_bytes));
	bytes = pst_min(bytes, offered_bytes);
	f->ramp_bytes = bytes < offered_bytes ? (u32)bytes : 0;
	return (u32)bytes;
}

PST_CALL void pst_port_told(struct pst_port *port, struct pst_gateway_flow *f,
			    struct pst_flow_group *group, struct pst_queue *q,
			    struct pst_feedback *h, u32 end, bool syn)
{
	const struct pst_gateway_config *c = PST_CONFIG(port);
	struct pst_gateway_state *s = &port->state;
	struct pst_ack a;
	u64 allowed_bytes;

	PST_REQUIRE(h->label <= PST_WINDOW_UNLIMITED);
	if (h->rtt_us)
		pst_rtt_tell(&f->rtt, (u64)h->rtt_us * 1000, q->now_ns);
	a = pst_told_view(f, h, end, syn);
	allowed_bytes = pst_stage_allow(port, f, group, q, &a);
	if (!syn)
		allowed_bytes = pst_gateway_signalled(c, s, &f->flow, &a, allowed_bytes);
	if (pst_gateway_observes(c, s) || pst_gateway_is_blind(c, s))
		return;
	h->label = pst_told_window(&f->flow, c->mode, h->label, &a, allowed_bytes);
}

#endif /* PST_LINKED */

#endif
