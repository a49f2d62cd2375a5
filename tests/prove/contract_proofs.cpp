// SPDX-License-Identifier: GPL-2.0-only
// core/rewrite/ and core/packet/flow.h keep the contracts that ack/ puts in their place.
#include "integers.h"

#include "contracts.h"

using namespace prove;

PROOF(an_ACK_settles_as_its_contract_says) {
  const pst_flow before = any_flow();
  pst_flow after = before;
  const u32 ack = u32::any("ack");
  pst_flow_settle(&after, ack, u64::any("offered_bytes"));
  holds(settles(before, after, ack), "the contract");
}

PROOF(a_round_trip_turns_as_its_contract_says) {
  const pst_flow before = any_flow();
  pst_flow after = before;
  pst_flow_on_turn(&after);
  holds(turns(before, after), "the contract");
}

LONG_PROOF(an_ACK_is_bypassed_as_its_contract_says) {
  const pst_flow f = any_flow();
  const pst_ack_header h = any_ack();
  const u32 mode = any_mode();
  pst_rewrite out;
  const Bool bypassed = pst_rewrite_bypassed(&f, mode, &h, &out);
  holds(bypassed == bypasses(f, mode, h), "what is bypassed");
  holds(implies(bypassed, bypassed_field(f, mode, h, out.field)), "its field");
}

namespace {

// An ACK whose window is written, and that window.
struct Written {
  pst_flow f = any_flow();
  pst_ack_header h = any_ack();
  u32 mode = any_mode();
  u64 allowed = u64::any("allowed_bytes");
  u16 field;

  Written() {
    assume(!h.syn && f.scale_known && !pst_is_unseen(&f, &h));
    field = pst_rewrite_window(&f, mode, &h, allowed).field;
  }
};

}  // namespace

// The parts of window_field().
LONG_PROOF(a_window_is_rewritten_as_its_contract_says) {
  const Written w;
  holds(bounded_field(w.f, w.mode, w.h, w.field), "the contract");
}

LONG_PROOF(a_window_is_rounded_up_as_its_contract_says) {
  const Written w;
  holds(rounds_up_the_allowed(w.f, w.mode, w.h, w.allowed, w.field), "the contract");
}

LONG_PROOF(a_window_grows_as_its_contract_says) {
  const Written w;
  holds(ramps(w.f, w.mode, w.h, w.field), "the contract");
}

PROOF(a_first_flight_is_opened_as_its_contract_says) {
  const pst_flow f = any_flow();
  const pst_ack_header h = any_ack();
  const u64 allowed = u64::any("allowed_bytes");
  const pst_rewrite out = pst_rewrite_opening(&f, &h, allowed);
  holds(opening_field(f, h, allowed, out.field), "the contract");
}

LONG_PROOF(an_ACK_is_recorded_as_its_contract_says) {
  const pst_flow before = any_flow();
  pst_flow after = before;
  const pst_ack_header h = any_ack();
  const u16 field = u16::any("field_out of this");
  assume(may_leave(h, field));
  pst_rewrite_commit(&after, &h, field);
  holds(commits(before, after, h, field), "the contract");
}
