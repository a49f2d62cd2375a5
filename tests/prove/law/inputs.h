// SPDX-License-Identifier: GPL-2.0-only
// Any queue and any ACK that a host may show a law.
#ifndef PENSTOCK_TESTS_PROVE_LAW_INPUTS_H
#define PENSTOCK_TESTS_PROVE_LAW_INPUTS_H

#include "facts.h"

// Of its cells, core/queue/queue.h has a pointer alone.
#define PENSTOCK_CORE_FLOW_FAIR_TABLE_H
struct pst_fair_table;

#include "law/ack.h"
#include "queue/queue.h"

// Of a row of a method's parameters: any value in its range, as a field of `p`.
#define PENSTOCK_ANY_PARAM(name, unit, def, min, max, help, source) \
  p.name = u64::exactly(between(min, max, "p." #name));

namespace prove {

constexpr unsigned long long MOST_NOW_NS = 1ULL << 63;  // 292 years
constexpr unsigned long long MOST_WINDOW_BYTES = 65535ULL << 14;
constexpr unsigned long long MOST_FLIGHT_BYTES = 1ULL << 31;  // tests/prove/gateway/ proves it
constexpr unsigned long long MOST_MSS_BYTES = 65535;

inline pst_queue any_queue() {
  pst_queue q = {};
  q.now_ns = u64::up_to("q.now_ns", MOST_NOW_NS);
  q.bytes = u64::up_to("q.bytes", PST_MAX_BYTES);
  q.packets = u64::up_to("q.packets", PST_MAX_PKTS);
  q.limit_bytes = u64::up_to("q.limit_bytes", PST_MAX_BYTES);
  q.limit_packets = u64::up_to("q.limit_packets", PST_MAX_PKTS);
  q.rate_bytes_per_s = u64::any("q.rate_bytes_per_s");
  q.flows = u64::exactly(between(1, PST_MAX_BYTES, "q.flows"));
  q.mss_bytes = u32::up_to("q.mss_bytes", MOST_MSS_BYTES);
  q.flows_q16 = u64::up_to("q.flows_q16", 1ULL << 56);
  q.pause_ns = u64::up_to("q.pause_ns", PST_MAX_NS);
  q.controlled_q16 = u64::up_to("q.controlled_q16", 1ULL << 56);
  q.opening = u32::any("q.opening");
  q.others_use_q15 = u16::any("q.others_use_q15");
  q.silent_q15 = u16::up_to("q.silent_q15", PST_Q15_ONE);
  q.others_fill = Bool::any("q.others_fill");
  q.observed = Bool::any("q.observed");
  q.paced = Bool::any("q.paced");
  q.phantom = Bool::any("q.phantom");
  return q;
}

inline pst_ack any_law_ack() {
  pst_ack a = {};
  a.window_bytes = u64::up_to("a.window_bytes", MOST_WINDOW_BYTES);
  a.rtt_ns = u64::up_to("a.rtt_ns", PST_MAX_NS);
  a.mss_bytes = u32::exactly(between(1, MOST_MSS_BYTES, "a.mss_bytes"));
  a.granule_bytes = u32::exactly(between(1, 1 << 14, "a.granule_bytes"));
  a.flight_bytes = u32::up_to("a.flight_bytes", MOST_FLIGHT_BYTES);
  a.acked_bytes = u32::up_to("a.acked_bytes", MOST_FLIGHT_BYTES);
  a.granted_bytes = u32::up_to("a.granted_bytes", MOST_WINDOW_BYTES);
  a.fills = Bool::any("a.fills");
  a.more = Bool::any("a.more");
  a.opens = Bool::any("a.opens");
  assume(a.acked_bytes <= a.flight_bytes);
  return a;
}

// A window that a host is told: no more than the receiver's, and a segment at least.
inline void holds_window(const u64& window, const pst_ack& a) {
  holds(window <= a.window_bytes, "no more than the receiver's");
  holds(window >= pst_min(a.window_bytes, a.mss_bytes), "a segment at least");
}

}  // namespace prove

#endif
