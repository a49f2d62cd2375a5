// SPDX-License-Identifier: GPL-2.0-only
// The laws of papers, `share` and `integral`: nothing overflows, each number of the state stays in
// its range, and no window is above the receiver's or below a segment, save where a parameter caps
// it.
#include "inputs.h"

#include "law/awm.h"
#include "law/ewa.h"
#include "law/ewt.h"
#include "law/ewt_iot.h"
#include "law/fewa.h"
#include "law/integral.h"
#include "law/rwndq.h"
#include "law/share.h"

#include "../proof.h"

using namespace prove;

namespace {

constexpr unsigned long long MOST_ALPHA_Q16 = 1ULL << 26;
constexpr unsigned long long MOST_BYTES_Q16 = PST_MAX_BYTES << 16;
constexpr unsigned long long MOST_SUM_BYTES = 1ULL << 50;

pst_queue a_limited_queue() {
  const pst_queue q = any_queue();
  assume(q.limit_bytes >= 1);
  return q;
}

// The same of a law whose windows a parameter caps.
void holds_window(const u64& window, const pst_ack& a, const u64& cap_bytes) {
  holds(window <= a.window_bytes && window <= cap_bytes, "no more than the receiver's or the cap");
  holds(window >= pst_min(pst_min(a.window_bytes, cap_bytes), a.mss_bytes), "a segment at least");
}

// What share and integral keep of a flow's part of the pipe.
template <typename State>
void holds_share(const State& s) {
  holds(s.segments_q16 <= PST_PIPE_MAX_SEGMENTS << 16, "the share is in its range");
  holds(s.rtt_ns_q16 <= PST_MAX_NS << 16, "the mean round trip is in its range");
  holds(s.credit_q16 <= 2 * PST_Q16_ONE, "the credit is less than two segments");
}

}  // namespace

PROOF(a_window_of_EWT_is_a_segment_at_least) {
  pst_ewt_params p = {};
  PST_EWT_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = a_limited_queue();
  const pst_ack a = any_law_ack();
  pst_ewt_state s = {};
  holds_window(pst_ewt_on_ack(&p, &s, &q, &a), a);
}

PROOF(a_window_of_EWT_for_IoT_is_a_segment_at_least) {
  pst_ewt_iot_params p = {};
  PST_EWT_IOT_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = a_limited_queue();
  assume(q.limit_bytes < PST_MAX_BYTES);
  const pst_ack a = any_law_ack();
  pst_ewt_iot_state s = {};
  s.free_bytes_q16 = u64::up_to("s.free_bytes_q16", MOST_BYTES_Q16);
  holds_window(pst_ewt_iot_on_ack(&p, &s, &q, &a), a);
  holds(s.free_bytes_q16 <= MOST_BYTES_Q16, "free space is in its range");
}

PROOF(a_window_of_EWA_is_a_segment_at_least) {
  pst_ewa_params p = {};
  PST_EWA_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_ewa_state s = {};
  s.segments_q16 = u64::up_to("s.segments_q16", MOST_ALPHA_Q16 << 5);
  holds_window(pst_ewa_on_ack(&p, &s, &q, &a), a, p.cap_bytes);
}

PROOF(a_measurement_keeps_EWA_in_its_ranges) {
  pst_ewa_params p = {};
  PST_EWA_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  pst_ewa_state s = {};
  s.alpha_q16 = u64::up_to("s.alpha_q16", MOST_ALPHA_Q16);
  s.mean_pkts_q16 = u64::up_to("s.mean_pkts_q16", PST_MAX_PKTS << 16);
  pst_ewa_on_tick(&p, &s, &q);
  holds(s.alpha_q16 <= MOST_ALPHA_Q16, "alpha is in its range");
  holds(s.mean_pkts_q16 <= PST_MAX_PKTS << 16, "the mean queue is in its range");
  holds(s.free_pkts <= PST_MAX_PKTS, "free packets are in their range");
  holds(s.segments_q16 <= MOST_ALPHA_Q16 << 5, "the sending window is in its range");
}

PROOF(a_window_of_FEWA_is_a_segment_at_least) {
  pst_fewa_params p = {};
  PST_FEWA_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_fewa_state s = {};
  s.segments = u64::up_to("s.segments", 1ULL << 15);
  holds_window(pst_fewa_on_ack(&p, &s, &q, &a), a, p.cap_bytes);
}

PROOF(a_queue_limit_selects_alphas_of_FEWA_in_their_ranges) {
  pst_fewa_params p = {};
  PST_FEWA_PARAMS(PENSTOCK_ANY_PARAM)
  pst_fewa_state s = {};
  pst_fewa_select(&p, &s, u64::exactly(between(1, PST_MAX_PKTS, "limit_pkts")));
#define HOLDS_ALPHA(k, ...) holds(s.alphas_##k##_q16 <= PST_FEWA_MAX_ALPHA_Q16, "alpha " #k);
  PST_FEWA_ALPHAS(HOLDS_ALPHA)
#undef HOLDS_ALPHA
}

PROOF(rules_of_FEWA_weigh_alphas_in_their_range) {
  pst_fewa_state s = {};
#define ANY_ALPHA(k, ...)                                                         \
  s.alphas_##k##_q16 = u64::up_to("s.alphas_" #k "_q16", PST_FEWA_MAX_ALPHA_Q16); \
  s.fuzzy.weights_##k##_q16 = u64::up_to("weights_" #k "_q16", 10 * PST_Q16_ONE);
  PST_FEWA_ALPHAS(ANY_ALPHA)
#undef ANY_ALPHA
  holds(pst_fewa_gravity_q16(&s) <= PST_FEWA_MAX_ALPHA_Q16, "their mean is in the range");
}

PROOF(a_window_of_AWM_is_at_most_the_receivers) {
  pst_awm_params p = {};
  PST_AWM_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_awm_state s = {};
  s.swnd_bytes_q16 = u64::up_to("s.swnd_bytes_q16", MOST_BYTES_Q16);
  holds(pst_awm_on_ack(&p, &s, &q, &a) <= a.window_bytes, "no more than the receiver's");
}

PROOF(packets_keep_AWM_in_its_ranges) {
  pst_awm_params p = {};
  PST_AWM_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  pst_awm_state s = {};
  s.swnd_bytes_q16 = u64::up_to("s.swnd_bytes_q16", MOST_BYTES_Q16);
  s.last_bytes = u64::up_to("s.last_bytes", PST_MAX_BYTES);
  pst_awm_update(&p, &s, &q);
  holds(s.swnd_bytes_q16 <= MOST_BYTES_Q16, "the suggested window is in its range");
  holds(q.observed || s.swnd_bytes_q16 >= u64(q.mss_bytes) << 16, "and a segment at least");
  holds(s.last_bytes <= PST_MAX_BYTES, "the queue is in its range");
}

PROOF(a_step_keeps_RWNDQ_in_its_ranges) {
  pst_rwndq_params p = {};
  PST_RWNDQ_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  pst_rwndq_state s = {};
  s.sum_bytes = u64::up_to("s.sum_bytes", MOST_SUM_BYTES);
  s.seen_bytes = u64::up_to("s.seen_bytes", PST_MAX_BYTES);
  s.looks = u64::up_to("s.looks", 65536);
  s.slow_start = u64::up_to("s.slow_start", 1);
  s.acked_ns = u64::up_to("s.acked_ns", MOST_NOW_NS);
  pst_rwndq_on_tick(&p, &s, &q);
  holds(s.sum_bytes <= MOST_SUM_BYTES, "the windows' sum is in its range");
  holds(s.seen_bytes <= PST_MAX_BYTES, "the queues' sum is in its range");
}

PROOF(a_window_of_RWNDQ_is_at_most_the_receivers) {
  pst_rwndq_params p = {};
  PST_RWNDQ_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_rwndq_state s = {};
  s.sum_bytes = u64::up_to("s.sum_bytes", MOST_SUM_BYTES);
  s.acked_ns = u64::up_to("s.acked_ns", MOST_NOW_NS);
  holds(pst_rwndq_on_ack(&p, &s, &q, &a) <= a.window_bytes, "no more than the receiver's");
  holds(s.sum_bytes <= MOST_SUM_BYTES, "the windows' sum is in its range");
}

LONG_PROOF(a_window_of_share_is_a_segment_at_least) {
  pst_share_params p = {};
  PST_SHARE_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_share_state s = {};
  s.rtt_ns_q16 = u64::up_to("s.rtt_ns_q16", PST_MAX_NS << 16);
  s.credit_q16 = u64::up_to("s.credit_q16", 2 * PST_Q16_ONE);
  holds_window(pst_share_on_ack(&p, &s, &q, &a), a);
  holds_share(s);
}

LONG_PROOF(a_step_keeps_integral_in_its_ranges) {
  pst_integral_params p = {};
  PST_INTEGRAL_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  pst_integral_state s = {};
  s.factor_q32 = u64::up_to("s.factor_q32", PST_INTEGRAL_MOST_FLOWS << 32);
  s.segments_q16 = u64::up_to("s.segments_q16", PST_PIPE_MAX_SEGMENTS << 16);
  s.rtt_ns_q16 = u64::up_to("s.rtt_ns_q16", PST_MAX_NS << 16);
  pst_integral_on_tick(&p, &s, &q);
  holds(s.factor_q32 <= PST_INTEGRAL_MOST_FLOWS << 32, "the correction is in its range");
}

PROOF(a_window_of_integral_is_a_segment_at_least) {
  pst_integral_params p = {};
  PST_INTEGRAL_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_integral_state s = {};
  s.factor_q32 = u64::up_to("s.factor_q32", PST_INTEGRAL_MOST_FLOWS << 32);
  s.rtt_ns_q16 = u64::up_to("s.rtt_ns_q16", PST_MAX_NS << 16);
  s.credit_q16 = u64::up_to("s.credit_q16", 2 * PST_Q16_ONE);
  holds_window(pst_integral_on_ack(&p, &s, &q, &a), a);
  holds_share(s);
}
