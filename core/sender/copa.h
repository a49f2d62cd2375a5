/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copa (Arun, Balakrishnan: "Copa: Practical Delay-Based Congestion Control for the
 * Internet", USENIX NSDI, 2018, section 2): keeps 1/delta of its own segments in queues.
 *
 *   d_q = RTTstanding - RTTmin         the queueing delay
 *   W / RTTstanding <= 1 / (delta d_q)     W += v / (delta W), for each segment
 *   otherwise                              W -= v / (delta W)
 *   slow start   W doubles each round trip, until the first "otherwise"
 *   v            doubles each round trip from the third in the same direction on, else 1
 *   rate         2 W / RTTstanding
 *   competing    if wanted, unless d_q was below a tenth of RTTmax - RTTmin in the last
 *                five round trips: 1/delta += 1 in each without a loss, halves with one
 *
 * RTTstanding is the least RTT of the last srtt / 2, RTTmin that of ten seconds, RTTmax the
 * largest of four round trips. max_filter.h keeps them. The own segments in queues are
 * W d_q / RTTstanding, so the condition is that these are at most 1/delta.
 */
#ifndef PENSTOCK_CORE_SENDER_COPA_H
#define PENSTOCK_CORE_SENDER_COPA_H

#include "max_filter.h"
#include "sender.h"

#define PST_COPA_TITLE "Copa"
#define PST_COPA_SOURCE "Arun and Balakrishnan 2018 section 2"

#define PST_COPA_PARAMS(P)                                                    \
	P(delta_q16, PST_RATIO_Q16, PST_IS(32768), 64, 65536,                 \
	  "delay that a unit of rate is worth (delta): 1/delta segments wait", \
	  "Arun and Balakrishnan 2018 section 2.3")                           \
	P(rtt_window_ns, PST_NS, PST_IS(10000000000), 1000000, PST_MAX_NS,    \
	  "time whose least RTT is RTTmin", "Arun and Balakrishnan 2018 section 2.1") \
	P(competitive, PST_FLAG, PST_IS(0), 0, 1,                             \
	  "raise 1/delta where the queue does not empty",                     \
	  "Arun and Balakrishnan 2018 section 2.2, with true")                \
	P(least_pkts, PST_PKTS, PST_IS(2), 1, 65535, "least window", "our choice")

#define PST_COPA_FILTER(S, name, what)                              \
	S(name##_best, PST_NS, what)                                \
	S(name##_best_at, PST_TIME, "its time")                     \
	S(name##_second, PST_NS, "its successor")                   \
	S(name##_second_at, PST_TIME, "the successor's time")       \
	S(name##_third, PST_NS, "and the next")                     \
	S(name##_third_at, PST_TIME, "the time of that")

#define PST_COPA_OWN_STATE(S)                                                 \
	S(inverse_q16, PST_RATIO_Q16, "1/delta")                              \
	S(velocity, PST_COUNT, "v")                                           \
	S(up, PST_FLAG, "direction of the window in the last round trip")     \
	S(same_rounds, PST_COUNT, "round trips in that direction")            \
	S(round_bytes, PST_BYTES, "window at the start of the round trip")    \
	S(round_end_bytes, PST_BYTES, "delivered when the round trip began")  \
	S(starting, PST_FLAG, "slow start")                                   \
	S(draining, PST_FLAG, "what slow start left in queues is not yet gone") \
	S(competing, PST_FLAG, "the queue was not nearly empty recently")    \
	S(lost, PST_FLAG, "a loss in this round trip")                        \
	S(empty_ns, PST_TIME, "when the queue was last nearly empty")         \
	S(fraction_q16, PST_BYTES, "part of a byte of the window")            \
	S(pacing_bytes_per_s, PST_BYTES, "rate at which it sends")

#define PST_COPA_STATE(S)                                                     \
	PST_COPA_FILTER(S, standing, "1000 s less RTTstanding")               \
	PST_COPA_FILTER(S, least, "1000 s less RTTmin")                       \
	PST_COPA_FILTER(S, most, "RTTmax")                                    \
	PST_COPA_OWN_STATE(S)

struct pst_copa_params {
	PST_COPA_PARAMS(PST_PARAM_FIELD)
};

struct pst_copa_state {
	struct pst_max_filter standing;
	struct pst_max_filter least;
	struct pst_max_filter most;
	PST_COPA_OWN_STATE(PST_STATE_FIELD)
};

#define PST_COPA_MOST_VELOCITY 16384U
#define PST_COPA_MOST_INVERSE_Q16 (1024 * PST_Q16_ONE)
#define PST_COPA_MOST_ACKED_BYTES (1ULL << 26)	/* at once */
#define PST_COPA_SAME_ROUNDS 3U
#define PST_COPA_EMPTY_ROUNDS 5U
#define PST_COPA_MOST_ROUNDS 4U		/* of RTTmax */
#define PST_COPA_NEARLY 10U		/* a tenth is nearly empty */
#define PST_COPA_ASSUMED_RTT_NS 1000000U

PST_FN u64 pst_copa_standing_ns(const struct pst_copa_state *s)
{
	return PST_MAX_NS - s->standing.best;
}

/* d_q; RTTmin is the least of a longer time. */
PST_FN u64 pst_copa_delay_ns(const struct pst_copa_state *s)
{
	return pst_sub_floor(s->least.best, s->standing.best);
}

/* The filter's clock never falls. */
PST_FN void pst_copa_add(struct pst_max_filter *f, u64 window_ns, u64 now_ns, u64 value_ns)
{
	PST_REQUIRE(window_ns <= PST_COPA_MOST_ROUNDS * PST_MAX_NS);
	pst_max_filter_add(f, window_ns, pst_max(now_ns, f->third_at), value_ns);
	PST_ENSURE(f->best >= f->second && f->second >= f->third);
}

PST_FN void pst_copa_measure(const struct pst_copa_params *p, struct pst_copa_state *s,
			     u64 now_ns, u64 rtt_ns, u64 srtt_ns)
{
	u64 srtt = pst_min(srtt_ns, PST_MAX_NS);
	u64 rtt = pst_min(rtt_ns, PST_MAX_NS - 1);

	pst_copa_add(&s->standing, srtt / 2, now_ns, PST_MAX_NS - rtt);
	pst_copa_add(&s->least, p->rtt_window_ns, now_ns, PST_MAX_NS - rtt);
	pst_copa_add(&s->most, PST_COPA_MOST_ROUNDS * srtt, now_ns, rtt);
}

PST_FN u64 pst_copa_default_q16(const struct pst_copa_params *p)
{
	return PST_Q32_ONE / p->delta_q16;
}

/* 2 W / RTTstanding, at most PST_MAX_BYTES per second. */
PST_FN void pst_copa_set_rate(struct pst_copa_state *s, const struct pst_cwnd *w)
{
	u64 rtt_ns = s->standing.best ? pst_copa_standing_ns(s) : PST_COPA_ASSUMED_RTT_NS;

	PST_REQUIRE(w->bytes > 0);
	s->pacing_bytes_per_s = pst_min(pst_mul_div(pst_min(2 * w->bytes, PST_MAX_BYTES),
						    PST_NS_PER_S, pst_max(rtt_ns, 1)),
					PST_MAX_BYTES);
	PST_ENSURE(s->pacing_bytes_per_s <= PST_MAX_BYTES);
}

PST_FN void pst_copa_init(const struct pst_copa_params *p, struct pst_copa_state *s,
			  const struct pst_sender_view *v, struct pst_cwnd *w)
{
	s->starting = 1;
	s->draining = 1;
	s->velocity = 1;
	s->inverse_q16 = pst_copa_default_q16(p);
	s->round_bytes = w->bytes;
	s->empty_ns = v->now_ns;
	if (v->srtt_ns)
		pst_copa_measure(p, s, v->now_ns, v->srtt_ns, v->srtt_ns);
	pst_copa_set_rate(s, w);
}

/* Default or competitive mode (section 2.2); the queue that slow start leaves is its own. */
PST_FN void pst_copa_choose(const struct pst_copa_params *p, struct pst_copa_state *s,
			    const struct pst_sender_view *v)
{
	u64 swing_ns = pst_sub_floor(s->most.best, PST_MAX_NS - s->least.best);

	if (s->draining || PST_COPA_NEARLY * pst_copa_delay_ns(s) <= swing_ns)
		s->empty_ns = v->now_ns;
	s->competing = p->competitive && pst_sub_floor(v->now_ns, s->empty_ns) >
						 PST_COPA_EMPTY_ROUNDS * v->srtt_ns;
	if (!s->competing)
		s->inverse_q16 = pst_copa_default_q16(p);
}

PST_FN void pst_copa_lose(const struct pst_copa_params *p, struct pst_copa_state *s)
{
	if (s->competing && !s->lost)
		s->inverse_q16 = pst_max(s->inverse_q16 / 2, pst_copa_default_q16(p));
	s->lost = 1;
	PST_ENSURE(s->inverse_q16 >= pst_copa_default_q16(p));
}

PST_FN void pst_copa_head(struct pst_copa_state *s, bool up)
{
	s->up = up;
	s->same_rounds = 0;
	s->velocity = 1;
}

/* A round trip is over: velocity, and 1/delta beside senders that fill queues. */
PST_FN void pst_copa_turn(struct pst_copa_state *s, const struct pst_cwnd *w)
{
	bool up = w->bytes > s->round_bytes;

	if (up != (s->up != 0))
		pst_copa_head(s, up);
	else if (++s->same_rounds >= PST_COPA_SAME_ROUNDS)
		s->velocity = pst_min(2 * s->velocity, PST_COPA_MOST_VELOCITY);
	if (s->competing && !s->lost)
		s->inverse_q16 = pst_min(s->inverse_q16 + PST_Q16_ONE,
					 PST_COPA_MOST_INVERSE_Q16);
	s->lost = 0;
	s->round_bytes = w->bytes;
	PST_ENSURE(s->velocity >= 1 && s->velocity <= PST_COPA_MOST_VELOCITY);
}

/* True if more than 1/delta segments wait. */
PST_FN bool pst_copa_exceeds(const struct pst_copa_state *s, const struct pst_sender_view *v,
			     const struct pst_cwnd *w)
{
	u64 queued_bytes = pst_mul_div(w->bytes, pst_copa_delay_ns(s),
				       pst_max(pst_copa_standing_ns(s), 1));

	return queued_bytes > (s->inverse_q16 * v->mss_bytes) >> 16;
}

/* v / (delta W) for each segment, at most all of what was acknowledged. */
PST_FN void pst_copa_step(struct pst_copa_state *s, const struct pst_sender_view *v,
			  struct pst_cwnd *w, bool down)
{
	u64 acked = pst_min(v->delivery->acked_bytes, PST_COPA_MOST_ACKED_BYTES);
	u64 window_q16 = (w->bytes << 16) + s->fraction_q16;
	u64 change_q16;

	PST_REQUIRE(w->bytes > 0 && s->velocity >= 1);
	if (s->velocity > 1 && down == (s->up != 0))
		pst_copa_head(s, !down);
	change_q16 = pst_min(pst_mul_div(s->velocity * s->inverse_q16,
					 acked * pst_min(v->mss_bytes, 16384), w->bytes),
			     acked << 16);
	if (down)
		window_q16 = pst_sub_floor(window_q16, change_q16);
	else if (v->delivery->cwnd_limited)
		window_q16 += change_q16;
	w->bytes = window_q16 >> 16;
	s->fraction_q16 = window_q16 & 0xffff;
	PST_ENSURE(s->fraction_q16 < PST_Q16_ONE);
}

PST_FN void pst_copa_on_ack(const struct pst_copa_params *p, struct pst_copa_state *s,
			    const struct pst_sender_view *v, struct pst_cwnd *w)
{
	const struct pst_delivery *d = v->delivery;
	bool down;

	if (!d)
		return;
	if (d->rtt_ns)
		pst_copa_measure(p, s, v->now_ns, d->rtt_ns, v->srtt_ns);
	pst_copa_choose(p, s, v);
	if (d->lost_bytes)
		pst_copa_lose(p, s);
	if (d->prior_bytes >= s->round_end_bytes) {
		s->round_end_bytes = d->total_bytes;
		pst_copa_turn(s, w);
	}
	PST_REQUIRE(s->velocity >= 1 && s->inverse_q16 >= pst_copa_default_q16(p));
	down = pst_copa_exceeds(s, v, w);
	if (s->starting && down) {
		s->starting = 0;
		pst_copa_head(s, false);
	}
	s->draining &= s->starting || down;
	PST_ENSURE(s->fraction_q16 < PST_Q16_ONE);
	if (!s->starting)
		pst_copa_step(s, v, w, down);
	else if (d->cwnd_limited)
		w->bytes += d->acked_bytes;
	w->bytes = pst_clamp(w->bytes, p->least_pkts * v->mss_bytes, PST_MAX_BYTES / 2);
	pst_copa_set_rate(s, w);
}

/* A loss matters in competitive mode alone, by on_ack; ssthresh is not used. */
PST_FN u64 pst_copa_on_congestion(const struct pst_copa_params *p, struct pst_copa_state *s,
				  const struct pst_sender_view *v, const struct pst_cwnd *w,
				  enum pst_congestion why)
{
	(void)p;
	(void)v;
	if (why == PST_TIMEOUT) {
		s->starting = 1;
		s->draining = 1;
		pst_copa_head(s, false);
	}
	return w->ssthresh_bytes;
}

/* Bursts of a millisecond, but at least one segment. */
PST_FN void pst_copa_pacing(const struct pst_copa_state *s, const struct pst_sender_view *v,
			    struct pst_pacing *out)
{
	PST_REQUIRE(v->mss_bytes > 0);
	out->bytes_per_s = s->pacing_bytes_per_s;
	out->burst_bytes = pst_max(pst_min(s->pacing_bytes_per_s >> 10, 65536), v->mss_bytes);
	out->restrained = false;
	PST_ENSURE(out->burst_bytes >= v->mss_bytes);
}

#endif
