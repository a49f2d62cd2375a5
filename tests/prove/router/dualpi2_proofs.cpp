// SPDX-License-Identifier: GPL-2.0-only
// DualPI2: nothing overflows, its probabilities stay such, the Classic queue is owed no more than a
// few packets, and packets are dropped or marked as RFC 9332 says.
#include "../law/inputs.h"

#include "discipline/dualpi2.h"

#include "../proof.h"

using namespace prove;

namespace {

// Below the largest share, 0.9, a packet of the one queue owes nine times its bytes to the other.
constexpr unsigned long long MOST_DUE_Q16 = 10 * MOST_PACKET_BYTES << 16;

pst_dualpi2_params any_params() {
  pst_dualpi2_params p = {};
  PST_DUALPI2_PARAMS(PENSTOCK_ANY_PARAM)
  return p;
}

// Constant factors, of which linear arithmetic knows all.
pst_dualpi2_params usual_params() {
  pst_dualpi2_params p = {};
#define PENSTOCK_USUAL_PARAM(name, unit, def, min, max, help, source) \
  {                                                                   \
    const pst_default usual = def;                                    \
    p.name = usual.value;                                             \
  }
  PST_DUALPI2_PARAMS(PENSTOCK_USUAL_PARAM)
  return p;
}

pst_dualpi2_state any_state() {
  pst_dualpi2_state s = {};
  s.probability_q32 = u64::up_to("s.probability_q32", PST_Q32_ONE);
  s.delay_old_ns = u64::up_to("s.delay_old_ns", PST_MAX_NS);
  s.low_pkts = u64::up_to("s.low_pkts", PST_MAX_PKTS);
  s.classic_pkts = u64::up_to("s.classic_pkts", PST_MAX_PKTS);
  s.low_head_ns = u64::up_to("s.low_head_ns", MOST_NOW_NS);
  s.classic_head_ns = u64::up_to("s.classic_head_ns", MOST_NOW_NS);
  s.due_bytes_q16 = u64::up_to("s.due_bytes_q16", MOST_DUE_Q16);
  s.classic_sum_q32 = u64::up_to("s.classic_sum_q32", PST_Q32_ONE);
  s.low_sum_q32 = u64::up_to("s.low_sum_q32", PST_Q32_ONE);
  s.overload_sum_q32 = u64::up_to("s.overload_sum_q32", PST_Q32_ONE);
  return s;
}

pst_packet any_packet() {
  pst_packet k = {};
  k.queued_ns = u64::up_to("k.queued_ns", MOST_NOW_NS);
  k.tos = u8::any("k.tos");
  return k;
}

void holds_ranges(const pst_dualpi2_state& s) {
  holds(s.probability_q32 <= PST_Q32_ONE, "a probability");
  holds(s.delay_old_ns <= PST_MAX_NS, "a delay");
  holds(s.due_bytes_q16 <= MOST_DUE_Q16, "what the Classic queue is owed");
  holds(s.classic_sum_q32 <= PST_Q32_ONE, "the sum of Classic probabilities");
  holds(s.low_sum_q32 <= PST_Q32_ONE && s.overload_sum_q32 <= PST_Q32_ONE, "and of the others");
}

}  // namespace

PROOF(an_interval_keeps_DualPI2_in_its_ranges) {
  const pst_dualpi2_params p = any_params();
  const pst_queue q = any_queue();
  pst_dualpi2_state s = any_state();
  holds(pst_dualpi2_on_tick(&p, &s, &q) == p.interval_ns, "the next step is an interval later");
  holds_ranges(s);
}

PROOF(a_long_delay_raises_DualPI2_and_a_short_one_lowers_it) {
  const pst_dualpi2_params p = usual_params();
  const pst_queue q = any_queue();
  pst_dualpi2_state s = any_state();
  const pst_dualpi2_state before = s;
  pst_dualpi2_on_tick(&p, &s, &q);
  const Bool below = s.delay_old_ns <= p.target_ns && s.delay_old_ns <= before.delay_old_ns;
  const Bool above = s.delay_old_ns >= p.target_ns && s.delay_old_ns >= before.delay_old_ns;
  holds(!below || s.probability_q32 <= before.probability_q32, "a short delay never raises it");
  holds(!above || s.probability_q32 >= before.probability_q32, "nor does a long one lower it");
}

PROOF(DualPI2_serves_a_queue_that_has_a_packet) {
  const pst_dualpi2_params p = any_params();
  pst_dualpi2_state s = any_state();
  const u32 head_bytes = u32::up_to("head_bytes", MOST_PACKET_BYTES);
  assume(s.low_pkts >= 1 || s.classic_pkts >= 1);
  const pst_dual_queue queue = pst_dualpi2_select(&s, head_bytes);
  const u64& pkts = queue == PST_DUAL_LOW ? s.low_pkts : s.classic_pkts;
  holds(pkts >= 1, "it has one");
  (queue == PST_DUAL_LOW ? s.low_pkts : s.classic_pkts) -= 1;
  // A packet that is dropped is not sent.
  if (Bool::any("sent")) {
    pst_dualpi2_sent(&p, &s, queue, u32::up_to("bytes", MOST_PACKET_BYTES));
    holds(s.classic_pkts >= 1 || s.due_bytes_q16 == 0, "an empty queue is owed nothing");
  }
  holds_ranges(s);
}

PROOF(the_probabilities_of_DualPI2_are_coupled) {
  const pst_dualpi2_params p = any_params();
  const pst_dualpi2_state s = any_state();
  const u64 classic_q32 = pst_dualpi2_classic_q32(&s);
  const u64 coupled_q32 = pst_dualpi2_coupled_q32(&p, &s);
  holds(classic_q32 <= s.probability_q32, "p'^2 <= p'");
  holds(coupled_q32 >= s.probability_q32 && coupled_q32 <= PST_Q32_ONE, "p' <= k p' <= 1");
}

PROOF(the_ramp_of_DualPI2_is_a_probability) {
  const pst_dualpi2_params p = any_params();
  const pst_dualpi2_state s = any_state();
  const u64 delay_ns = u64::up_to("delay_ns", PST_MAX_NS);
  const u64 ramp_q32 = pst_dualpi2_ramp_q32(&p, &s, delay_ns);
  holds(ramp_q32 <= PST_Q32_ONE, "a probability");
  holds(ramp_q32 == 0 || s.low_pkts > p.mark_least_pkts, "a short queue is not marked");
  holds(ramp_q32 == 0 || delay_ns >= p.mark_from_ns, "nor is a short delay");
}

PROOF(a_departure_keeps_DualPI2_in_its_ranges) {
  const pst_dualpi2_params p = any_params();
  const pst_queue q = any_queue();
  const pst_packet k = any_packet();
  pst_dualpi2_state s = any_state();
  const pst_verdict verdict = pst_dualpi2_on_leave(&p, &s, pst_dualpi2_classify(k.tos), &q, &k);
  holds(verdict != PST_SIGNAL, "a mark or a drop");
  holds(verdict != PST_MARK || pst_packet_ecn_capable(&k), "a mark can be read");
  holds_ranges(s);
}

PROOF(DualPI2_drops_what_can_be_marked_in_overload_alone) {
  const pst_dualpi2_params p = usual_params();
  const pst_queue q = any_queue();
  const pst_packet k = any_packet();
  pst_dualpi2_state s = any_state();
  const pst_dual_queue queue = pst_dualpi2_classify(k.tos);
  const Bool overload = pst_dualpi2_coupled_q32(&p, &s) == PST_Q32_ONE;
  const pst_verdict verdict = pst_dualpi2_on_leave(&p, &s, queue, &q, &k);
  holds(verdict != PST_DROP || queue == PST_DUAL_CLASSIC || overload, "of the low-latency queue");
  holds(verdict != PST_DROP || overload || !pst_packet_ecn_capable(&k), "and of the Classic one");
  holds(verdict != PST_MARK || queue == PST_DUAL_LOW || !overload, "which marks in no overload");
}
