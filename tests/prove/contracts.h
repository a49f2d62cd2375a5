// SPDX-License-Identifier: GPL-2.0-only
// What the parts of an ACK's event promise: contract_proofs.cpp and gateway/part_proofs.cpp prove
// it of these functions, and ack/ puts it in their place.
#ifndef PENSTOCK_TESTS_PROVE_CONTRACTS_H
#define PENSTOCK_TESTS_PROVE_CONTRACTS_H

#include "flow.h"

namespace prove {

// The fields of a flow that a function may change.
#define PENSTOCK_SETTLES(F) F(sent) F(ack) F(has_ack) F(has_doubted) F(scale_proved) F(contested)
#define PENSTOCK_TURNS(F) F(unused) F(scale_known)
#define PENSTOCK_COMMITS(F) \
  F(edge)                   \
  F(sent)                   \
  F(ack)                    \
  F(ramp_bytes)             \
  F(half_edge) F(field_in) F(field_out) F(has_edge) F(has_ack) F(unseen_acks) F(proved)

// @before with the changes that a function has made.
#define PENSTOCK_TAKE_FIELD(field) taken.field = after.field;

// An ACK other than a SYN, which offers the bytes that it says.
inline Bool settles(const pst_flow& before, const pst_flow& after, const u32& ack) {
  pst_flow taken = before;
  PENSTOCK_SETTLES(PENSTOCK_TAKE_FIELD)
  const Bool kept = !after.has_doubted || before.has_doubted;
  const Bool restarted = !after.has_ack && !after.has_doubted && after.contested &&
                         !after.scale_proved && after.ack == ack && before.has_doubted;
  return equal(taken, after) && kept && (equal(before, after) || restarted) && invariant(after);
}

inline Bool turns(const pst_flow& before, const pst_flow& after) {
  pst_flow taken = before;
  PENSTOCK_TURNS(PENSTOCK_TAKE_FIELD)
  return equal(taken, after) && implies(after.scale_known, before.scale_known) && invariant(after);
}

// A field that may leave instead of @h's: R1, R4 and R5.
inline Bool may_leave(const pst_ack_header& h, const u16& field) {
  return field <= h.field && (field == 0) == (h.field == 0);
}

inline Bool is_old(const pst_flow& f, const pst_ack_header& h) {
  return f.has_ack && s32(h.ack - f.ack) < 0;
}

// R4, as a window of @mode.
inline Bool is_a_segment(const pst_flow& f, const u32& mode, const pst_ack_header& h,
                         const u16& field) {
  return mode == PST_LITERAL || field == h.field || bytes_of(f, field) >= pst_max(f.mss_bytes, 1);
}

// R2, as a window of @mode.
inline Bool covers_the_edge(const pst_flow& f, const u32& mode, const pst_ack_header& h,
                            const u16& field) {
  const Bool strict = mode == PST_STRICT;
  const u32 beyond = choose(strict, f.edge, f.sent) - h.ack;
  const Bool binds = mode != PST_LITERAL && ((strict && f.has_edge) || (!strict && f.has_sent));
  return !binds || s32(beyond) <= 0 || field == h.field || bytes_of(f, field) >= beyond;
}

inline Bool bypasses(const pst_flow& f, const u32& mode, const pst_ack_header& h) {
  const Bool never = h.syn || !f.scale_known || pst_is_unseen(&f, &h) || h.field == 0;
  const Bool repeats = f.has_ack && (is_old(f, h) || pst_is_ignored(&f, &h));
  return never || (mode != PST_LITERAL && repeats);
}

inline Bool bypassed_field(const pst_flow& f, const u32& mode, const pst_ack_header& h,
                           const u16& field) {
  const Bool passes = h.syn || !f.scale_known || h.field == 0;
  const Bool unseen = !passes && pst_is_unseen(&f, &h);
  const Bool old = !passes && !unseen && is_old(f, h);
  const Bool ignored = !passes && !unseen && !old;
  const Bool newest = field == h.field || bytes_of(f, field) >= bytes_of(f, f.field_out);
  return may_leave(h, field) && implies(passes, field == h.field) &&
         implies(unseen || old, is_a_segment(f, mode, h, field) && newest) &&
         implies(old, covers_the_edge(f, mode, h, field)) &&
         implies(ignored, field == pst_min(f.field_out, h.field));
}

// Of an ACK of a known scale that is not unseen.
inline Bool window_field(const pst_flow& f, const u32& mode, const pst_ack_header& h,
                         const u16& field) {
  return may_leave(h, field) && is_a_segment(f, mode, h, field) &&
         covers_the_edge(f, mode, h, field);
}

// Of a SYN-ACK, unscaled.
inline Bool opening_field(const pst_flow& f, const pst_ack_header& h, const u16& field) {
  return may_leave(h, field) && (field == h.field || field >= 2 * pst_max(f.mss_bytes, 1));
}

inline Bool commits(const pst_flow& before, const pst_flow& after, const pst_ack_header& h,
                    const u16& field) {
  pst_flow taken = before;
  PENSTOCK_COMMITS(PENSTOCK_TAKE_FIELD)
  pst_flow counted = before;
  counted.unseen_acks = after.unseen_acks;
  const Bool unseen = pst_is_unseen(&before, &h);
  const Bool old = !unseen && is_old(before, h);
  const Bool newest = !unseen && !old && !h.syn && !pst_is_ignored(&before, &h);
  const Bool recorded = after.has_ack && after.ack == h.ack && after.field_in == h.field &&
                        after.field_out == field && after.has_edge;
  return equal(taken, after) && implies(unseen, equal(counted, after)) &&
         implies(old, equal(before, after)) && implies(newest, recorded) && invariant(after);
}

#undef PENSTOCK_TAKE_FIELD

}  // namespace prove

#endif
