// SPDX-License-Identifier: GPL-2.0-only
// Any state of the law `penstock` that satisfies its invariant, and any input of its hosts.
#ifndef PENSTOCK_TESTS_PROVE_LAW_PENSTOCK_H
#define PENSTOCK_TESTS_PROVE_LAW_PENSTOCK_H

#include "inputs.h"

#define pst_penstock_flow_wire_bytes pst_penstock_flow_wire_bytes_of_core
#include "law/penstock_model.h"
#undef pst_penstock_flow_wire_bytes

// By hand, of penstock_model.h: i = floor((2^32 - 1) / m) is above 2^32 / m - 1 - 1 / m, so for
// h < 2^32 floor(h * i / 2^32) is h / m rounded down, or 1 less, which is added.
static inline u64 pst_penstock_flow_wire_bytes(const pst_penstock_params* p,
                                               const pst_penstock_flow* f, u32 bytes) {
  prove::holds(f->mss_bytes >= 1, "a flow whose segments are known");
  return pst_penstock_wire_bytes(p, bytes, f->mss_bytes);
}

#include "../proof.h"

namespace prove {

// What the sums of a round trip reach by 2^22 ACKs of the largest flight.
constexpr unsigned long long MOST_SUM_BYTES = 1ULL << 62;
constexpr unsigned long long MOST_ACKED_BYTES = 257 * MOST_FLIGHT_BYTES;
constexpr unsigned long long MOST_DRAIN_Q32 = (1ULL << 37) - 1;
constexpr unsigned long long MOST_SEGMENTS = (1ULL << 30) + 2;  // of a share

// R(field, most): the ranges of the state; of all fields, 0 is the least, save factor_q32's.
#define PENSTOCK_RANGES(R)                     \
  R(factor_q32, PST_PENSTOCK_MOST_Q32)         \
  R(target_bytes, PST_MAX_BYTES)               \
  R(target_ns, PST_MAX_NS)                     \
  R(segments_q16, PST_PIPE_MAX_SEGMENTS << 16) \
  R(rtt_ns_q16, PST_MAX_NS << 16)              \
  R(promised_bytes, PST_MAX_BYTES)             \
  R(opening, PST_MAX_PKTS)                     \
  R(acked_ns, MOST_NOW_NS)                     \
  R(use_q16, 16 * PST_Q16_ONE)                 \
  R(coming_bytes, PST_MAX_BYTES - 1)           \
  R(coming_ns, MOST_NOW_NS)                    \
  R(drain_q32, MOST_DRAIN_Q32)                 \
  R(flows_q16, PST_MAX_BYTES)                  \
  R(phase_q16, 0xffff)                         \
  R(booked_bytes, PST_MAX_BYTES)               \
  R(base_q32, PST_PENSTOCK_MOST_Q32)

inline pst_penstock_state any_state() {
  pst_penstock_state s = {};
#define PENSTOCK_ANY(field, most) s.field = u64::up_to("s." #field, most);
  PENSTOCK_RANGES(PENSTOCK_ANY)
#undef PENSTOCK_ANY
  s.acked_bytes = u64::up_to("s.acked_bytes", MOST_SUM_BYTES + MOST_ACKED_BYTES);
  s.filled_bytes = u64::up_to("s.filled_bytes", MOST_SUM_BYTES + MOST_ACKED_BYTES);
  s.growing_bytes = u64::up_to("s.growing_bytes", MOST_SUM_BYTES + MOST_ACKED_BYTES);
  assume(s.factor_q32 >= PST_PENSTOCK_LEAST_Q32);
  return s;
}

// The sums have room for an ACK.
inline void assume_room(const pst_penstock_state& s) {
  assume(s.acked_bytes <= MOST_SUM_BYTES && s.filled_bytes <= MOST_SUM_BYTES &&
         s.growing_bytes <= MOST_SUM_BYTES);
}

// Each field of @s is in its range; the sums may have grown by one ACK.
inline void holds_ranges(const pst_penstock_state& s) {
#define PENSTOCK_HOLDS(field, most) holds(s.field <= (most), #field " is in its range");
  PENSTOCK_RANGES(PENSTOCK_HOLDS)
#undef PENSTOCK_HOLDS
  holds(s.factor_q32 >= PST_PENSTOCK_LEAST_Q32, "the correction is 1/16 at least");
  holds(s.acked_bytes <= MOST_SUM_BYTES + MOST_ACKED_BYTES, "one ACK more is acknowledged");
  holds(s.filled_bytes <= MOST_SUM_BYTES + MOST_ACKED_BYTES, "one ACK more counts as filled");
  holds(s.growing_bytes <= MOST_SUM_BYTES + MOST_ACKED_BYTES, "one ACK more counts as growing");
}

inline pst_penstock_params any_params() {
  pst_penstock_params p = {};
  PST_PENSTOCK_PARAMS(PENSTOCK_ANY_PARAM)
  return p;
}

inline pst_penstock_flow any_law_flow() {
  pst_penstock_flow f = {};
  f.promised_bytes = u32::any("f.promised_bytes");
  f.mss_bytes = u32::up_to("f.mss_bytes", MOST_MSS_BYTES);
  f.mss_inverse_q32 = u32::any("f.mss_inverse_q32");
  f.behind_bytes = u32::up_to("f.behind_bytes", PST_MOST_WINDOW_BYTES);
  f.phase_q16 = u16::any("f.phase_q16");
  f.bound = u16::up_to("f.bound", PST_PENSTOCK_SHARE);
  return f;
}

}  // namespace prove

#endif
