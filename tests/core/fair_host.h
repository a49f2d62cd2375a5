// SPDX-License-Identifier: GPL-2.0-only
// `fair` on a queue of which the test says the length.
#pragma once

#include "core/discipline/fair.h"
#include "core/queue/places.h"

#include <memory>

inline constexpr u64 kMs = 1'000'000;
inline constexpr u64 kBytesPerS = 2'500'000;  // 20 Mbit/s
inline constexpr u64 kTarget = 12'500;

inline pst_fair_params params() {
  return {.target_bytes = kTarget, .target_ns = 5 * kMs, .average_ns = 100 * kMs, .spare_q16 = 0};
}

class Fair {
 public:
  pst_fair_params p = params();
  pst_fair_state s{};
  pst_queue q{};
  std::unique_ptr<pst_fair_table> table = std::make_unique<pst_fair_table>();

  Fair() {
    q.table = table.get();
    q.rate_bytes_per_s = kBytesPerS;
    q.limit_bytes = 97'000;
    q.mss_bytes = 1448;
  }

  pst_verdict arrive(u64 flow, u32 bytes, pst_kind kind, u8 tos = 0, bool restrained = false) {
    pst_packet k{};
    k.queued_ns = q.now_ns;
    k.bytes = bytes;
    k.kind = kind;
    k.tos = tos;
    k.restrained = restrained;
    k.flow = pst_fair_hash(flow + 1);
    return arrive(k, 0);
  }

  // Of a pair of hosts, 0 for none.
  pst_verdict arrive(pst_packet& k, u64 pair) {
    pst_place(table.get(), &k, pair, q.now_ns);
    return pst_fair_on_arrive(&p, &s, &q, &k);
  }

  void answer(u64 flow) { pst_fair_answer(table.get(), pst_fair_hash(flow + 1), q.now_ns); }
};
