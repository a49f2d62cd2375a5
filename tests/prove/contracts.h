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
  const pst_ack_header h = {ack, u16(0), false, false};
  const Bool wrong = (before.has_ack && s32(ack - before.ack) < 0) || pst_is_unseen(&before, &h);
  const Bool restarted = !after.has_ack && !after.has_doubted && after.contested &&
                         !after.scale_proved && after.ack == ack && before.has_doubted && wrong;
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

inline u64 granule_of(const pst_flow& f) { return u64(1) << f.scale; }

// What R4 and R2 keep of a window, whatever the law allows.
inline u64 kept_bytes(const pst_flow& f, const u32& mode, const pst_ack_header& h) {
  const Bool literal = mode == PST_LITERAL;
  const Bool strict = mode == PST_STRICT;
  const u32 edge = choose(strict, f.edge, f.sent);
  const Bool known = (strict && f.has_edge) || (!strict && f.has_sent);
  const Bool binds = known && !literal && pst_seq_after(edge, h.ack);
  const u64 edge_bytes = choose(binds, u64(edge - h.ack), u64(0));
  return pst_max(choose(literal, u64(1), pst_max(f.mss_bytes, 1)), edge_bytes);
}

// The window that R26 permits at @h: the last one, and what is acknowledged.
inline u64 ramp_bytes(const pst_flow& f, const pst_ack_header& h) {
  return u64(f.ramp_bytes) + (h.ack - f.ack);
}

// R3: @bytes rounded up, by less than a granule, or all that is offered.
inline Bool rounds_up(const pst_flow& f, const pst_ack_header& h, const u64& bytes,
                      const u16& field) {
  const u64 least = pst_min(bytes, bytes_of(f, h.field));
  return bytes_of(f, field) >= least && bytes_of(f, field) < least + granule_of(f);
}

// R3, of a window for which the law allows @allowed bytes.
inline Bool rounds_up_the_allowed(const pst_flow& f, const u32& mode, const pst_ack_header& h,
                                  const u64& allowed, const u16& field) {
  const Bool ramps = mode != PST_LITERAL && f.ramp_bytes != 0;
  const u64 ramp = ramp_bytes(f, h) >> f.scale << f.scale;
  const u64 bytes = choose(ramps, pst_min(allowed, ramp), allowed);
  return rounds_up(f, h, pst_max(bytes, kept_bytes(f, mode, h)), field);
}

// R26, as a window of @mode: a window that was reduced grows by what is acknowledged, unless R4 or
// R2 keeps more.
inline Bool ramps(const pst_flow& f, const u32& mode, const pst_ack_header& h, const u16& field) {
  return mode == PST_LITERAL || f.ramp_bytes == 0 || bytes_of(f, field) <= ramp_bytes(f, h) ||
         bytes_of(f, field) < kept_bytes(f, mode, h) + granule_of(f);
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
  const u64 again = pst_max(bytes_of(f, f.field_out), kept_bytes(f, mode, h));
  return may_leave(h, field) && implies(passes, field == h.field) &&
         implies(unseen || old, is_a_segment(f, mode, h, field) && newest) &&
         implies(old, covers_the_edge(f, mode, h, field)) &&
         implies(old && f.field_out != 0, rounds_up(f, h, again, field)) &&
         implies(ignored, field == pst_min(f.field_out, h.field));
}

// R1, R2, R4 and R5.
inline Bool bounded_field(const pst_flow& f, const u32& mode, const pst_ack_header& h,
                          const u16& field) {
  return may_leave(h, field) && is_a_segment(f, mode, h, field) &&
         covers_the_edge(f, mode, h, field);
}

// Of an ACK of a known scale that is not unseen, for which the law allows @allowed bytes.
inline Bool window_field(const pst_flow& f, const u32& mode, const pst_ack_header& h,
                         const u64& allowed, const u16& field) {
  return bounded_field(f, mode, h, field) && rounds_up_the_allowed(f, mode, h, allowed, field) &&
         ramps(f, mode, h, field);
}

// Of a SYN-ACK, unscaled.
inline Bool opening_field(const pst_flow& f, const pst_ack_header& h, const u64& allowed,
                          const u16& field) {
  return may_leave(h, field) && (field == h.field || field >= 2 * pst_max(f.mss_bytes, 1)) &&
         implies(allowed >= h.field, field == h.field);
}

// R10: what an ACK that its sender ignores leaves.
inline Bool same_windows(const pst_flow& a, const pst_flow& b) {
  return a.ack == b.ack && a.has_ack == b.has_ack && a.ramp_bytes == b.ramp_bytes &&
         a.field_in == b.field_in && a.field_out == b.field_out;
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
  const Bool ignored = !unseen && !old && !h.syn && !newest;
  // R26 begins with a reduced window, at what it is.
  const Bool begun = (after.ramp_bytes == 0) == (field == h.field) &&
                     after.ramp_bytes < bytes_of(after, field) + granule_of(after);
  return equal(taken, after) && implies(unseen, equal(counted, after)) &&
         implies(old, equal(before, after)) && implies(newest, recorded && begun) &&
         implies(ignored, same_windows(before, after)) && invariant(after);
}

#undef PENSTOCK_TAKE_FIELD

}  // namespace prove

#endif
