// SPDX-License-Identifier: GPL-2.0-only
// CoDel: nothing overflows, no root is of zero, and drops are an interval apart at most.
#include "../law/inputs.h"

#include "discipline/codel.h"

#include "../proof.h"

using namespace prove;

namespace {

pst_codel_params any_params() {
  pst_codel_params p = {};
  PST_CODEL_PARAMS(PENSTOCK_ANY_PARAM)
  return p;
}

// Any, an eighth of their range at a time: a cube bends too much for linear facts on all of it.
u64 any_root_q16() {
  constexpr unsigned EIGHTH = 1 << 13;
  unsigned low = 0;
  while (low < 7 * EIGHTH && static_cast<bool>(Bool::any("further up"))) {
    low += EIGHTH;
  }
  return u64::exactly(between(low, low + EIGHTH - 1, "root_q16"));
}

pst_codel_state any_state_unbounded() {
  pst_codel_state s = {};
  s.first_above_ns = u64::up_to("s.first_above_ns", MOST_NOW_NS + PST_MAX_NS);
  s.drop_next_ns = u64::up_to("s.drop_next_ns", MOST_NOW_NS + PST_MAX_NS);
  s.count_pkts = u64::up_to("s.count_pkts", PST_CODEL_MAX_COUNT);
  s.last_count_pkts = u64::up_to("s.last_count_pkts", PST_CODEL_MAX_COUNT);
  s.dropping = u64::up_to("s.dropping", 1);
  s.inverse_root_q16 = any_root_q16();
  s.pending_ns = u64::up_to("s.pending_ns", MOST_NOW_NS);
  return s;
}

// A dropping state has a count, and a drop waits for its successor only after its time had come.
Bool invariant(const pst_codel_state& s) {
  return implies(s.dropping != 0, s.count_pkts >= 1) &&
         implies(s.pending_ns != 0, s.count_pkts >= 1 && s.drop_next_ns <= s.pending_ns);
}

pst_codel_state any_state() {
  const pst_codel_state s = any_state_unbounded();
  assume(invariant(s));
  return s;
}

void holds_ranges(const pst_codel_state& s) {
  holds(s.count_pkts <= PST_CODEL_MAX_COUNT, "the count");
  holds(s.last_count_pkts <= PST_CODEL_MAX_COUNT, "the count before");
  holds(s.inverse_root_q16 < PST_Q16_ONE, "the root");
  holds(s.first_above_ns <= MOST_NOW_NS + PST_MAX_NS, "an interval from now at most");
  holds(s.drop_next_ns <= MOST_NOW_NS + PST_MAX_NS, "the next drop");
  holds(s.dropping <= 1 && s.pending_ns <= MOST_NOW_NS, "the state");
  holds(invariant(s), "the invariant");
}

}  // namespace

PROOF(a_step_towards_the_root_of_CoDel_stays_below_1) {
  const u64 x_q16 = any_root_q16();
  const u64 count = u64::exactly(between(2, PST_CODEL_MAX_COUNT, "count"));
  holds(pst_codel_newton_q16(x_q16, count) < PST_Q16_ONE, "below 1");
}

PROOF(drops_of_CoDel_are_an_interval_apart_at_most) {
  const u64 interval_ns = u64::up_to("interval_ns", PST_MAX_NS);
  const u64 count = u64::exactly(between(1, PST_CODEL_MAX_COUNT, "count"));
  holds(pst_codel_spacing(interval_ns, count) <= interval_ns, "an interval at most");
}

PROOF(a_departure_keeps_CoDel_in_its_ranges) {
  const pst_codel_params p = any_params();
  const pst_queue q = any_queue();
  pst_codel_state s = any_state();
  assume(s.pending_ns <= q.now_ns);
  pst_packet k = {};
  k.queued_ns = u64::up_to("k.queued_ns", MOST_NOW_NS);
  const pst_verdict verdict = pst_codel_on_leave(&p, &s, &q, &k);
  holds(verdict == PST_PASS || verdict == PST_SIGNAL, "a drop is a signal");
  holds(verdict == PST_PASS || q.bytes > p.maxpacket_bytes, "the last packet passes");
  holds(verdict == PST_PASS || s.dropping == 1, "signals come in a dropping state");
  holds_ranges(s);
}
