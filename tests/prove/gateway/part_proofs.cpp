// SPDX-License-Identifier: GPL-2.0-only
// The parts of an ACK's event in core/gateway/ keep the contracts that ../ack/ puts in their place.
#include "part_contracts.h"

#include "stage_contracts.h"

#include "../proof.h"

using namespace prove;

namespace {

// With what ACKs wait elsewhere.
pst_queue any_waits() {
  pst_queue q = {};
  q.now_ns = any_time();
  q.acks_wait_ns = any_number();
  assume(q.acks_wait_ns <= PST_MAX_NS);
  return q;
}

}  // namespace

PROOF(a_law_sees_an_ACK_in_its_ranges) {
  const pst_gateway_flow f = any_gateway_flow();
  const pst_ack_header h = any_ack();
  const pst_queue q = any_waits();
  holds(views(f, h, pst_gateway_ack_view(&f, &q, &h)), "the contract");
}

PROOF(a_signal_takes_a_window_to_a_segment) {
  const pst_gateway_config c = any_config();
  pst_gateway_state s = any_gateway();
  const pst_gateway_flow f = any_gateway_flow();
  const pst_ack_header h = any_ack();
  const pst_queue q = any_waits();
  const pst_ack a = pst_gateway_ack_view(&f, &q, &h);
  const u64 allowed = u64::any("allowed_bytes");
  const u64 owed = s.signals_owed;
  const u64 bytes = pst_gateway_signalled(&c, &s, &f.flow, &a, allowed);
  holds(signals(c, owed, s.signals_owed, f.flow, a, allowed, bytes), "the contract");
  holds(bytes <= pst_max(allowed, 2ULL * a.mss_bytes), "no more than the law's, or R20's");
  holds(bytes >= pst_min(allowed, a.mss_bytes), "a segment, or the law's");
}

PROOF(a_mark_of_an_edge_keeps_the_invariant) {
  const pst_gateway_flow before = any_gateway_flow();
  pst_gateway_flow after = before;
  const pst_gateway_config c = any_config();
  const pst_gateway_state s = any_gateway();
  const pst_queue q = any_waits();
  pst_gateway_mark(&c, &s, &after, &q);
  holds(marks(before, after), "the contract");
}

LONG_PROOF(a_first_window_is_repeated_as_its_contract_says) {
  const pst_gateway_config c = any_config();
  const pst_gateway_flow f = any_gateway_flow();
  const pst_ack_header h = any_ack();
  assume(h.syn || (f.flow.scale_known && !pst_is_unseen(&f.flow, &h)));
  pst_rewrite out;
  const Bool repeated = pst_gateway_repeats(&c, &f, &h, &out);
  holds(repeated == repeats(c, f, h), "what is repeated");
  if (!repeated) {
    return;
  }
  // Of which the contracts of both functions are proved.
  const pst_rewrite again = static_cast<bool>(h.syn)
                                ? pst_rewrite_opening(&f.flow, &h, first_bytes(f))
                                : pst_rewrite_window(&f.flow, c.mode, &h, first_bytes(f));
  holds(out.field == again.field, "its field");
}

PROOF(a_law_is_asked_as_its_contract_says) {
  pst_port port = any_port();
  const pst_gateway_flow before = any_gateway_flow();
  pst_gateway_flow after = before;
  const pst_ack_header h = any_ack();
  pst_queue q = any_waits();
  const pst_ack a = pst_gateway_ack_view(&before, &q, &h);
  const u64 bytes = pst_stage_allow_of_core(&port, &after, nullptr, &q, &a);
  holds(allows(before, after, a, bytes), "the contract");
}

PROOF(an_ACK_is_timed_without_a_change_of_its_flow) {
  const pst_gateway_config c = any_config();
  pst_gateway_state s = any_gateway();
  const pst_gateway_flow before = any_gateway_flow();
  pst_gateway_flow after = before;
  const u64 owed = s.signals_owed;
  const pst_queue q = any_waits();
  pst_gateway_time_ack(&c, &s, &after, u32::any("ack"), &q);
  holds(equal(before.flow, after.flow) && s.signals_owed == owed, "the flow, and signals");
}
