// SPDX-License-Identifier: GPL-2.0-only
// Each event keeps the invariant of a flow, and a new flow satisfies it: so it holds after any
// sequence of events, and what window_proofs.cpp proves of its states holds always.
#include "integers.h"

#include "flow.h"

using namespace prove;

PROOF(a_new_flow_satisfies_the_invariant) {
  const pst_flow f = {};
  holds(invariant(f), "the invariant");
}

PROOF(a_SYN_keeps_the_invariant) {
  pst_flow f = any_flow();
  pst_flow_on_syn(&f, Bool::any("forward"), u8::any("option"));
  holds(invariant(f), "the invariant");
}

PROOF(a_segment_size_keeps_the_invariant) {
  pst_flow f = any_flow();
  pst_flow_on_mss(&f, Bool::any("forward"), u32::any("payload_bytes"));
  holds(invariant(f), "the invariant");
}

PROOF(an_initial_number_keeps_the_invariant) {
  pst_flow f = any_flow();
  pst_flow_on_isn(&f, u32::any("isn"));
  holds(invariant(f), "the invariant");
}

PROOF(data_keep_the_invariant) {
  pst_flow f = any_flow();
  const u32 payload_bytes = u32::any("payload_bytes");
  assume(payload_bytes <= MAX_PAYLOAD_BYTES);
  pst_flow_on_data(&f, u32::any("seq"), payload_bytes);
  holds(invariant(f), "the invariant");
}

PROOF(a_round_trip_keeps_the_invariant) {
  pst_flow f = any_flow();
  pst_flow_on_turn(&f);
  holds(invariant(f), "the invariant");
}

PROOF(an_ACK_that_settles_keeps_the_invariant) {
  pst_flow f = any_flow();
  pst_flow_settle(&f, u32::any("ack"), u64::any("offered_bytes"));
  holds(invariant(f), "the invariant");
}

// The field is any that R1 and R4 allow, as window_proofs.cpp proves of all that leave.
LONG_PROOF(an_ACK_keeps_the_invariant) {
  pst_flow f = any_flow();
  const pst_ack_header h = any_ack();
  const u16 field = u16::any("field_out of this");
  assume(field <= h.field && implies(h.field != 0, field != 0));
  pst_rewrite_commit(&f, &h, field);
  holds(invariant(f), "the invariant");
}
