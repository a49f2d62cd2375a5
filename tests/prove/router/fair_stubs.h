// SPDX-License-Identifier: GPL-2.0-only
// The table of fair, of which the proofs take what other proofs say, or what changes no range.
#pragma once

#include "../law/facts.h"

#define pst_fair_passed_q20 pst_fair_passed_q20_of_core
#define pst_fair_mean_decayed pst_fair_mean_decayed_of_core
#include "flow/fair_decay.h"
#undef pst_fair_passed_q20
#undef pst_fair_mean_decayed

// By hand, of fair_decay.h: with i = floor((2^64 - 1) / a) and p < a, p * i / 2^44 is at most
// 2^20 p / a and lacks less than 1 of it, so the quotient rounded down is that, or 1 more.
static inline u64 pst_fair_passed_q20(u64 passed_ns, u64 average_ns, u64 inverse) {
  prove::holds(passed_ns < average_ns && average_ns < 1ULL << 44, "a part of the averaging time");
  prove::holds(inverse * average_ns > ~0ULL - average_ns, "its inverse");
  return u64::up_to("passed_q20", (1ULL << 20) - 1);
}

constexpr unsigned long long MOST_PASSED_NS = 4 * PST_NS_PER_S;

// a_mean_that_decays_does_not_grow proves it.
static inline u64 pst_fair_mean_decayed(u64 mean_bytes, u64 passed_ns) {
  using namespace prove;
  holds(mean_bytes < PST_MAX_BYTES && passed_ns < MOST_PASSED_NS, "a mean that decays");
  const Whole r = between(0, PST_MAX_BYTES - 1);
  given(r.term() <= mean_bytes.whole().term());
  return u64::exactly(r);
}

#define pst_units_since pst_units_since_of_core
#include "flow/fair_growth.h"
#undef pst_units_since

// How much time has passed changes no range.
static inline u32 pst_units_since(u32, u32) { return u32::any("units"); }

#include "flow/fair_cell.h"

// Which flows have cells of their own changes no range.
#define PENSTOCK_CORE_FLOW_FAIR_STREAMS_H
#define PST_STREAMS 128U
#define PST_STREAM_LASTS 0x8000U
struct pst_fair_streams {};
struct pst_fair_stream {
  bool used;
};
static inline u16 pst_fair_stream_of(pst_fair_streams*, u64, u32) { return u16(0); }
static inline pst_fair_stream* pst_fair_stream_at(pst_fair_streams*, u64) { return nullptr; }

#include "flow/fair_find.h"
