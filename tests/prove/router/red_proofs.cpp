// SPDX-License-Identifier: GPL-2.0-only
// RED, RED outside a band and adaptive RED: nothing overflows, the average and the probability stay
// in their ranges, and below its least average no packet is dropped.
#include "../law/inputs.h"

#include "discipline/ared.h"
#include "discipline/red_band.h"

#include "../proof.h"

using namespace prove;

namespace {

pst_red_params any_params() {
  pst_red_params p = {};
  PST_RED_PARAMS(PENSTOCK_ANY_PARAM)
  return p;
}

pst_red_state any_state() {
  pst_red_state s = {};
  s.avg_bytes_q16 = u64::up_to("s.avg_bytes_q16", PST_MAX_BYTES << 16);
  s.count_pkts = u64::up_to("s.count_pkts", PST_RED_MAX_COUNT);
  s.empty_since_ns = u64::up_to("s.empty_since_ns", MOST_NOW_NS);
  return s;
}

void holds_ranges(const pst_red_state& s) {
  holds(s.avg_bytes_q16 <= PST_MAX_BYTES << 16, "the average is in its range");
  holds(s.count_pkts <= PST_RED_MAX_COUNT, "the count is in its range");
  holds(s.empty_since_ns <= MOST_NOW_NS, "an empty queue was seen in the past");
}

pst_queue any_random_queue() {
  pst_queue q = any_queue();
  q.random = u32::any("q.random");
  return q;
}

pst_packet any_packet() {
  pst_packet k = {};
  k.bytes = u32::up_to("k.bytes", MOST_PACKET_BYTES);
  return k;
}

pst_ared_params any_ared_params() {
  pst_ared_params p = {};
  p.red = any_params();
  PST_ARED_OWN_PARAMS(PENSTOCK_ANY_PARAM)
  return p;
}

}  // namespace

PROOF(an_arrival_keeps_the_average_of_RED_in_its_range) {
  const pst_red_params p = any_params();
  const pst_queue q = any_queue();
  pst_red_state s = any_state();
  pst_red_average(&p, &s, &q);
  holds_ranges(s);
}

PROOF(a_probability_of_RED_is_at_most_1) {
  const pst_red_params p = any_params();
  const u64 max_p_q32 = u64::up_to("max_p_q32", PST_Q32_ONE);
  const u64 avg_bytes = u64::up_to("avg_bytes", PST_MAX_BYTES);
  assume(avg_bytes >= p.min_th_bytes);
  const u64 pb_q32 = pst_red_probability_q32(&p, max_p_q32, avg_bytes);
  holds(pb_q32 <= PST_Q32_ONE, "at most 1");
  holds(avg_bytes >= p.max_th_bytes || pb_q32 <= max_p_q32, "at most max_p below max_th");
  holds(avg_bytes < p.max_th_bytes || pb_q32 >= max_p_q32, "at least max_p above it");
}

PROOF(RED_decides_in_its_ranges) {
  const pst_red_params p = any_params();
  const pst_queue q = any_random_queue();
  const pst_packet k = any_packet();
  pst_red_state s = any_state();
  const u64 avg_bytes = s.avg_bytes_q16 >> 16;
  const u64 max_p_q32 = u64::up_to("max_p_q32", PST_Q32_ONE);
  const pst_verdict verdict = pst_red_decide(&p, &s, max_p_q32, &q, &k);
  holds(verdict == PST_PASS || avg_bytes >= p.min_th_bytes, "none is dropped below min_th");
  holds(verdict != PST_DROP || avg_bytes >= p.max_th_bytes || max_p_q32 == PST_Q32_ONE,
        "none must be dropped below max_th");
  holds(verdict != PST_DROP || p.max_th_bytes > p.min_th_bytes, "one threshold marks");
  holds_ranges(s);
}

PROOF(RED_outside_a_band_passes_all_within_it) {
  const pst_red_band_params p = {any_params()};
  const pst_queue q = any_random_queue();
  const pst_packet k = any_packet();
  pst_red_band_state s = {any_state()};
  assume(q.bytes >= p.red.min_th_bytes && q.bytes < p.red.max_th_bytes);
  holds(pst_red_band_on_arrive(&p, &s, &q, &k) == PST_PASS, "it passes");
  holds_ranges(s.red);
}

PROOF(an_interval_keeps_ARED_in_its_ranges) {
  const pst_ared_params p = any_ared_params();
  const pst_queue q = any_queue();
  pst_ared_state s = {};
  s.red = any_state();
  s.max_p_q32 = u64::up_to("s.max_p_q32", PST_Q32_ONE);
  holds(pst_ared_on_tick(&p, &s, &q) == p.interval_ns, "the next step is an interval later");
  holds(s.max_p_q32 <= PST_Q32_ONE, "a probability");
}

PROOF(a_departure_keeps_RED_in_its_ranges) {
  const pst_queue q = any_queue();
  pst_red_state s = any_state();
  pst_red_left(&s, &q);
  holds_ranges(s);
}
