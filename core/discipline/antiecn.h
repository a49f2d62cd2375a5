/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AntiECN: the router's part. A FIFO that leaves a bit in the header set while the link
 * has spare capacity: senders whose ACKs return it may grow faster than TCP does.
 *
 * S. Kunniyur: "AntiECN marking: a marking scheme for high bandwidth delay connections",
 * ICC 2003; nis-2004 section 2.3.2.6.4. The load is the rate of arrivals, averaged by
 * (12.20); the bit of a packet that meets a load above the threshold is cleared.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_ANTIECN_H
#define PENSTOCK_CORE_DISCIPLINE_ANTIECN_H

#include "../queue/queue.h"
#include "../math/rate.h"

#define PST_ANTIECN_TITLE "AntiECN (router)"
#define PST_ANTIECN_SOURCE "nis-2004 section 2.3.2.6.4; Kunniyur 2003"
#define PST_ANTIECN_FORMULA "window_bytes"
#define PST_ANTIECN_FEEDBACK PST_FEEDBACK_ANTIECN

#define PST_ANTIECN_PARAMS(P)                                                 \
	P(threshold_q16, PST_RATIO_Q16, PST_IS(58982), 1, PST_Q16_ONE,        \
	  "load above which the bit is cleared", "our choice: 0.9")           \
	P(average_ns, PST_NS, PST_IS(100000000), PST_RATE_MIN_AVERAGE_NS,     \
	  PST_RATE_MAX_AVERAGE_NS, "averaging time of the load",              \
	  "our choice: about the largest usual round trip")

#define PST_ANTIECN_STATE(S)                                           \
	S(arriving_bytes_per_s, PST_COUNT, "rate that arrives")        \
	S(arriving_last_ns, PST_TIME, "time of the last arrival")      \
	S(arriving_known, PST_FLAG, "there was one")

struct pst_antiecn_params {
	PST_ANTIECN_PARAMS(PST_PARAM_FIELD)
};

struct pst_antiecn_state {
	PST_ANTIECN_STATE(PST_STATE_FIELD)
};

PST_FN enum pst_verdict pst_antiecn_on_arrive(const struct pst_antiecn_params *p,
					      struct pst_antiecn_state *s,
					      const struct pst_queue *q,
					      const struct pst_packet *k)
{
	struct pst_rate arriving = { s->arriving_bytes_per_s, s->arriving_last_ns,
				     s->arriving_known };
	u64 limit = pst_mul_div(pst_min(q->rate_bytes_per_s, PST_MAX_BYTES),
				p->threshold_q16, PST_Q16_ONE);

	pst_rate_add(&arriving, k->bytes, q->now_ns, p->average_ns);
	s->arriving_bytes_per_s = arriving.bytes_per_s;
	s->arriving_last_ns = arriving.last_ns;
	s->arriving_known = arriving.known;
	if (k->feedback && arriving.bytes_per_s >= limit)
		k->feedback->label = 0;
	return PST_PASS;
}

#endif
