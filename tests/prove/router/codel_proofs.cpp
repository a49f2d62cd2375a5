// SPDX-License-Identifier: GPL-2.0-only
// CoDel: nothing overflows, no root is of zero, and drops are an interval apart at most.
#include "codel.h"

#include "../proof.h"

using namespace prove;

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
  const pst_codel_params p = any_codel_params();
  const pst_queue q = any_queue();
  pst_codel_state s = any_codel_state();
  assume(s.pending_ns <= q.now_ns);
  pst_packet k = {};
  k.queued_ns = u64::up_to("k.queued_ns", MOST_NOW_NS);
  const pst_verdict verdict = pst_codel_on_leave(&p, &s, &q, &k);
  holds(verdict == PST_PASS || verdict == PST_SIGNAL, "a drop is a signal");
  holds(verdict == PST_PASS || q.bytes > p.maxpacket_bytes, "the last packet passes");
  holds(verdict == PST_PASS || s.dropping == 1, "signals come in a dropping state");
  holds_ranges(s);
}
