// SPDX-License-Identifier: GPL-2.0-only
// What an ACK has waited on its way: whatever its stamp says, a wait up to 10 s or what is told,
// and its base moves by what clocks drift at most.
#include "hidden.h"

#include "../proof.h"

#include "queue/hidden_return.h"

using namespace prove;

namespace {

pst_hidden_flow any_returning() {
  pst_hidden_flow f = {};
  f.returned.base_ns = u64::up_to("f.base_ns", MOST_NOW_NS);
  f.returned.base_val = u32::any("f.base_val");
  f.returned_least_us = u32::any("f.returned_least_us");
  f.returned_units = u32::any("f.returned_units");
  return f;
}

}  // namespace

PROOF(what_an_ack_has_waited_is_what_its_clock_or_the_other_gateway_says) {
  pst_hidden_queue h = any_hidden();
  pst_hidden_flow f = any_returning();
  const u64 now_ns = any_time();
  assume(f.returned.base_ns <= now_ns);
  const u64 told_ns = u64::up_to("told_ns", PST_MAX_NS);
  const u64 wait_ns = pst_return_wait_ns(&h, &f, u32::any("val"), told_ns, now_ns);
  holds(wait_ns <= PST_MAX_NS, "a wait");
  holds(f.returned.base_ns <= now_ns, "a base that has been");
}

PROOF(the_base_of_acks_moves_by_what_clocks_drift) {
  pst_hidden_flow f = any_returning();
  const u64 now_ns = any_time();
  const u64 before_ns = f.returned.base_ns;
  assume(before_ns <= now_ns);
  pst_return_follow(&f, u64::up_to("wait_ns", PST_ONE_WAY_MOST_NS), now_ns);
  holds(f.returned.base_ns >= before_ns, "it moves ahead");
  holds(f.returned.base_ns <= before_ns + PST_RETURN_DRIFT_US * 1000, "by 1 ms a round");
  holds(f.returned.base_ns <= now_ns, "and has been");
}
