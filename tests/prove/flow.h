// SPDX-License-Identifier: GPL-2.0-only
// Any state that a flow can be in, any ACK, and the invariant that all events keep.
#ifndef PENSTOCK_TESTS_PROVE_FLOW_H
#define PENSTOCK_TESTS_PROVE_FLOW_H

#include "proof.h"

#include "rewrite/window.h"

namespace prove {

// The bytes of the largest window that a header can say.
constexpr unsigned long long MAX_WINDOW_BYTES = 65535ULL << PST_MAX_SCALE;
constexpr unsigned MAX_PAYLOAD_BYTES = 65535;

inline Bool invariant(const pst_flow& f) {
  const Bool options = ((f.forward_scale == PST_NO_SCALE || f.forward_scale <= PST_MAX_SCALE) &&
                        (f.reverse_scale == PST_NO_SCALE || f.reverse_scale <= PST_MAX_SCALE));
  const Bool sizes = (f.scale <= PST_MAX_SCALE && f.mss_bytes <= MAX_PAYLOAD_BYTES);
  const Bool reduced = implies(f.has_ack, f.field_out <= f.field_in);
  // R26 binds whenever the newest window was reduced.
  const Bool ramp = implies(f.has_ack && f.field_out < f.field_in, f.ramp_bytes != 0);
  const Bool granted = implies(f.has_ack, implies(f.field_in != 0, f.field_out != 0));
  return ((options && sizes) &&
          ((reduced && ramp) && (granted && f.ramp_bytes <= MAX_WINDOW_BYTES)));
}

// F(field): all fields of a flow, but the interval in which it was counted.
#define PENSTOCK_FLOW(F) \
  F(edge)                \
  F(sent)                \
  F(ack)                 \
  F(doubted_from)        \
  F(doubted_to)          \
  F(ramp_bytes)          \
  F(mss_bytes)           \
  F(smaller_bytes)       \
  F(smaller_count)       \
  F(field_in)            \
  F(field_out)           \
  F(forward_mss_bytes)   \
  F(reverse_mss_bytes)   \
  F(scale)               \
  F(forward_scale)       \
  F(reverse_scale)       \
  F(scale_known)         \
  F(has_forward_syn)     \
  F(has_reverse_syn)     \
  F(reverse_opened)      \
  F(has_edge)            \
  F(has_sent)            \
  F(has_ack)             \
  F(has_doubted)         \
  F(unseen_acks) F(scalable) F(half_edge) F(proved) F(contested) F(waits) F(scale_proved) F(unused)

inline pst_flow any_flow_unbounded() {
  pst_flow f = {};
#define PENSTOCK_ANY_FIELD(field) f.field = decltype(f.field)::any(#field);
  PENSTOCK_FLOW(PENSTOCK_ANY_FIELD)
  return f;
}

// Whether no field differs.
inline Bool equal(const pst_flow& a, const pst_flow& b) {
  Bool all = true;
#define PENSTOCK_EQUAL_FIELD(field) all = all && a.field == b.field;
  PENSTOCK_FLOW(PENSTOCK_EQUAL_FIELD)
#undef PENSTOCK_EQUAL_FIELD
  return all;
}

// Every state that satisfies the invariant.
inline pst_flow any_flow() {
  pst_flow f = any_flow_unbounded();
  assume(invariant(f));
  return f;
}

inline pst_ack_header any_ack() {
  pst_ack_header h;
  h.ack = u32::any("h.ack");
  h.field = u16::any("h.field");
  h.syn = Bool::any("h.syn");
  h.pure = Bool::any("h.pure");
  // A SYN is not pure (struct pst_ack_header).
  assume(implies(h.syn, !h.pure));
  return h;
}

inline u32 any_mode() {
  const u32 mode = u32::any("mode");
  assume(mode < PST_MODE_COUNT);
  return mode;
}

// Whether an event has changed nothing.
inline Bool same_flow(const pst_flow& a, const pst_flow& b) {
  const Bool numbers =
      ((a.edge == b.edge && a.sent == b.sent) && (a.ack == b.ack && a.ramp_bytes == b.ramp_bytes));
  const Bool fields = ((a.field_in == b.field_in && a.field_out == b.field_out) &&
                       (a.scale == b.scale && a.mss_bytes == b.mss_bytes));
  const Bool flags = (((a.has_edge == b.has_edge) && (a.has_sent == b.has_sent)) &&
                      ((a.has_ack == b.has_ack) && (a.has_doubted == b.has_doubted)));
  const Bool contest = a.half_edge == b.half_edge && a.proved == b.proved &&
                       a.contested == b.contested && a.waits == b.waits &&
                       a.scale_proved == b.scale_proved && a.unused == b.unused;
  return numbers && fields && flags && contest && a.unseen_acks == b.unseen_acks;
}

inline u64 bytes_of(const pst_flow& f, const u16& field) { return u64(field) << f.scale; }

// What leaves the gateway for @h, whatever the law allows.
inline pst_rewrite answer(const pst_flow& f, const u32& mode, const pst_ack_header& h) {
  pst_rewrite out;
  if (pst_rewrite_bypassed(&f, mode, &h, &out)) {
    return out;
  }
  return pst_rewrite_window(&f, mode, &h, u64::any("allowed_bytes"));
}

}  // namespace prove

#endif
