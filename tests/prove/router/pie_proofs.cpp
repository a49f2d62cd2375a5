// SPDX-License-Identifier: GPL-2.0-only
// PIE: nothing overflows, its probability stays one, and a burst is never longer than allowed.
#include "../law/inputs.h"

#include "discipline/pie.h"

#include "../proof.h"

using namespace prove;

namespace {

pst_pie_params any_params() {
  pst_pie_params p = {};
  PST_PIE_PARAMS(PENSTOCK_ANY_PARAM)
  return p;
}

pst_pie_state any_state(const pst_pie_params& p) {
  pst_pie_state s = {};
  s.probability_q32 = u64::up_to("s.probability_q32", PST_Q32_ONE);
  s.delay_ns = u64::up_to("s.delay_ns", MOST_NOW_NS);
  s.delay_old_ns = u64::up_to("s.delay_old_ns", PST_MAX_NS);
  s.burst_ns = u64::up_to("s.burst_ns", PST_MAX_NS);
  s.sum_q32 = u64::up_to("s.sum_q32", PST_PIE_Q32(8500) - 1);
  assume(s.burst_ns <= p.max_burst_ns);
  return s;
}

void holds_ranges(const pst_pie_params& p, const pst_pie_state& s) {
  holds(s.probability_q32 <= PST_Q32_ONE, "a probability");
  holds(s.delay_ns <= MOST_NOW_NS && s.delay_old_ns <= PST_MAX_NS, "delays");
  holds(s.burst_ns <= p.max_burst_ns, "no longer a burst than allowed");
  holds(s.sum_q32 < PST_PIE_Q32(8500), "a drop comes at 8.5");
}

}  // namespace

PROOF(an_interval_keeps_PIE_in_its_ranges) {
  const pst_pie_params p = any_params();
  const pst_queue q = any_queue();
  pst_pie_state s = any_state(p);
  const u64 before_q32 = s.probability_q32;
  holds(pst_pie_on_tick(&p, &s, &q) == p.interval_ns, "the next step is an interval later");
  holds(before_q32 < PST_PIE_Q32(100) || s.probability_q32 <= before_q32 + PST_PIE_CAP_Q32,
        "from 0.1 on it rises by 0.02 at most");
  holds_ranges(p, s);
}

PROOF(an_arrival_keeps_PIE_in_its_ranges) {
  const pst_pie_params p = any_params();
  pst_queue q = any_queue();
  q.random = u32::any("q.random");
  const pst_packet k = {};
  pst_pie_state s = any_state(p);
  const pst_verdict verdict = pst_pie_on_arrive(&p, &s, &q, &k);
  holds(verdict == PST_PASS || q.bytes > 2 * p.mean_packet_bytes, "a short queue drops nothing");
  holds(verdict == PST_PASS || s.burst_ns == 0, "nor does a burst");
  holds(verdict != PST_DROP || s.probability_q32 >= p.mark_top_q32, "ECT is marked up to there");
  holds_ranges(p, s);
}

PROOF(a_departure_keeps_PIE_in_its_ranges) {
  const pst_pie_params p = any_params();
  const pst_queue q = any_queue();
  pst_packet k = {};
  k.queued_ns = u64::up_to("k.queued_ns", MOST_NOW_NS);
  pst_pie_state s = any_state(p);
  pst_pie_on_left(&p, &s, &q, &k);
  holds(q.bytes != 0 || s.delay_ns == 0, "an empty queue has no delay");
  holds_ranges(p, s);
}
