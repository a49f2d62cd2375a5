/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scheduler of xcp_tcp.h: of the two heads the one goes first whose transmission would end
 * earlier if its queue had a link of its weight times the rate, alone.
 *
 * S. J. Golestani: "A Self-Clocked Fair Queueing Scheme for Broadband Applications", INFOCOM
 * 1994. Only differences count, so the queue that is behind is at 0:
 *
 *   F = (what it has been sent beyond the other) + bytes / weight, the least F first
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_XCP_TCP_TURNS_H
#define PENSTOCK_CORE_DISCIPLINE_XCP_TCP_TURNS_H

#include "xcp_tcp.h"

/* @bytes over @weight_q32, which is not 0. */
PST_FN u64 pst_xcp_tcp_cost_q8_bytes(u64 bytes, u64 weight_q32)
{
	return (pst_min(bytes, 1 << 20) << 40) / weight_q32;
}

/* The queue to serve; the heads have so many bytes, and an empty queue, of at most one, 0. */
PST_FN enum pst_xcp_tcp_queue pst_xcp_tcp_select(const struct pst_xcp_tcp_state *s,
						 u32 x_head_bytes, u32 t_head_bytes)
{
	PST_REQUIRE(x_head_bytes || t_head_bytes);
	if (!x_head_bytes || !t_head_bytes)
		return x_head_bytes ? PST_XCP_TCP_X : PST_XCP_TCP_T;
	return s->x_ahead_q8_bytes + pst_xcp_tcp_cost_q8_bytes(x_head_bytes,
							       PST_Q32_ONE - s->weight_q32) <=
			       s->t_ahead_q8_bytes +
				       pst_xcp_tcp_cost_q8_bytes(t_head_bytes, s->weight_q32) ?
		       PST_XCP_TCP_X :
		       PST_XCP_TCP_T;
}

/*
 * The head of @queue, of @bytes, is sent after it waited for @waited_ns; the queues are still
 * with it. Nothing is kept for a queue that is empty.
 */
PST_FN void pst_xcp_tcp_sent(struct pst_xcp_tcp_state *s, enum pst_xcp_tcp_queue queue,
			     u32 bytes, u64 waited_ns)
{
	bool is_x = queue == PST_XCP_TCP_X;
	u64 waited_us = pst_min(waited_ns, PST_MAX_NS) / 1000;
	u64 both;

	PST_REQUIRE(s->weight_q32 && s->weight_q32 < PST_Q32_ONE);
	*(is_x ? &s->x_wait_us : &s->t_wait_us) += waited_us;
	*(is_x ? &s->x_sent_pkts : &s->t_sent_pkts) += 1;
	if (!(is_x ? s->t_queue_bytes : s->x_queue_bytes)) {
		s->x_ahead_q8_bytes = s->t_ahead_q8_bytes = 0;
		return;
	}
	if (is_x)
		s->x_ahead_q8_bytes += pst_xcp_tcp_cost_q8_bytes(bytes,
								 PST_Q32_ONE - s->weight_q32);
	else
		s->t_ahead_q8_bytes += pst_xcp_tcp_cost_q8_bytes(bytes, s->weight_q32);
	both = pst_min(s->x_ahead_q8_bytes, s->t_ahead_q8_bytes);
	s->x_ahead_q8_bytes -= both;
	s->t_ahead_q8_bytes -= both;
}

/* The verdict on @k, the head of @queue, which is about to leave. */
PST_FN enum pst_verdict pst_xcp_tcp_on_leave(const struct pst_xcp_tcp_params *p,
					     struct pst_xcp_tcp_state *s,
					     enum pst_xcp_tcp_queue queue,
					     const struct pst_queue *q,
					     const struct pst_packet *k)
{
	struct pst_xcp_params x = pst_xcp_tcp_as_xcp(p);

	return queue == PST_XCP_TCP_X ? pst_xcp_on_leave(&x, &s->xcp, q, k) : PST_PASS;
}

#endif
