/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prague: DCTCP for the Internet, over queues that mark ECT(1) from a millisecond on.
 *
 * K. De Schepper, O. Tilmans, B. Briscoe, V. Goel: "Prague Congestion Control",
 * draft-briscoe-iccrg-prague-congestion-control-04, 2024, section 2, for RFC 9331:
 *
 *   a window with marks   cwnd = cwnd (1 - r alpha / 2), once
 *   an ACK without ECE    cwnd = cwnd + r^2 mss acked / cwnd
 *   loss                  cwnd / 2
 *   r = min(1, RTT / RTT_virt) once it is independent of its RTT, 1 before
 *
 * alpha (mark_fraction.h) is 1 until a mark is seen, and of at least RTT_virt. Data is ECT(1)
 * and paced over a round trip.
 */
#ifndef PENSTOCK_CORE_SENDER_PRAGUE_H
#define PENSTOCK_CORE_SENDER_PRAGUE_H

#include "growth.h"
#include "mark_fraction.h"

#define PST_PRAGUE_TITLE "Prague"
#define PST_PRAGUE_SOURCE "draft-briscoe-iccrg-prague-congestion-control-04 section 2"

#define PST_PRAGUE_OWN_PARAMS(P)                                               \
	P(virtual_rtt_ns, PST_NS, PST_IS(25000000), 0, PST_MAX_NS,             \
	  "round trip as of which it behaves on shorter ones (RTT_virt); "     \
	  "0: its own",                                                        \
	  "draft section 2.4.4; 25 ms in Linux")                               \
	P(transition_rounds, PST_COUNT, PST_IS(500), 0, PST_MAX_PKTS,          \
	  "round trips after slow start from which on it does",                \
	  "500 in Linux")

#define PST_PRAGUE_PARAMS(P)        \
	PST_SLOW_START_PARAMS(P)    \
	PST_MARK_FRACTION_PARAMS(P) \
	PST_PRAGUE_OWN_PARAMS(P)

#define PST_PRAGUE_OWN(S)                                                      \
	S(fraction_bytes_q16, PST_BYTES, "part of a byte owed to cwnd")        \
	S(averaged_ns, PST_TIME, "when alpha was last changed")                \
	S(rounds, PST_COUNT, "round trips since slow start")                   \
	S(marked, PST_FLAG, "a mark was seen")

#define PST_PRAGUE_STATE(S) PST_MARK_FRACTION_STATE(S) PST_PRAGUE_OWN(S)

struct pst_prague_params {
	PST_PRAGUE_PARAMS(PST_PARAM_FIELD)
};

struct pst_prague_state {
	struct pst_mark_fraction marks;
	PST_PRAGUE_OWN(PST_STATE_FIELD)
};

PST_FN bool pst_prague_ect1(const struct pst_prague_params *p)
{
	(void)p;
	return true;
}

PST_FN u32 pst_prague_paces(const struct pst_prague_state *s)
{
	(void)s;
	return 1;
}

PST_FN void pst_prague_init(const struct pst_prague_params *p, struct pst_prague_state *s,
			    const struct pst_sender_view *v, struct pst_cwnd *w)
{
	(void)p;
	(void)w;
	pst_mark_fraction_init(&s->marks, v, PST_Q32_ONE);
	s->averaged_ns = v->now_ns;
}

PST_FN bool pst_prague_is_independent(const struct pst_prague_params *p,
				      const struct pst_prague_state *s)
{
	return s->rounds >= p->transition_rounds;
}

/* r */
PST_FN u64 pst_prague_ratio_q16(const struct pst_prague_params *p,
				const struct pst_prague_state *s, u64 srtt_ns)
{
	if (!pst_prague_is_independent(p, s) || srtt_ns >= p->virtual_rtt_ns)
		return PST_Q16_ONE;
	return pst_mul_div(srtt_ns, PST_Q16_ONE, p->virtual_rtt_ns);
}

PST_FN void pst_prague_end_window(const struct pst_prague_params *p,
				  struct pst_prague_state *s,
				  const struct pst_sender_view *v, const struct pst_cwnd *w)
{
	if (w->bytes >= w->ssthresh_bytes && s->rounds < PST_MAX_PKTS)
		s->rounds++;
	if (pst_prague_is_independent(p, s) &&
	    pst_sub_floor(v->now_ns, s->averaged_ns) < p->virtual_rtt_ns) {
		s->marks.window_end = v->sent;
		return;
	}
	s->averaged_ns = v->now_ns;
	if (s->marked)
		pst_mark_fraction_average(&s->marks, pst_mark_fraction_take_q32(&s->marks, v),
					  p->gain_q16);
	else
		pst_mark_fraction_take_q32(&s->marks, v);
}

PST_FN void pst_prague_on_sample(const struct pst_prague_params *p,
				 struct pst_prague_state *s,
				 const struct pst_sender_view *v, struct pst_cwnd *w)
{
	bool ends = pst_mark_fraction_count(&s->marks, v);

	s->marked |= v->echoes;
	if (ends)
		pst_prague_end_window(p, s, v, w);
}

PST_FN void pst_prague_on_ack(const struct pst_prague_params *p, struct pst_prague_state *s,
			      const struct pst_sender_view *v, struct pst_cwnd *w)
{
	u64 acked = v->acked_bytes;
	u64 ratio_q16 = pst_prague_ratio_q16(p, s, v->srtt_ns);

	if (!v->cwnd_limited)
		return;
	if (w->bytes < w->ssthresh_bytes)
		acked = pst_slow_start(w, v, p->abc_limit);
	pst_grow_by_part(w, &s->fraction_bytes_q16,
			 pst_counted_bytes(w, acked) * (ratio_q16 * ratio_q16 >> 16),
			 v->mss_bytes, w->bytes);
}

PST_FN u64 pst_prague_on_congestion(const struct pst_prague_params *p,
				    struct pst_prague_state *s,
				    const struct pst_sender_view *v,
				    const struct pst_cwnd *w, enum pst_congestion why)
{
	u64 ratio_q16 = pst_prague_ratio_q16(p, s, v->srtt_ns);
	u64 cut_bytes = pst_mark_fraction_of(&s->marks, w->bytes);

	if (why != PST_ECN)
		return pst_half_of_flight(v);
	cut_bytes = pst_mul_div(cut_bytes, ratio_q16, PST_Q16_ONE);
	return pst_max(w->bytes - cut_bytes, 2ULL * v->mss_bytes);
}

#endif
