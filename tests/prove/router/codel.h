// SPDX-License-Identifier: GPL-2.0-only
// Any CoDel, and the invariant that its departures keep.
#ifndef PENSTOCK_TESTS_PROVE_ROUTER_CODEL_H
#define PENSTOCK_TESTS_PROVE_ROUTER_CODEL_H

#include "../law/inputs.h"

#include "discipline/codel.h"

namespace prove {

inline pst_codel_params any_codel_params() {
  pst_codel_params p = {};
  PST_CODEL_PARAMS(PENSTOCK_ANY_PARAM)
  return p;
}

// Any, an eighth of their range at a time: a cube bends too much for linear facts on all of it.
inline u64 any_root_q16() {
  constexpr unsigned EIGHTH = 1 << 13;
  unsigned low = 0;
  while (low < 7 * EIGHTH && static_cast<bool>(Bool::any("further up"))) {
    low += EIGHTH;
  }
  return u64::exactly(between(low, low + EIGHTH - 1, "root_q16"));
}

inline pst_codel_state any_codel_state_unbounded() {
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
inline Bool invariant(const pst_codel_state& s) {
  return implies(s.dropping != 0, s.count_pkts >= 1) &&
         implies(s.pending_ns != 0, s.count_pkts >= 1 && s.drop_next_ns <= s.pending_ns);
}

inline pst_codel_state any_codel_state() {
  const pst_codel_state s = any_codel_state_unbounded();
  assume(invariant(s));
  return s;
}

inline void holds_ranges(const pst_codel_state& s) {
  holds(s.count_pkts <= PST_CODEL_MAX_COUNT, "the count");
  holds(s.last_count_pkts <= PST_CODEL_MAX_COUNT, "the count before");
  holds(s.inverse_root_q16 < PST_Q16_ONE, "the root");
  holds(s.first_above_ns <= MOST_NOW_NS + PST_MAX_NS, "an interval from now at most");
  holds(s.drop_next_ns <= MOST_NOW_NS + PST_MAX_NS, "the next drop");
  holds(s.dropping <= 1 && s.pending_ns <= MOST_NOW_NS, "the state");
  holds(invariant(s), "the invariant");
}

}  // namespace prove

#endif
