// SPDX-License-Identifier: GPL-2.0-only
// The rules about the window field (docs/rules.md), for every state, ACK, mode and law.
#include "integers.h"

#include "flow.h"

using namespace prove;

PROOF(R1_a_window_is_only_ever_reduced) {
  const pst_flow f = any_flow();
  const pst_ack_header h = any_ack();
  holds(answer(f, any_mode(), h).field <= h.field, "field out <= field in");
}

PROOF(R1_first_flight_is_only_ever_reduced) {
  const pst_flow f = any_flow();
  const pst_ack_header h = any_ack();
  const pst_rewrite out = pst_rewrite_opening(&f, &h, u64::any("allowed_bytes"));
  holds(out.field <= h.field, "field out <= field in");
  holds(out.field == h.field || out.field >= 2 * pst_max(f.mss_bytes, 1),
        "at least two segments, or what the receiver offers");
}

PROOF(R2_the_edge_stays_right_of_seen_data) {
  const pst_flow f = any_flow();
  const pst_ack_header h = any_ack();
  const u32 unacked = f.sent - h.ack;
  assume(!h.syn && f.scale_known && f.has_sent && !pst_is_unseen(&f, &h) && s32(unacked) > 0);
  // Senders take no window from a duplicate (R9).
  assume(!pst_is_ignored(&f, &h));
  const u16 field = answer(f, PST_SAFE, h).field;
  holds(field == h.field || bytes_of(f, field) >= unacked,
        "the edge is right of the data, or the receiver's own");
}

PROOF(R2_in_strict_mode_the_edge_stays_right_of_every_grant) {
  const pst_flow f = any_flow();
  const pst_ack_header h = any_ack();
  assume(!h.syn && (f.scale_known && (f.has_edge && f.has_ack)));
  assume(!pst_is_unseen(&f, &h) && s32(h.ack - f.ack) > 0);
  const u32 granted = f.edge - h.ack;
  assume(s32(granted) > 0);
  const u16 field = answer(f, PST_STRICT, h).field;
  holds(field == h.field || bytes_of(f, field) >= granted,
        "the edge is right of every grant, or the receiver's own");
}

PROOF(R3_a_field_is_rounded_up_to_the_granule) {
  const pst_flow f = any_flow();
  const u64 bytes = u64::any("bytes");
  const u16 offered = u16::any("offered");
  assume(bytes <= PST_MAX_BYTES);
  const u16 field = pst_field_of(&f, bytes, offered);
  holds(field == offered || bytes_of(f, field) >= bytes, "rounded up");
  holds(bytes_of(f, field) < bytes + (u64(1) << f.scale), "by less than a granule");
}

PROOF(R4_never_less_than_a_segment) {
  const pst_flow f = any_flow();
  const pst_ack_header h = any_ack();
  const u32 mode = any_mode();
  assume(mode != PST_LITERAL && !h.syn);
  const pst_rewrite out = pst_rewrite_window(&f, mode, &h, u64::any("allowed_bytes"));
  holds(out.field == h.field || bytes_of(f, out.field) >= pst_max(f.mss_bytes, 1),
        "a whole segment, or what the receiver offers");
}

PROOF(R4_never_zero_unless_the_receiver_says_so) {
  const pst_flow f = any_flow();
  const pst_ack_header h = any_ack();
  const u16 field = answer(f, any_mode(), h).field;
  holds(implies(h.field != 0, field != 0), "not zero");
}

PROOF(R5_a_zero_window_passes) {
  const pst_flow f = any_flow();
  const pst_ack_header h = any_ack();
  assume(h.field == 0);
  holds(answer(f, any_mode(), h).field == 0, "zero");
}

PROOF(R6_R8_SYNs_and_unknown_scales_pass) {
  const pst_flow f = any_flow();
  const pst_ack_header h = any_ack();
  assume(h.syn || !f.scale_known);
  holds(answer(f, any_mode(), h).field == h.field, "unchanged");
}

PROOF(R9_a_duplicate_carries_the_field_last_sent) {
  const pst_flow f = any_flow();
  const pst_ack_header h = any_ack();
  const u32 mode = any_mode();
  assume(mode != PST_LITERAL && (f.scale_known && !pst_is_unseen(&f, &h)));
  assume((f.has_ack && h.pure) && (h.ack == f.ack && h.field != 0));
  assume(h.field == f.field_in);
  holds(answer(f, mode, h).field == f.field_out, "the field last sent");
}

PROOF(R10_R11_what_the_sender_ignores_changes_no_state) {
  const pst_flow before = any_flow();
  const pst_ack_header h = any_ack();
  const u16 out = u16::any("field_out of this");
  assume(before.has_ack && !pst_is_unseen(&before, &h));
  assume(s32(h.ack - before.ack) < 0);
  pst_flow after = before;
  pst_rewrite_commit(&after, &h, out);
  holds(same_flow(before, after), "an old ACK changes nothing");
}

PROOF(R10_a_repeated_ACK_that_offers_no_more_keeps_windows_and_ramp) {
  const pst_flow before = any_flow();
  const pst_ack_header h = any_ack();
  assume(!h.syn && pst_is_ignored(&before, &h));
  pst_flow after = before;
  pst_rewrite_commit(&after, &h, u16::any("field_out of this"));
  holds((after.ack == before.ack && after.ramp_bytes == before.ramp_bytes) &&
            (after.field_in == before.field_in && after.field_out == before.field_out),
        "ACK, fields and ramp as before");
}

PROOF(R26_a_reduced_window_grows_by_what_is_acknowledged) {
  const pst_flow f = any_flow();
  const pst_ack_header h = any_ack();
  const u32 mode = any_mode();
  assume(mode != PST_LITERAL && f.ramp_bytes != 0);
  const pst_rewrite out = pst_rewrite_window(&f, mode, &h, u64::any("allowed_bytes"));
  const u64 ramp = u64(f.ramp_bytes) + (h.ack - f.ack);
  const u64 granule = u64(1) << f.scale;
  holds(bytes_of(f, out.field) <= ramp ||
            (bytes_of(f, out.field) < pst_max(f.mss_bytes, 1) + granule ||
             bytes_of(f, out.field) < pst_edge_bytes(&f, mode, h.ack) + granule),
        "within the ramp, or one segment, or what R2 keeps");
}

namespace {

// One event of a flow other than an ACK that is recorded.
void another_event(pst_flow& f) {
  if (Bool::any("a SYN")) {
    pst_flow_on_syn(&f, Bool::any("forward"), u8::any("option"));
  } else if (Bool::any("its options")) {
    pst_flow_on_mss(&f, Bool::any("forward"), u32::any("payload_bytes"));
  } else if (Bool::any("its number")) {
    pst_flow_on_isn(&f, u32::any("isn"));
  } else if (Bool::any("data")) {
    const u32 payload_bytes = u32::any("payload_bytes");
    assume(payload_bytes <= MAX_PAYLOAD_BYTES);
    pst_flow_on_data(&f, u32::any("seq"), payload_bytes);
  } else {
    pst_flow_on_turn(&f);
  }
}

}  // namespace

PROOF(R26_no_other_event_raises_a_ramp) {
  const pst_flow before = any_flow();
  pst_flow f = before;
  another_event(f);
  holds(f.ramp_bytes == 0 || (f.ramp_bytes == before.ramp_bytes && f.ack == before.ack),
        "as before, or none");
  pst_flow settled = before;
  const u32 ack = u32::any("ack");
  pst_flow_settle(&settled, ack, u64::any("offered_bytes"));
  holds(settled.ramp_bytes == before.ramp_bytes, "nor does an ACK that settles");
  holds(settled.ack == before.ack || settled.ack == ack, "from which it counts");
}

PROOF(R35_an_ACK_of_unseen_data_changes_nothing) {
  const pst_flow before = any_flow();
  const pst_ack_header h = any_ack();
  assume(pst_is_unseen(&before, &h));
  pst_flow after = before;
  pst_rewrite_commit(&after, &h, u16::any("field_out of this"));
  after.unseen_acks = before.unseen_acks;
  holds(same_flow(before, after), "only counted");
}

PROOF(R35_an_ACK_of_unseen_data_grants_no_more_than_the_newest) {
  const pst_flow f = any_flow();
  const pst_ack_header h = any_ack();
  const u32 mode = any_mode();
  assume((!h.syn && f.scale_known) && (f.has_ack && f.field_out != 0));
  assume(pst_is_unseen(&f, &h) && f.unseen_acks < PST_UNSEEN_ACKS);
  const u64 granted = bytes_of(f, answer(f, mode, h).field);
  holds(granted <= bytes_of(f, f.field_out) ||
            granted < pst_max(f.mss_bytes, 1) + (u64(1) << f.scale),
        "the newest window, or one segment");
}

PROOF(R35_data_beyond_every_grant_is_not_believed) {
  const pst_flow before = any_flow();
  const u32 seq = u32::any("seq");
  const u32 payload_bytes = u32::any("payload_bytes");
  assume(before.has_edge && payload_bytes <= MAX_PAYLOAD_BYTES);
  assume(s32(seq + payload_bytes - (before.edge + 1)) > 0);
  pst_flow after = before;
  pst_flow_on_data(&after, seq, payload_bytes);
  after.has_doubted = before.has_doubted;
  after.unseen_acks = before.unseen_acks;
  holds(!after.scale_proved, "no scale is proved by it");
  after.scale_proved = before.scale_proved;
  holds(same_flow(before, after), "it counts once it is acknowledged");
}
