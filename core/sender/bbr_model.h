/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BBR's parameters, and its model of the path: bandwidth, round trips, least RTT.
 *
 *   BtlBw   the largest delivery rate of ten round trips
 *   RTprop  the least RTT of ten seconds
 *
 * A round ends with the ACK of data that left after it began.
 */
#ifndef PENSTOCK_CORE_SENDER_BBR_MODEL_H
#define PENSTOCK_CORE_SENDER_BBR_MODEL_H

#include "max_filter.h"
#include "sender.h"

#define PST_BBR_PARAMS(P)                                                     \
	P(high_gain_q16, PST_RATIO_Q16, PST_IS(189184), 65536, 1048576,       \
	  "gain of rate and window in STARTUP",                               \
	  "Linux: 739/256; 2/ln 2 in the draft")                              \
	P(drain_gain_q16, PST_RATIO_Q16, PST_IS(22528), 1, 65536,             \
	  "gain of the rate in DRAIN", "Linux: 88/256")                       \
	P(window_gain_q16, PST_RATIO_Q16, PST_IS(131072), 65536, 1048576,     \
	  "window in PROBE_BW, over BtlBw * RTprop", "draft, cwnd_gain") \
	P(probe_gain_q16, PST_RATIO_Q16, PST_IS(81920), 65536, 1048576,       \
	  "gain of the rate in the phase that probes for more",               \
	  "draft, pacing_gain")                                           \
	P(yield_gain_q16, PST_RATIO_Q16, PST_IS(49152), 1, 65536,             \
	  "gain of the rate in the phase after it", "draft, pacing_gain") \
	P(pacing_q16, PST_RATIO_Q16, PST_IS(64881), 1, 65536,                 \
	  "sending rate over the rate by model and gain",                     \
	  "Linux: 0.99; 1 in the draft")                                      \
	P(bandwidth_rounds, PST_COUNT, PST_IS(10), 1, 65535,                  \
	  "round trips whose largest rate is BtlBw", "draft, BtlBwFilterLen") \
	P(full_gain_q16, PST_RATIO_Q16, PST_IS(81920), 65536, 1048576,        \
	  "growth of BtlBw by which the pipe is not yet full",                \
	  "draft, BBRCheckFullPipe")                                           \
	P(full_rounds, PST_COUNT, PST_IS(3), 1, 65535,                        \
	  "rounds without that growth after which it is full",                \
	  "draft, BBRCheckFullPipe")                                           \
	P(rtt_window_ns, PST_NS, PST_IS(10000000000), 0, PST_MAX_NS,          \
	  "time after which RTprop must be measured again",                   \
	  "draft, RTpropFilterLen")                                           \
	P(probe_rtt_ns, PST_NS, PST_IS(200000000), 0, PST_MAX_NS,             \
	  "least time in PROBE_RTT; 0: never there", "draft, ProbeRTTDuration")  \
	P(least_pkts, PST_PKTS, PST_IS(4), 1, 65535,                          \
	  "least window, and that of PROBE_RTT", "draft, BBRMinPipeCwnd")    \
	P(aggregation, PST_FLAG, PST_IS(1), 0, 1,                             \
	  "room in the window for bursts of ACKs",                            \
	  "Linux 5.1; not in the draft")                                      \
	P(policer, PST_FLAG, PST_IS(1), 0, 1,                                 \
	  "sends at the long-term rate where a policer seems to drop",        \
	  "Linux; not in the draft")

#define PST_BBR_STATE(S)                                                      \
	S(mode, PST_COUNT, "STARTUP, DRAIN, PROBE_BW or PROBE_RTT")           \
	S(pacing_bytes_per_s, PST_BYTES, "rate at which it sends")            \
	S(best_bytes_per_s, PST_BYTES, "BtlBw")                               \
	S(best_at, PST_COUNT, "its round")                                    \
	S(second_bytes_per_s, PST_BYTES, "its successor")                     \
	S(second_at, PST_COUNT, "its round")                                  \
	S(third_bytes_per_s, PST_BYTES, "and the next")                       \
	S(third_at, PST_COUNT, "its round")                                   \
	S(rounds, PST_COUNT, "round trips since the connection began")        \
	S(round_end_bytes, PST_BYTES, "delivered when the round began")       \
	S(round_start, PST_FLAG, "this ACK began a round")                    \
	S(phase, PST_COUNT, "of the eight gains of PROBE_BW")                 \
	S(phase_ns, PST_TIME, "its start")                                    \
	S(min_rtt_ns, PST_NS, "RTprop; 0: not measured")                      \
	S(min_rtt_at_ns, PST_TIME, "its time")                                \
	S(seen_rtt, PST_FLAG, "the rate is from an RTT, not assumed")         \
	S(full, PST_FLAG, "STARTUP has filled the pipe")                      \
	S(full_bytes_per_s, PST_BYTES, "BtlBw when it last grew in STARTUP")  \
	S(full_rounds, PST_COUNT, "rounds since")                             \
	S(probe_end_ns, PST_TIME, "earliest end of PROBE_RTT; 0: not known")  \
	S(probe_round, PST_FLAG, "a round of PROBE_RTT is over")              \
	S(restarting, PST_FLAG, "first flight after a pause")                 \
	S(prior_bytes, PST_BYTES, "window before a recovery or PROBE_RTT")    \
	S(recovery, PST_COUNT, "state of recovery at the last ACK")           \
	S(conserving, PST_FLAG, "sends what is delivered, no more")           \
	S(epoch_ns, PST_TIME, "since when ACKs are compared with BtlBw")      \
	S(epoch_bytes, PST_BYTES, "acknowledged since")                       \
	S(extra_bytes, PST_BYTES, "most that exceeded BtlBw, newer half")     \
	S(extra_before_bytes, PST_BYTES, "and older half")                    \
	S(extra_rounds, PST_COUNT, "rounds of the newer half")                \
	S(policed, PST_FLAG, "sends at the long-term rate")                   \
	S(policer_bytes_per_s, PST_BYTES, "long-term rate; 0: none yet")      \
	S(policer_sampling, PST_FLAG, "a long-term interval is under way")    \
	S(policer_rounds, PST_COUNT, "its rounds, or those at its rate")      \
	S(policer_ns, PST_TIME, "its start")                                  \
	S(policer_total_bytes, PST_BYTES, "what had been delivered then")     \
	S(policer_lost_bytes, PST_BYTES, "and lost")                          \
	S(timed_out, PST_FLAG, "a timeout since the last ACK")

struct pst_bbr_params {
	PST_BBR_PARAMS(PST_PARAM_FIELD)
};

struct pst_bbr_state {
	PST_BBR_STATE(PST_STATE_FIELD)
};

enum pst_bbr_mode {
	PST_BBR_STARTUP,
	PST_BBR_DRAIN,
	PST_BBR_PROBE_BW,
	PST_BBR_PROBE_RTT,
};

#define PST_BBR_PHASES 8U
#define PST_BBR_INITIAL_PKTS 10U	/* window while nothing is known */

/* @bytes * gain, at most PST_MAX_BYTES. */
PST_FN u64 pst_bbr_scaled(u64 bytes, u64 gain_q16)
{
	return pst_min(pst_mul_div(bytes, gain_q16, PST_Q16_ONE), PST_MAX_BYTES);
}

/* Bytes over time, at most PST_MAX_BYTES per second. */
PST_FN u64 pst_bbr_rate_of(u64 bytes, u64 ns)
{
	return pst_min(pst_mul_div(pst_min(bytes, PST_MAX_BYTES), PST_NS_PER_S,
				   pst_clamp(ns, 1, PST_MAX_NS)),
		       PST_MAX_BYTES);
}

/* The bandwidth that rate and window follow. */
PST_FN u64 pst_bbr_bandwidth(const struct pst_bbr_state *s)
{
	return s->policed ? s->policer_bytes_per_s : s->best_bytes_per_s;
}

/* gain * bw * RTprop, rounded up; without RTprop the initial window. */
PST_FN u64 pst_bbr_bdp(const struct pst_bbr_state *s, const struct pst_sender_view *v,
		       u64 bytes_per_s, u64 gain_q16)
{
	if (!s->min_rtt_ns)
		return (u64)PST_BBR_INITIAL_PKTS * v->mss_bytes;
	return pst_min(pst_mul_div(pst_bbr_scaled(bytes_per_s, gain_q16), s->min_rtt_ns,
				   PST_NS_PER_S) + 1,
		       PST_MAX_BYTES);
}

PST_FN void pst_bbr_update_round(struct pst_bbr_state *s, const struct pst_delivery *d)
{
	PST_REQUIRE(d->prior_bytes <= d->total_bytes);
	s->round_start = d->interval_ns && d->prior_bytes >= s->round_end_bytes;
	if (!s->round_start)
		return;
	s->round_end_bytes = d->total_bytes;
	s->rounds++;
	s->conserving = 0;
}

/* A sample that the application limited counts only if it is not below the estimate. */
PST_FN void pst_bbr_update_bandwidth(const struct pst_bbr_params *p, struct pst_bbr_state *s,
				     const struct pst_delivery *d)
{
	struct pst_max_filter f = {
		s->best_bytes_per_s, s->best_at, s->second_bytes_per_s, s->second_at,
		s->third_bytes_per_s, s->third_at,
	};
	u64 sample;

	if (!d->interval_ns)
		return;
	sample = pst_bbr_rate_of(pst_sub_floor(d->total_bytes, d->prior_bytes), d->interval_ns);
	if (d->app_limited && sample < f.best)
		return;
	pst_max_filter_add(&f, p->bandwidth_rounds, s->rounds, sample);
	s->best_bytes_per_s = f.best;
	s->best_at = f.best_at;
	s->second_bytes_per_s = f.second;
	s->second_at = f.second_at;
	s->third_bytes_per_s = f.third;
	s->third_at = f.third_at;
	PST_ENSURE(s->best_bytes_per_s >= s->second_bytes_per_s);
	PST_ENSURE(s->second_bytes_per_s >= s->third_bytes_per_s);
}

/* The pipe is full when BtlBw has stopped to grow for some rounds. */
PST_FN void pst_bbr_check_full(const struct pst_bbr_params *p, struct pst_bbr_state *s,
			       const struct pst_delivery *d)
{
	PST_REQUIRE(p->full_rounds > 0);
	if (s->full || !s->round_start || d->app_limited)
		return;
	if (s->best_bytes_per_s >= pst_bbr_scaled(s->full_bytes_per_s, p->full_gain_q16)) {
		s->full_bytes_per_s = s->best_bytes_per_s;
		s->full_rounds = 0;
		return;
	}
	s->full = ++s->full_rounds >= p->full_rounds;
}

#endif
