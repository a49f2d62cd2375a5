/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CSFQ, core-stateless fair queueing: fair shares of the link, with packets that carry
 * the rate of their flow, so that only the first router on the path keeps state per flow.
 *
 * I. Stoica, S. Shenker, H. Zhang: "Core-Stateless Fair Queueing", SIGCOMM 1998;
 * equations as in nis-2004 section 12.4:
 *
 *   label = r, the flow's rate by (12.20)            (12.21)  at the edge
 *   A, F  = rate that arrives, and that is accepted  (12.25)
 *   share = share * C / F                            (12.26)  A >= C during K_c
 *   share = largest label of the interval                     A <= C during K_c
 *   P     = max(0, 1 - share / label)                (12.27)  drop
 *   label = min(share, label)                        (12.28)
 *
 * An overflow reduces the share by one percent, an update by at most a quarter. The label
 * is in the TOS octet: a mantissa of 4 bits after a leading one, and 4 bits of exponent
 * (section 12.4.3). A packet whose octet is 0 has none: this queue is its edge.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_CSFQ_H
#define PENSTOCK_CORE_DISCIPLINE_CSFQ_H

#include "../queue/queue.h"
#include "../math/rate.h"

#define PST_CSFQ_TITLE "CSFQ, core-stateless fair queueing"
#define PST_CSFQ_SOURCE "nis-2004 section 12.4, Table F.4; Stoica et al. 1998"
#define PST_CSFQ_FORMULA "window_bytes"
#define PST_CSFQ_FEEDBACK PST_FEEDBACK_FBA

#define PST_CSFQ_PARAMS(P)                                                    \
	P(average_ns, PST_NS, PST_IS(0), 0, PST_RATE_MAX_AVERAGE_NS,          \
	  "averaging time of rates (K, K_alpha, K_c); 0: twice the drain "    \
	  "time of a full queue",                                             \
	  "nis-2004 Table F.4")                                               \
	P(unit_bps, PST_BPS, PST_IS(1000), 8, 1000000000,                     \
	  "rate of the smallest label; the largest is 63,488 times it",       \
	  "nis-2004 section 12.4.3: 1 kbit/s")                                \
	P(edge, PST_FLAG, PST_IS(0), 0, 1,                                    \
	  "label every packet here, regardless of its octet",                 \
	  "our choice; docs/methods/csfq.md")

#define PST_CSFQ_STATE(S)                                                     \
	S(share_bytes_per_s, PST_COUNT, "fair share of a flow (alpha)")       \
	S(arriving_bytes_per_s, PST_COUNT, "rate that arrives (A)")           \
	S(arriving_last_ns, PST_TIME, "time of the last arrival")             \
	S(arriving_known, PST_FLAG, "there was one")                          \
	S(accepted_bytes_per_s, PST_COUNT, "rate that is not dropped here (F)") \
	S(accepted_last_ns, PST_TIME, "time of the last packet of it")        \
	S(accepted_known, PST_FLAG, "there was one")                          \
	S(congested, PST_FLAG, "A >= C since the interval began")             \
	S(began_ns, PST_TIME, "when the interval began (K_c)")                \
	S(largest_bytes_per_s, PST_COUNT, "largest label in it")

struct pst_csfq_params {
	PST_CSFQ_PARAMS(PST_PARAM_FIELD)
};

struct pst_csfq_state {
	PST_CSFQ_STATE(PST_STATE_FIELD)
};

/* What each event finds and leaves. */
PST_FN bool pst_csfq_invariant(const struct pst_csfq_state *s)
{
	return s->share_bytes_per_s >= 1 && s->share_bytes_per_s <= PST_MAX_BYTES &&
	       s->arriving_bytes_per_s <= PST_RATE_MAX_BYTES_PER_S &&
	       s->accepted_bytes_per_s <= PST_RATE_MAX_BYTES_PER_S &&
	       s->largest_bytes_per_s <= PST_MAX_BYTES;
}

/* A label's mantissa and exponent, nis-2004 section 12.4.3. */
#define PST_CSFQ_MANTISSAS 16U
#define PST_CSFQ_EXPONENTS 16U
#define PST_CSFQ_LARGEST_LABEL (PST_CSFQ_EXPONENTS * PST_CSFQ_MANTISSAS - 1)

/* (1 + mantissa / 16) * 2^exponent units, 1 .. 2^40. */
PST_FN u64 pst_csfq_decode_bytes_per_s(u32 label, u64 unit_bps)
{
	u64 mantissa = PST_CSFQ_MANTISSAS + label % PST_CSFQ_MANTISSAS;
	u32 exponent = label / PST_CSFQ_MANTISSAS % PST_CSFQ_EXPONENTS;

	PST_REQUIRE(label <= PST_CSFQ_LARGEST_LABEL && unit_bps >= 8);
	return pst_min((mantissa << exponent) * unit_bps / (8 * PST_CSFQ_MANTISSAS),
		       PST_MAX_BYTES);
}

/* The nearest label, at least 1: an octet of 0 means no label. */
PST_FN u32 pst_csfq_encode(u64 bytes_per_s, u64 unit_bps)
{
	/* In halves of a mantissa's step, for rounding. */
	u64 halves = pst_min(bytes_per_s, PST_RATE_MAX_BYTES_PER_S) * 8 *
		     (2 * PST_CSFQ_MANTISSAS) / unit_bps;
	u64 most = 2 * PST_CSFQ_MANTISSAS - 1; /* with the leading one */
	u32 exponent = 0;
	u64 mantissa;
	u32 i;

	PST_REQUIRE(unit_bps >= 8);
	for (i = 1; i < PST_CSFQ_EXPONENTS && halves >> exponent > 2 * most + 1; i++)
		exponent++;
	mantissa = ((halves >> exponent) + 1) / 2;
	if (mantissa > most && exponent < PST_CSFQ_EXPONENTS - 1) {
		exponent++;
		mantissa = PST_CSFQ_MANTISSAS;
	}
	mantissa = pst_sub_floor(pst_min(mantissa, most), PST_CSFQ_MANTISSAS);
	PST_ENSURE(exponent < PST_CSFQ_EXPONENTS && mantissa < PST_CSFQ_MANTISSAS);
	return (u32)pst_clamp((u64)exponent * PST_CSFQ_MANTISSAS + mantissa, 1,
			      PST_CSFQ_LARGEST_LABEL);
}

/* What one update and one overflow take off the share at most, nis-2004 section 12.4. */
#define PST_CSFQ_UPDATE_PART 4
#define PST_CSFQ_OVERFLOW_PART 100

PST_FN void pst_csfq_init(const struct pst_csfq_params *p,
			  struct pst_csfq_state *s, const struct pst_queue *q)
{
	(void)p;
	s->share_bytes_per_s = pst_clamp(q->rate_bytes_per_s, 1,
					 PST_RATE_MAX_BYTES_PER_S);
	s->began_ns = q->now_ns;
	PST_ENSURE(pst_csfq_invariant(s));
}

PST_FN u64 pst_csfq_average_ns(const struct pst_csfq_params *p,
			       const struct pst_queue *q)
{
	if (p->average_ns)
		return pst_max(p->average_ns, PST_RATE_MIN_AVERAGE_NS);
	return pst_clamp(pst_mul_div(2 * pst_min(q->limit_bytes, PST_MAX_BYTES / 2),
				     PST_NS_PER_S,
				     pst_min(q->rate_bytes_per_s, PST_MAX_BYTES)),
			 PST_RATE_MIN_AVERAGE_NS, PST_RATE_MAX_AVERAGE_NS);
}

/* The rate of the packet's flow: estimated at its edge, else taken from its label. */
PST_FN u64 pst_csfq_flow_bytes_per_s(const struct pst_csfq_params *p,
				     const struct pst_queue *q,
				     const struct pst_packet *k)
{
	if (k->tos && !p->edge)
		return pst_csfq_decode_bytes_per_s(k->tos, p->unit_bps);
	if (!k->flow_rate)
		return 0;
	pst_rate_add(k->flow_rate, k->bytes, q->now_ns, pst_csfq_average_ns(p, q));
	return k->flow_rate->bytes_per_s;
}

/* (12.25), with K_alpha; also for accepted packets. */
PST_FN void pst_csfq_count(struct pst_csfq_state *s, const struct pst_queue *q,
			   const struct pst_packet *k, bool dropped, u64 average_ns)
{
	struct pst_rate arriving = { s->arriving_bytes_per_s, s->arriving_last_ns,
				     s->arriving_known };
	struct pst_rate accepted = { s->accepted_bytes_per_s, s->accepted_last_ns,
				     s->accepted_known };

	PST_REQUIRE(pst_csfq_invariant(s));
	pst_rate_add(&arriving, k->bytes, q->now_ns, average_ns);
	s->arriving_bytes_per_s = arriving.bytes_per_s;
	s->arriving_last_ns = arriving.last_ns;
	s->arriving_known = arriving.known;
	if (dropped)
		return;
	pst_rate_add(&accepted, k->bytes, q->now_ns, average_ns);
	s->accepted_bytes_per_s = accepted.bytes_per_s;
	s->accepted_last_ns = accepted.last_ns;
	s->accepted_known = accepted.known;
	PST_ENSURE(pst_csfq_invariant(s));
}

PST_FN void pst_csfq_set_share(struct pst_csfq_state *s, u64 bytes_per_s)
{
	s->share_bytes_per_s = pst_clamp(
		pst_max(bytes_per_s, s->share_bytes_per_s -
					     s->share_bytes_per_s / PST_CSFQ_UPDATE_PART), 1,
		PST_RATE_MAX_BYTES_PER_S);
}

/* (12.26), once per interval in which the link was congested throughout, or not at all. */
PST_FN void pst_csfq_update(struct pst_csfq_state *s, const struct pst_queue *q,
			    u64 label_bytes_per_s, u64 average_ns)
{
	bool congested = s->arriving_bytes_per_s >= q->rate_bytes_per_s;

	PST_REQUIRE(pst_csfq_invariant(s) && label_bytes_per_s <= PST_MAX_BYTES);
	s->largest_bytes_per_s = pst_max(s->largest_bytes_per_s, label_bytes_per_s);
	if (congested != (s->congested != 0)) {
		s->congested = congested;
	} else if (pst_sub_floor(q->now_ns, s->began_ns) < average_ns) {
		return;
	} else if (congested) {
		pst_csfq_set_share(s, pst_mul_div(s->share_bytes_per_s,
						  pst_min(q->rate_bytes_per_s,
							  PST_RATE_MAX_BYTES_PER_S),
						  pst_max(s->accepted_bytes_per_s, 1)));
	} else {
		s->share_bytes_per_s = pst_max(s->largest_bytes_per_s, 1);
	}
	s->began_ns = q->now_ns;
	s->largest_bytes_per_s = 0;
	PST_ENSURE(pst_csfq_invariant(s));
}

/* (12.27). A link that is not congested drops nothing, whatever the last share was. */
PST_FN bool pst_csfq_drops(const struct pst_csfq_state *s, u64 label_bytes_per_s,
			   u32 random)
{
	u64 above = pst_sub_floor(label_bytes_per_s, s->share_bytes_per_s);

	PST_REQUIRE(pst_csfq_invariant(s) && label_bytes_per_s <= PST_MAX_BYTES);
	return s->congested &&
	       random < pst_mul_div(above, PST_Q32_ONE, label_bytes_per_s);
}

/*
 * The rate that FBA-TCP reports to the receiver. While the link is not congested, the
 * share is the largest rate of any flow, which would keep the flow from growing: it may
 * use the spare capacity.
 */
PST_FN u64 pst_csfq_allowed_bytes_per_s(const struct pst_csfq_state *s,
					const struct pst_queue *q, u64 rate)
{
	u64 spare = pst_sub_floor(q->rate_bytes_per_s, s->arriving_bytes_per_s);

	PST_REQUIRE(pst_csfq_invariant(s));
	if (s->congested)
		return s->share_bytes_per_s;
	return pst_max(s->share_bytes_per_s, rate + spare);
}

PST_FN enum pst_verdict pst_csfq_on_arrive(const struct pst_csfq_params *p,
					   struct pst_csfq_state *s,
					   const struct pst_queue *q,
					   const struct pst_packet *k)
{
	u64 average_ns = pst_csfq_average_ns(p, q);
	u64 rate = pst_csfq_flow_bytes_per_s(p, q, k);
	bool dropped = pst_csfq_drops(s, rate, pst_queue_random(q));

	pst_csfq_count(s, q, k, dropped, average_ns);
	pst_csfq_update(s, q, rate, average_ns);
	PST_ENSURE(!dropped || rate > 0);
	if (dropped)
		return PST_DROP;
	if (k->label)
		*k->label = (u8)pst_csfq_encode(s->congested ?
							pst_min(rate, s->share_bytes_per_s) :
							rate,
						p->unit_bps);
	if (k->feedback)
		k->feedback->label = (u32)pst_min(
			k->feedback->label,
			pst_max(pst_csfq_allowed_bytes_per_s(s, q, rate) /
					PST_FBA_UNIT_BYTES_PER_S, 1));
	return PST_PASS;
}

PST_FN void pst_csfq_on_overflow(const struct pst_csfq_params *p,
				 struct pst_csfq_state *s,
				 const struct pst_queue *q,
				 const struct pst_packet *k)
{
	(void)p;
	(void)q;
	(void)k;
	s->share_bytes_per_s = pst_max(s->share_bytes_per_s -
					       s->share_bytes_per_s /
						       PST_CSFQ_OVERFLOW_PART, 1);
	PST_ENSURE(pst_csfq_invariant(s));
}

#endif
