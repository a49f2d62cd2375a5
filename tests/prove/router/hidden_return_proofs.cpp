// SPDX-License-Identifier: GPL-2.0-only
// What an ACK has waited on its way: whatever its stamp says, a wait up to 10 s or what is told,
// and its base moves by what clocks drift at most.
#include "hidden.h"

#include "../proof.h"

#include "queue/hidden_return.h"

using namespace prove;

namespace {

pst_return any_return() {
  pst_return r = {};
  r.way.base_ns = u64::up_to("r.base_ns", MOST_NOW_NS);
  r.way.base_val = u32::any("r.base_val");
  r.least_us = u32::any("r.least_us");
  r.units = u32::any("r.units");
  return r;
}

}  // namespace

PROOF(what_an_ack_has_waited_is_what_its_clock_or_the_other_gateway_says) {
  pst_hidden_queue h = any_hidden();
  pst_return r = any_return();
  const u64 now_ns = any_time();
  assume(r.way.base_ns <= now_ns);
  const u64 told_ns = u64::up_to("told_ns", PST_MAX_NS);
  const u64 wait_ns = pst_return_wait_ns(&h, &r, u32::any("val"), told_ns, now_ns);
  holds(wait_ns <= PST_MAX_NS, "a wait");
  holds(r.way.base_ns <= now_ns, "a base that has been");
}

PROOF(an_ack_that_does_not_say_has_waited_as_long_as_another_or_as_told) {
  pst_hidden_queue h = any_hidden();
  h.acks_wait_ns = u64::any("h.acks_wait_ns");
  h.acks_waited_ns = any_time();
  const u64 told_ns = u64::up_to("told_ns", PST_MAX_NS);
  const u64 wait_ns = pst_return_of_others_ns(&h, told_ns, any_time());
  holds(wait_ns <= PST_MAX_NS, "a wait");
  holds(wait_ns == told_ns || wait_ns <= h.acks_wait_ns, "no longer than either");
}

PROOF(the_base_of_acks_moves_by_what_clocks_drift) {
  pst_return r = any_return();
  const u64 now_ns = any_time();
  const u64 before_ns = r.way.base_ns;
  assume(before_ns <= now_ns);
  pst_return_follow(&r, u64::up_to("wait_ns", PST_ONE_WAY_MOST_NS), now_ns);
  holds(r.way.base_ns >= before_ns, "it moves ahead");
  holds(r.way.base_ns <= before_ns + PST_RETURN_DRIFT_US * 1000, "by 1 ms a round");
  holds(r.way.base_ns <= now_ns, "and has been");
}
