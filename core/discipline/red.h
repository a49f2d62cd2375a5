/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RED, random early detection, on the queue in bytes at the arrival of a packet. Adaptive
 * RED (ared.h) shares the average and the decision.
 *
 * S. Floyd, V. Jacobson: "Random Early Detection Gateways for Congestion
 * Avoidance", 1993, section 4 and Fig. 2:
 *
 *   queue not empty   avg = (1 - wq) * avg + wq * q
 *   queue empty       avg = (1 - wq)^m * avg first, m packets could have left
 *   min <= avg < max  pb = max_p * (avg - min) / (max - min)
 *                     pa = pb / (1 - count * pb)
 *
 * S. Floyd: "Recommendation on using the 'gentle_' variant of RED", 2000:
 *
 *   max <= avg < 2 max  pb = max_p + (1 - max_p) * (avg - max) / max
 *
 * An early event is a signal; above 2 max_th, or max_th without gentle, every packet is
 * dropped, whatever the signal (RFC 3168 section 7). With max_th = min_th there is one
 * threshold, at which switches mark for DCTCP (Alizadeh et al., "Data Center TCP", 2010,
 * section 3.1): each packet above it is an early event.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_RED_H
#define PENSTOCK_CORE_DISCIPLINE_RED_H

#include "../math/average.h"
#include "../queue/queue.h"

#define PST_RED_TITLE "RED, random early detection"
#define PST_RED_SOURCE "Floyd and Jacobson 1993, section 4; Floyd 2000 (gentle)"
#define PST_RED_FORMULA "window_bytes"

#define PST_RED_PARAMS(P)                                                      \
	P(min_th_bytes, PST_BYTES, PST_OF_BUFFER(1, 12), 0, PST_MAX_BYTES,     \
	  "average queue below which nothing is dropped (min_th)",             \
	  "ewt-2019 Table 3")                                                  \
	P(max_th_bytes, PST_BYTES, PST_OF_BUFFER(1, 4), 0, PST_MAX_BYTES,      \
	  "average queue at which the drop probability is max_p (max_th)",     \
	  "ewt-2019 Table 3")                                                  \
	P(weight_q32, PST_RATIO_Q32, PST_IS(8589935), 4295, PST_Q32_ONE,       \
	  "weight of the queue seen by one packet in the average (w_q)",       \
	  "ewt-2019 Table 3")                                                  \
	P(max_p_q32, PST_RATIO_Q32, PST_IS(85899346), 0, PST_Q32_ONE,          \
	  "drop probability at max_th, before uniform spacing (max_p)",        \
	  "ewt-2019 Table 3")                                                  \
	P(gentle, PST_FLAG, PST_IS(1), 0, 1,                                   \
	  "raise the probability from max_p to 1 between max_th and "         \
	  "twice that, instead of dropping everything above max_th",          \
	  "Floyd 2000")                                                        \
	P(byte_mode, PST_FLAG, PST_IS(0), 0, 1,                                \
	  "scale the probability by packet size over segment size",            \
	  "Floyd and Jacobson 1993 section 4")

#define PST_RED_STATE(S)                                                      \
	S(avg_bytes_q16, PST_BYTES, "average queue")                          \
	S(count_pkts, PST_PKTS,                                               \
	  "packets since the last early event, for the one that comes next")   \
	S(empty_since_ns, PST_TIME, "when the queue was last found empty")

struct pst_red_params {
	PST_RED_PARAMS(PST_PARAM_FIELD)
};

struct pst_red_state {
	PST_RED_STATE(PST_STATE_FIELD)
};

/* Keeps count * pb below 2^64; uniform spacing ends long before it. */
#define PST_RED_MAX_COUNT 0x7fffffffULL

/* What each event finds and leaves. */
PST_FN bool pst_red_invariant(const struct pst_red_state *s)
{
	return s->avg_bytes_q16 <= PST_MAX_BYTES << 16 &&
	       s->count_pkts <= PST_RED_MAX_COUNT;
}

/* Segments that could have left the empty queue in @idle_ns; 0 if C is unknown. */
PST_FN u64 pst_red_idle_pkts(const struct pst_queue *q, u64 idle_ns)
{
	u64 bytes = pst_mul_div(pst_min(idle_ns, PST_MAX_NS),
				pst_min(q->rate_bytes_per_s, PST_MAX_BYTES),
				PST_NS_PER_S);

	return pst_min(bytes / pst_max(q->mss_bytes, 1), 0xffffffffU);
}

/* The average at the arrival of a packet that finds the queue @q. */
PST_FN void pst_red_average(const struct pst_red_params *p,
			    struct pst_red_state *s, const struct pst_queue *q)
{
	PST_REQUIRE(p->weight_q32 <= PST_Q32_ONE && q->bytes <= PST_MAX_BYTES);
	PST_REQUIRE(pst_red_invariant(s));
	if (!q->bytes) {
		u64 idle_ns = pst_sub_floor(q->now_ns, s->empty_since_ns);
		u64 decay_q32 = pst_power_q32(PST_Q32_ONE - p->weight_q32,
					      pst_red_idle_pkts(q, idle_ns));

		s->avg_bytes_q16 = pst_mul_q32(s->avg_bytes_q16, decay_q32);
		s->empty_since_ns = q->now_ns;
	}
	s->avg_bytes_q16 = pst_average_q16(s->avg_bytes_q16, q->bytes,
					   p->weight_q32);
	PST_ENSURE(pst_red_invariant(s));
}

/* Call this when a packet has left the queue. */
PST_FN void pst_red_left(struct pst_red_state *s, const struct pst_queue *q)
{
	if (!q->bytes)
		s->empty_since_ns = q->now_ns;
}

/* pb for @avg_bytes >= min_th; PST_Q32_ONE or more where all are dropped. */
PST_FN u64 pst_red_probability_q32(const struct pst_red_params *p,
				   u64 max_p_q32, u64 avg_bytes)
{
	PST_REQUIRE(max_p_q32 <= PST_Q32_ONE);
	PST_REQUIRE(avg_bytes >= p->min_th_bytes);
	if (avg_bytes < p->max_th_bytes)
		return pst_mul_div(max_p_q32, avg_bytes - p->min_th_bytes,
				   p->max_th_bytes - p->min_th_bytes);
	if (!p->gentle || avg_bytes >= 2 * p->max_th_bytes)
		return PST_Q32_ONE;
	return max_p_q32 + pst_mul_div(PST_Q32_ONE - max_p_q32,
				       avg_bytes - p->max_th_bytes,
				       p->max_th_bytes);
}

/*
 * True with the probability pa = pb / (1 - count * pb), which spaces drops
 * uniformly over 1 .. 1/pb packets (Floyd and Jacobson, section 7):
 * random / 2^32 < pa, without the division.
 */
PST_FN bool pst_red_hits(struct pst_red_state *s, u64 pb_q32, u32 random)
{
	u64 spread_q32 = s->count_pkts * pb_q32;

	PST_REQUIRE(pb_q32 <= PST_Q32_ONE && pst_red_invariant(s));
	s->count_pkts = pst_min(s->count_pkts + 1, PST_RED_MAX_COUNT);
	if (spread_q32 + pb_q32 < PST_Q32_ONE) {
		if (random * (PST_Q32_ONE - spread_q32) >= pb_q32 << 32)
			return false;
	}
	PST_ENSURE(pb_q32);
	s->count_pkts = 1;
	return true;
}

/* The verdict on packet @k after pst_red_average(), with @max_p_q32 in force. */
PST_FN enum pst_verdict pst_red_decide(const struct pst_red_params *p,
				       struct pst_red_state *s, u64 max_p_q32,
				       const struct pst_queue *q,
				       const struct pst_packet *k)
{
	u64 avg_bytes = s->avg_bytes_q16 >> 16;
	u64 pb_q32;

	PST_REQUIRE(pst_red_invariant(s));
	if (avg_bytes < p->min_th_bytes) {
		s->count_pkts = 0;
		return PST_PASS;
	}
	pb_q32 = pst_red_probability_q32(p, max_p_q32, avg_bytes);
	if (pb_q32 >= PST_Q32_ONE) {
		s->count_pkts = 1;
		return p->max_th_bytes > p->min_th_bytes ? PST_DROP : PST_SIGNAL;
	}
	if (p->byte_mode)
		pb_q32 = pst_min(pb_q32 * k->bytes / pst_max(q->mss_bytes, 1),
				 PST_Q32_ONE);
	if (!pst_red_hits(s, pb_q32, pst_queue_random(q)))
		return PST_PASS;
	PST_ENSURE(avg_bytes < p->max_th_bytes || p->gentle);
	return PST_SIGNAL;
}

PST_FN enum pst_verdict pst_red_on_arrive(const struct pst_red_params *p,
					  struct pst_red_state *s,
					  const struct pst_queue *q,
					  const struct pst_packet *k)
{
	pst_red_average(p, s, q);
	return pst_red_decide(p, s, p->max_p_q32, q, k);
}

PST_FN void pst_red_on_left(const struct pst_red_params *p,
			    struct pst_red_state *s, const struct pst_queue *q,
			    const struct pst_packet *k)
{
	(void)p;
	(void)k;
	pst_red_left(s, q);
}

#endif
