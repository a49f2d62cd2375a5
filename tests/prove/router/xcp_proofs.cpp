// SPDX-License-Identifier: GPL-2.0-only
// XCP's router: nothing overflows, each number of the state stays in its range, and the feedback
// of a packet only decreases.
#define PENSTOCK_PROVE_ZERO_DIVISOR
#include "../law/inputs.h"

#include "discipline/xcp.h"

#include "../proof.h"

using namespace prove;

namespace {

// Of 2^23 packets of the largest size in a control interval, and one more.
constexpr unsigned long long MOST_INPUT_BYTES = 1ULL << 40;
constexpr unsigned long long MOST_WEIGHT_Q12_US = 1ULL << 61;
constexpr unsigned long long MOST_LATER_NS = PST_XCP_MAX_RTT_US * 1000;

pst_xcp_params any_params() {
  pst_xcp_params p = {};
  PST_XCP_PARAMS(PENSTOCK_ANY_PARAM)
  p.beta_q16 = u64::up_to("p.beta_q16", PST_Q16_ONE);  // FXCP has none
  return p;
}

pst_queue a_link() {
  const pst_queue q = any_queue();
  assume(q.rate_bytes_per_s >= 1);
  return q;
}

pst_xcp_state any_state() {
  pst_xcp_state s = {};
  s.started_ns = u64::up_to("s.started_ns", MOST_NOW_NS);
  s.input_bytes = u64::up_to("s.input_bytes", MOST_INPUT_BYTES);
  s.controlled_bytes = u64::up_to("s.controlled_bytes", MOST_INPUT_BYTES);
  s.weight_q12_us = u64::up_to("s.weight_q12_us", MOST_WEIGHT_Q12_US);
  s.moment_q8_us2 = u64::up_to("s.moment_q8_us2", 2 * PST_XCP_MAX_SUM);
  s.mean_rtt_us = u64::exactly(between(1, PST_XCP_MAX_RTT_US, "s.mean_rtt_us"));
  s.flows_q12 = u64::up_to("s.flows_q12", PST_MAX_BYTES);
  s.share_bytes = u64::up_to("s.share_bytes", PST_MAX_BYTES);
  s.positive_q8_bytes = u64::up_to("s.positive_q8_bytes", PST_MAX_BYTES);
  s.negative_q8_bytes = u64::up_to("s.negative_q8_bytes", PST_MAX_BYTES);
  s.least_bytes = u64::up_to("s.least_bytes", PST_MAX_BYTES);
  s.persistent_bytes = u64::up_to("s.persistent_bytes", PST_MAX_BYTES);
  s.look_ns = u64::up_to("s.look_ns", MOST_NOW_NS + MOST_LATER_NS);
  s.dither = u64::up_to("s.dither", 0xffff);
  assume(s.controlled_bytes <= s.input_bytes);
  return s;
}

void holds_ranges(const pst_xcp_state& s) {
  holds(s.mean_rtt_us >= 1 && s.mean_rtt_us <= PST_XCP_MAX_RTT_US, "the mean RTT");
  holds(s.least_bytes <= PST_MAX_BYTES && s.persistent_bytes <= PST_MAX_BYTES, "least queues");
  holds(s.look_ns <= MOST_NOW_NS + MOST_LATER_NS, "the next look");
  holds(s.positive_q8_bytes <= PST_MAX_BYTES, "increments");
  holds(s.negative_q8_bytes <= PST_MAX_BYTES, "decrements");
  holds(s.flows_q12 <= PST_MAX_BYTES, "flows");
  holds(s.share_bytes <= PST_MAX_BYTES, "controlled bytes");
  holds(s.dither <= 0xffff, "the dither");
}

pst_feedback any_feedback() {
  pst_feedback f = {};
  f.cwnd_bytes = u32::any("f.cwnd_bytes");
  f.rtt_us = u32::any("f.rtt_us");
  f.delta_bytes = s32::any("f.delta_bytes");
  return f;
}

}  // namespace

PROOF(XCP_begins_in_its_ranges) {
  const pst_xcp_params p = any_params();
  const pst_queue q = a_link();
  pst_xcp_state s = {};
  pst_xcp_init(&p, &s, &q);
  holds_ranges(s);
}

PROOF(a_look_keeps_XCP_in_its_ranges) {
  const pst_queue q = a_link();
  pst_xcp_state s = any_state();
  pst_xcp_look(&s, &q);
  holds_ranges(s);
}

PROOF(a_packet_weighs_in_the_range_of_XCP) {
  const pst_feedback f = any_feedback();
  const u32 bytes = u32::up_to("bytes", MOST_PACKET_BYTES);
  holds(pst_xcp_weight_q12_us(&f, bytes) <= 1ULL << 36, "at most 2^36");
}

PROOF(a_packet_keeps_XCP_in_its_ranges) {
  const pst_xcp_params p = any_params();
  const pst_queue q = a_link();
  pst_xcp_state s = any_state();
  assume(s.input_bytes <= MOST_INPUT_BYTES - MOST_PACKET_BYTES);
  assume(s.controlled_bytes <= MOST_INPUT_BYTES - MOST_PACKET_BYTES);
  assume(s.weight_q12_us <= MOST_WEIGHT_Q12_US - (1ULL << 36));
  pst_feedback f = any_feedback();
  pst_packet k = {};
  k.bytes = u32::up_to("k.bytes", MOST_PACKET_BYTES);
  k.feedback = &f;
  holds(pst_xcp_on_arrive(&p, &s, &q, &k) == PST_PASS, "no packet is dropped");
  holds(s.weight_q12_us <= MOST_WEIGHT_Q12_US, "the sum of weights");
  holds(s.moment_q8_us2 <= 2 * PST_XCP_MAX_SUM, "the sum of moments");
  holds_ranges(s);
}

PROOF(an_interval_keeps_XCP_in_its_ranges) {
  const pst_xcp_params p = any_params();
  const pst_queue q = a_link();
  pst_xcp_state s = any_state();
  assume(s.started_ns <= q.now_ns);
  const u64 ns = pst_xcp_interval(&p, &s, &q, u64::any("target_bytes_per_s"));
  holds(ns >= PST_XCP_MIN_INTERVAL_NS && ns <= PST_XCP_MAX_INTERVAL_NS, "the next interval");
  holds(s.input_bytes == 0 && s.controlled_bytes == 0, "sums of bytes begin at zero");
  holds(s.weight_q12_us == 0 && s.moment_q8_us2 == 0, "and those of weights");
  holds_ranges(s);
}

PROOF(XCP_aggregates_in_its_ranges) {
  const pst_xcp_params p = any_params();
  pst_xcp_state s = any_state();
  pst_xcp_aggregate(&p, &s, u64::up_to("capacity_bytes", PST_MAX_BYTES),
                    u64::up_to("traffic_bytes", PST_MAX_BYTES));
  holds_ranges(s);
}

PROOF(a_change_of_a_window_by_XCP_is_in_its_range) {
  const pst_xcp_state s = any_state();
  const pst_feedback f = any_feedback();
  const s64 change = pst_xcp_change_q16(&s, &f, u32::up_to("bytes", MOST_PACKET_BYTES));
  holds(change >= -(1LL << 46) && change <= 1LL << 46, "2^30 bytes at most");
}

PROOF(the_feedback_of_XCP_only_decreases) {
  const pst_xcp_params p = any_params();
  const pst_queue q = a_link();
  pst_xcp_state s = any_state();
  pst_feedback f = any_feedback();
  const s32 before = f.delta_bytes;
  pst_packet k = {};
  k.bytes = u32::up_to("k.bytes", MOST_PACKET_BYTES);
  k.feedback = &f;
  holds(pst_xcp_on_leave(&p, &s, &q, &k) == PST_PASS, "no packet is dropped");
  holds(f.delta_bytes <= before, "a router lowers a request, or leaves it");
  holds(f.delta_bytes == before || f.delta_bytes >= -(1 << 30), "by 2^30 bytes at most");
  holds_ranges(s);
}
