/* SPDX-License-Identifier: GPL-2.0-only */
/* Parameters and state of BBR version 3, by the names of draft-ietf-ccwg-bbr. */
#ifndef PENSTOCK_CORE_SENDER_BBR3_TABLES_H
#define PENSTOCK_CORE_SENDER_BBR3_TABLES_H

#include "../base.h"

#define PST_BBR3_PARAMS(P)                                                          \
	P(startup_gain_q16, PST_RATIO_Q16, PST_IS(181535), 65536, 1048576,          \
	  "gain of the rate in Startup", "draft 5.3.1.1, StartupPacingGain")        \
	P(drain_gain_q16, PST_RATIO_Q16, PST_IS(32768), 1, 65536,                   \
	  "gain of the rate in Drain", "draft 5.3.2, DrainPacingGain")              \
	P(down_gain_q16, PST_RATIO_Q16, PST_IS(58982), 1, 65536,                    \
	  "gain of the rate in ProbeBW_DOWN", "draft 5.3.3.1")                      \
	P(up_gain_q16, PST_RATIO_Q16, PST_IS(81920), 65536, 1048576,                \
	  "gain of the rate in ProbeBW_UP", "draft 5.3.3.5")                        \
	P(window_gain_q16, PST_RATIO_Q16, PST_IS(131072), 65536, 1048576,           \
	  "gain of the window", "draft 5.3.1.1, DefaultCwndGain")                   \
	P(up_window_gain_q16, PST_RATIO_Q16, PST_IS(147456), 65536, 1048576,        \
	  "gain of the window in ProbeBW_UP", "draft 5.3.3.5")                      \
	P(probe_rtt_gain_q16, PST_RATIO_Q16, PST_IS(32768), 1, 65536,               \
	  "gain of the window in ProbeRTT", "draft 2.16.2, ProbeRTTCwndGain")         \
	P(pacing_q16, PST_RATIO_Q16, PST_IS(64881), 1, 65536,                       \
	  "sending rate over the rate by model and gain",                           \
	  "draft 5.6.2, PacingMarginPercent = 1")                                   \
	P(loss_thresh_q16, PST_RATIO_Q16, PST_IS(1311), 0, 65535,                   \
	  "loss rate that a probe may cause", "draft 2.8, LossThresh")              \
	P(beta_q16, PST_RATIO_Q16, PST_IS(45875), 0, 65536,                         \
	  "factor by which losses reduce a bound", "draft 2.8, Beta")               \
	P(headroom_q16, PST_RATIO_Q16, PST_IS(9830), 0, 65536,                      \
	  "part of inflight_longterm left to others", "draft 2.8, Headroom")        \
	P(full_gain_q16, PST_RATIO_Q16, PST_IS(81920), 65536, 1048576,              \
	  "growth of the delivery rate by which the pipe is not full",              \
	  "draft 5.3.1.2, CheckFullBWReached")                                      \
	P(full_rounds, PST_COUNT, PST_IS(3), 1, 65535,                              \
	  "rounds without that growth after which it is full",                      \
	  "draft 5.3.1.2, CheckFullBWReached")                                      \
	P(startup_losses, PST_COUNT, PST_IS(6), 1, 65535,                           \
	  "lost ranges in a round that end Startup",                                \
	  "draft 5.3.1.3, BBRStartupFullLossCnt")                                   \
	P(drain_rounds, PST_COUNT, PST_IS(3), 1, 65535,                             \
	  "most rounds of Drain", "draft 5.3.2, CheckDrainDone")                    \
	P(least_pkts, PST_PKTS, PST_IS(4), 1, 65535,                                \
	  "least window", "draft 2.8, MinPipeCwnd")                                 \
	P(extra_rounds, PST_COUNT, PST_IS(10), 1, 65535,                            \
	  "rounds whose bursts of ACKs the window allows for",                      \
	  "draft 2.12, ExtraAckedFilterLen")                                        \
	P(probe_wait_ns, PST_NS, PST_IS(2000000000), 0, PST_MAX_NS / 2,             \
	  "least time from one probe to the next", "draft 5.3.3.8.3, PickProbeWait") \
	P(probe_jitter_ns, PST_NS, PST_IS(1000000000), 0, PST_MAX_NS / 2,           \
	  "maximum of a random time added to it", "draft 5.3.3.8.3, PickProbeWait") \
	P(reno_rounds, PST_COUNT, PST_IS(63), 1, 65535,                             \
	  "most rounds from one probe to the next",                                 \
	  "draft 5.3.3.8.3, IsRenoCoexistenceProbeTime")                            \
	P(min_rtt_ns, PST_NS, PST_IS(10000000000), 0, PST_MAX_NS,                   \
	  "time for which min_rtt is the least RTT",                                \
	  "draft 2.16.1, MinRTTFilterLen")                                            \
	P(probe_rtt_interval_ns, PST_NS, PST_IS(5000000000), 0, PST_MAX_NS,         \
	  "time without a lower RTT after which ProbeRTT begins",                   \
	  "draft 2.16.2, ProbeRTTInterval")                                           \
	P(probe_rtt_ns, PST_NS, PST_IS(200000000), 0, PST_MAX_NS,                   \
	  "least time in ProbeRTT", "draft 2.16.2, ProbeRTTDuration")

#define PST_BBR3_STATE(S)                                                          \
	S(mode, PST_COUNT, "Startup, Drain, DOWN, CRUISE, REFILL, UP or ProbeRTT")  \
	S(pacing_bytes_per_s, PST_BYTES, "rate at which it sends")                  \
	S(bw_bytes_per_s, PST_BYTES, "bw: max_bw within the bound below")           \
	S(cycle_bytes_per_s, PST_BYTES, "max_bw of this cycle")                     \
	S(last_cycle_bytes_per_s, PST_BYTES, "and of the one before")               \
	S(bw_shortterm_bytes_per_s, PST_BYTES, "bw_shortterm")                      \
	S(bw_latest_bytes_per_s, PST_BYTES, "bw_latest")                            \
	S(latest_bytes, PST_BYTES, "inflight_latest")                               \
	S(shortterm_bytes, PST_BYTES, "inflight_shortterm")                         \
	S(longterm_bytes, PST_BYTES, "inflight_longterm")                           \
	S(rounds, PST_COUNT, "round trips since the connection began")              \
	S(delivered_bytes, PST_BYTES, "delivered until the last ACK")               \
	S(round_end_bytes, PST_BYTES, "delivered when the round began")             \
	S(round_start, PST_FLAG, "this ACK began a round")                          \
	S(loss_round_end_bytes, PST_BYTES, "delivered when the loss round began")   \
	S(loss_round_start, PST_FLAG, "this ACK ended a loss round")                \
	S(loss_in_round, PST_FLAG, "something was lost in it")                      \
	S(loss_ranges, PST_COUNT, "ranges of the stream lost in it")                \
	S(full, PST_FLAG, "full_bw_reached")                                        \
	S(full_now, PST_FLAG, "full_bw_now")                                        \
	S(full_bytes_per_s, PST_BYTES, "full_bw")                                   \
	S(full_rounds, PST_COUNT, "full_bw_count")                                  \
	S(drain_start_round, PST_COUNT, "round in which Drain began")               \
	S(acks, PST_COUNT, "ack_phase: what ACKs say of a probe")                   \
	S(probe_sample, PST_FLAG, "is_bw_probe_sample")                             \
	S(probe_too_high, PST_FLAG, "prev_probe_too_high")                          \
	S(probe_cautious, PST_FLAG, "prev_probe_precautionary")                     \
	S(up_rounds, PST_COUNT, "rounds for which inflight_longterm has grown")     \
	S(up_acked_bytes, PST_BYTES, "acknowledged since it grew")                  \
	S(up_step_bytes, PST_BYTES, "acknowledged for a segment more of it")        \
	S(rounds_since_probe, PST_COUNT, "rounds since the last probe")             \
	S(probe_wait_ns, PST_NS, "longest time until the next")                     \
	S(cycle_ns, PST_TIME, "when the cycle began")                               \
	S(min_rtt_ns, PST_NS, "min_rtt; 0: not measured")                           \
	S(min_rtt_at_ns, PST_TIME, "its time")                                      \
	S(probe_rtt_min_ns, PST_NS, "least RTT of five seconds; 0: not measured")   \
	S(probe_rtt_at_ns, PST_TIME, "its time")                                    \
	S(probe_rtt_expired, PST_FLAG, "it is older")                               \
	S(probe_rtt_end_ns, PST_TIME, "earliest end of ProbeRTT; 0: not known")     \
	S(probe_rtt_round, PST_FLAG, "a round of ProbeRTT is over")                 \
	S(restarting, PST_FLAG, "first flight after a pause")                       \
	S(seen_rtt, PST_FLAG, "the first rate is from an RTT, not assumed")         \
	S(prior_bytes, PST_BYTES, "window before a recovery or ProbeRTT")           \
	S(recovery, PST_COUNT, "state of recovery at the last ACK")                 \
	S(extra_start_ns, PST_TIME, "since when ACKs are compared with bw")         \
	S(extra_acked_bytes, PST_BYTES, "acknowledged since")                       \
	S(extra_bytes, PST_BYTES, "extra_acked: most by which they exceeded bw")    \
	S(extra_at, PST_COUNT, "its round")                                         \
	S(extra_second_bytes, PST_BYTES, "its successor")                           \
	S(extra_second_at, PST_COUNT, "its round")                                  \
	S(extra_third_bytes, PST_BYTES, "and the next")                             \
	S(extra_third_at, PST_COUNT, "its round")

struct pst_bbr3_params {
	PST_BBR3_PARAMS(PST_PARAM_FIELD)
};

struct pst_bbr3_state {
	PST_BBR3_STATE(PST_STATE_FIELD)
};

enum pst_bbr3_mode {
	PST_BBR3_STARTUP,
	PST_BBR3_DRAIN,
	PST_BBR3_DOWN,
	PST_BBR3_CRUISE,
	PST_BBR3_REFILL,
	PST_BBR3_UP,
	PST_BBR3_PROBE_RTT,
};

/* ack_phase of section 2.14. */
enum pst_bbr3_acks {
	PST_BBR3_ACKS_INIT,
	PST_BBR3_ACKS_REFILLING,
	PST_BBR3_ACKS_STARTING,
	PST_BBR3_ACKS_FEEDBACK,
	PST_BBR3_ACKS_STOPPING,
};

#define PST_BBR3_NONE PST_MAX_BYTES	/* no bound */
#define PST_BBR3_INITIAL_PKTS 10U	/* window while no RTT is known */
#define PST_BBR3_ASSUMED_RTT_NS 1000000U	/* section 5.6.2 */
#define PST_BBR3_QUANTUM_BYTES 65536U	/* section 5.6.3 */
#define PST_BBR3_QUANTUM_PER_S 1000U	/* 1 ms */
#define PST_BBR3_UP_ROUNDS 30U		/* section 5.3.3.9: its slope doubles no further */

#endif
