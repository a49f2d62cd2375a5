// SPDX-License-Identifier: GPL-2.0-only
// Any hidden queue, any rate of its link and any trip, and the ranges that events keep.
#ifndef PENSTOCK_TESTS_PROVE_ROUTER_HIDDEN_H
#define PENSTOCK_TESTS_PROVE_ROUTER_HIDDEN_H

#define PENSTOCK_PROVE_ZERO_DIVISOR
#include "../law/inputs.h"
#include "one_way.h"

// Memory that is cleared begins again as values.
namespace prove {
template <typename T>
void clear(T* object, int, unsigned long) {
  *object = T{};
}
}  // namespace prove
#define __builtin_memset prove::clear
#include "queue/drain.h"

namespace prove {

constexpr unsigned long long MOST_DELIVERED_BYTES = 1ULL << 46;
constexpr unsigned long long MOST_LATER_NS = MOST_NOW_NS + PST_MAX_NS;  // of a time to come
constexpr unsigned long long MOST_DRAIN_NS = MOST_NOW_NS + 4 * PST_MAX_NS;
constexpr unsigned long long MOST_EXCESS_BYTES = 1024 * PST_MAX_BYTES;  // a rate for 1,000 s
constexpr unsigned long long MOST_PACKET_NS = 1ULL << 55;  // at the least rate
constexpr unsigned long long MOST_AVERAGE_NS = PST_NS_PER_S;
constexpr unsigned long long MOST_DOUBTS = 1ULL << 31;  // one in each 0.2 s: 13 years

inline pst_departure_rate any_rate() {
  pst_departure_rate r = {};
  r.bytes_per_s =
      u64::exactly(between(PST_DEPARTURE_MIN_BYTES_PER_S, PST_MAX_BYTES, "r.bytes_per_s"));
  r.sent_bytes_per_s = u64::up_to("r.sent_bytes_per_s", PST_MAX_BYTES);
  r.known_ns = u64::up_to("r.known_ns", MOST_AVERAGE_NS);
  r.longest_bytes = u64::up_to("r.longest_bytes", PST_MAX_BYTES);
  r.longest_before_bytes = u64::up_to("r.longest_before_bytes", PST_MAX_BYTES);
  r.longest_steps = u64::up_to("r.longest_steps", PST_DEPARTURE_LONGEST_STEPS - 1);
  r.busy_bytes = u64::up_to("r.busy_bytes", MOST_DELIVERED_BYTES);
  r.busy_ns = u64::up_to("r.busy_ns", 2 * PST_DEPARTURE_STEP_NS - 1);
  r.all_bytes = u64::up_to("r.all_bytes", MOST_DELIVERED_BYTES);
  r.all_ns = u64::up_to("r.all_ns", PST_DEPARTURE_STEP_NS - 1);
  assume(r.busy_ns < PST_DEPARTURE_STEP_NS + r.all_ns);
  return r;
}

inline void holds_ranges(const pst_departure_rate& r) {
  holds(r.bytes_per_s >= PST_DEPARTURE_MIN_BYTES_PER_S, "C is above zero");
  holds(r.bytes_per_s <= PST_MAX_BYTES, "C");
  holds(r.sent_bytes_per_s <= PST_MAX_BYTES, "what is sent");
  holds(r.known_ns <= MOST_AVERAGE_NS, "what is known of it");
  holds(r.longest_steps < PST_DEPARTURE_LONGEST_STEPS, "steps");
  holds(r.all_ns < PST_DEPARTURE_STEP_NS, "a step's time");
  holds(r.busy_ns < PST_DEPARTURE_STEP_NS + r.all_ns, "and of it, and of the last, the busy one");
}

inline pst_drain any_drain() {
  pst_drain d = {};
  d.round_ns = u64::up_to("d.round_ns", MOST_NOW_NS);
  d.full_bytes_per_s = u64::up_to("d.full_bytes_per_s", PST_MAX_BYTES);
  d.least_ns = u64::up_to("d.least_ns", PST_MAX_NS);
  d.until_ns = u64::up_to("d.until_ns", MOST_DRAIN_NS);
  d.shown_ns = u64::up_to("d.shown_ns", MOST_DRAIN_NS);
  d.part_q16 = u64::up_to("d.part_q16", PST_Q16_ONE / 4);
  d.wait_ns = u64::up_to("d.wait_ns", PST_MAX_NS);
  return d;
}

inline void holds_ranges(const pst_drain& d) {
  holds(d.part_q16 <= PST_Q16_ONE / 4, "a drain takes a quarter at most");
  holds(d.full_bytes_per_s <= PST_MAX_BYTES && d.wait_ns <= PST_MAX_NS, "of a rate, at a wait");
  holds(d.until_ns <= MOST_DRAIN_NS && d.shown_ns <= MOST_DRAIN_NS, "until then");
  holds(d.round_ns <= MOST_NOW_NS && d.least_ns <= PST_MAX_NS, "since then");
}

// a_step_keeps_a_measured_rate_in_its_range proves it.
inline void any_step(pst_departure_rate* r, u64 bytes, u64 ns, bool, u64 packet_bytes) {
  holds(bytes <= MOST_DELIVERED_BYTES && ns <= MOST_NOW_NS, "what was delivered");
  holds(packet_bytes <= MOST_PACKET_BYTES, "a packet");
  *r = any_rate();
}

}  // namespace prove

#define pst_departure_rate_add prove::any_step
#include "queue/hidden_parts.h"
#undef pst_departure_rate_add

namespace prove {

inline pst_hidden_queue any_hidden() {
  pst_hidden_queue h = {};
  h.bytes = u64::up_to("h.bytes", PST_MAX_BYTES);
  h.seen_ns = u64::up_to("h.seen_ns", MOST_NOW_NS);
  h.corrected_bytes = u64::any("h.corrected_bytes");
  h.excess_bytes = u64::up_to("h.excess_bytes", MOST_EXCESS_BYTES);
  h.other_bytes = u64::up_to("h.other_bytes", MOST_PACKET_BYTES);
  h.others_bytes = u64::any("h.others_bytes");
  h.told_bytes = u64::any("h.told_bytes");
  h.again_q16 = u64::up_to("h.again_q16", PST_Q16_ONE);
  h.again_ns = u64::up_to("h.again_ns", MOST_NOW_NS);
  h.beside_bytes = u64::up_to("h.beside_bytes", PST_MAX_BYTES);
  h.supposed = u64::up_to("h.supposed", PST_HIDDEN_SUPPOSED);
  h.acked_bytes = u64::any("h.acked_bytes");
  h.counted_bytes = u64::any("h.counted_bytes");
  h.trip_ns = u64::up_to("h.trip_ns", MOST_NOW_NS);
  h.delay_ns = u64::up_to("h.delay_ns", PST_MAX_NS);
  h.stands_ns = u64::up_to("h.stands_ns", MOST_NOW_NS);
  h.known_ns = u64::up_to("h.known_ns", MOST_LATER_NS);
  h.known_since_ns = u64::up_to("h.known_since_ns", MOST_NOW_NS);
  h.before_bytes_per_s = u64::up_to("h.before_bytes_per_s", PST_MAX_BYTES);
  h.proved_ns = u64::up_to("h.proved_ns", MOST_NOW_NS);
  h.idle = Bool::any("h.idle");
  h.drain = any_drain();
  h.longer_ns = u64::up_to("h.longer_ns", PST_DRAIN_MOST_NS);
  h.longer = u32::up_to("h.longer", MOST_DOUBTS);
  h.rebased_ns = u64::up_to("h.rebased_ns", MOST_LATER_NS);
  h.high_ns = u64::up_to("h.high_ns", MOST_NOW_NS);
  h.high_delay_ns = u64::up_to("h.high_delay_ns", PST_MAX_NS);
  h.high_bytes_per_s = u64::up_to("h.high_bytes_per_s", PST_MAX_BYTES);
  h.high_last_ns = u64::up_to("h.high_last_ns", PST_MAX_NS);
  h.above_ns = u64::up_to("h.above_ns", MOST_NOW_NS);
  h.above_bytes_per_s = u64::up_to("h.above_bytes_per_s", PST_MAX_BYTES);
  h.doubted_ns = u64::up_to("h.doubted_ns", MOST_LATER_NS);
  h.doubt_shift = u64::up_to("h.doubt_shift", PST_HIDDEN_DOUBT_SHIFT);
  h.doubts = u32::up_to("h.doubts", MOST_DOUBTS);
  return h;
}

inline void holds_ranges(const pst_hidden_queue& h) {
  holds(h.bytes <= PST_MAX_BYTES && h.beside_bytes <= PST_MAX_BYTES, "the queue");
  holds(h.again_q16 <= PST_Q16_ONE && h.again_ns <= MOST_NOW_NS, "what passes again");
  holds(h.supposed <= PST_HIDDEN_SUPPOSED, "what is supposed");
  holds(h.seen_ns <= MOST_NOW_NS && h.trip_ns <= MOST_NOW_NS, "it was seen in the past");
  holds(h.stands_ns <= MOST_NOW_NS && h.proved_ns <= MOST_NOW_NS, "so it stood");
  holds(h.known_since_ns <= MOST_NOW_NS, "and was known");
  holds(h.high_ns <= MOST_NOW_NS && h.above_ns <= MOST_NOW_NS, "and was doubtful");
  holds(h.known_ns <= MOST_LATER_NS && h.doubted_ns <= MOST_LATER_NS, "until then");
  holds(h.excess_bytes <= MOST_EXCESS_BYTES, "what is above the model");
  holds(h.delay_ns <= PST_MAX_NS && h.high_delay_ns <= PST_MAX_NS, "delays");
  holds(h.high_last_ns <= PST_MAX_NS, "likewise");
  holds(h.high_bytes_per_s <= PST_MAX_BYTES && h.above_bytes_per_s <= PST_MAX_BYTES, "rates");
  holds_ranges(h.drain);
  holds(h.longer_ns <= PST_DRAIN_MOST_NS && h.longer <= MOST_DOUBTS + 1, "a longer path");
  holds(h.before_bytes_per_s <= PST_MAX_BYTES, "a rate before");
  holds(h.rebased_ns <= MOST_LATER_NS, "which was found");
  holds(h.doubt_shift <= PST_HIDDEN_DOUBT_SHIFT && h.doubts <= MOST_DOUBTS + 1, "doubts");
}

inline pst_hidden_flow any_flow() {
  pst_hidden_flow f = {};
  f.mark_bytes = u64::any("f.mark_bytes");
  f.least_ns = u64::up_to("f.least_ns", PST_MAX_NS);
  f.doubts = u32::up_to("f.doubts", MOST_DOUBTS);
  f.longer = u32::up_to("f.longer", MOST_DOUBTS);
  f.others_bytes = u64::any("f.others_bytes");
  f.others_next_bytes = u64::any("f.others_next_bytes");
  return f;
}

inline pst_trip any_trip() {
  pst_trip t = {};
  t.now_ns = u64::up_to("t.now_ns", MOST_NOW_NS);
  t.ns = u64::exactly(between(1, PST_MAX_NS, "t.ns"));
  t.before_ns = u64::up_to("t.before_ns", MOST_NOW_NS);
  t.paired = u64::up_to("t.paired", 1);
  t.beyond = u64::up_to("t.beyond", 1);
  t.observed = u64::up_to("t.observed", 1);
  t.waited_ns = u64::up_to("t.waited_ns", PST_MAX_NS);
  assume(t.waited_ns <= PST_MAX_NS - t.ns);
  return t;
}

inline u64 any_time() { return u64::up_to("now_ns", MOST_NOW_NS); }
inline u64 any_delay() { return u64::up_to("delay_ns", PST_MAX_NS); }
inline u64 any_packet_bytes() { return u64::up_to("packet_bytes", MOST_PACKET_BYTES); }

}  // namespace prove

#endif
