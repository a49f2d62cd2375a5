// SPDX-License-Identifier: GPL-2.0-only
// A trip as one event of the hidden queue: each part of hidden_parts.h is anything that
// hidden_proofs.cpp proves of it.
#include "hidden.h"

namespace prove {

inline u64 any_delay_of_trip(const pst_hidden_queue* h, pst_hidden_flow* f,
                             const pst_departure_rate*, const pst_trip* t, u64 packet_ns) {
  holds(t->ns >= 1 && packet_ns <= MOST_PACKET_NS, "a trip, and a packet's time");
  f->least_ns = u64::up_to("least_ns after", PST_MAX_NS);
  f->doubts = h->doubts;
  f->longer = h->longer;
  const u64 delay_ns = u64::up_to("delay_ns", PST_MAX_NS);
  assume(delay_ns < t->ns && f->least_ns >= 1 && f->least_ns <= t->ns);
  return delay_ns;
}

// Any other state with the same queue.
inline void any_state(pst_hidden_queue* h) {
  const pst_hidden_queue before = *h;
  *h = any_hidden();
  h->bytes = before.bytes;
  h->corrected_bytes = before.corrected_bytes;
  h->excess_bytes = before.excess_bytes;
  h->doubts = before.doubts;
  h->longer = before.longer;
}

inline void any_count_of_others(pst_hidden_queue* h, u64, u64 lost_q16) {
  holds(lost_q16 <= PST_Q16_ONE, "a part");
  h->told_bytes = u64::any("told_bytes after");
  h->acked_bytes = u64::any("acked_bytes after");
}

inline void any_measurement(pst_hidden_queue* h, pst_departure_rate* r, const pst_trip*,
                            u64 delay_ns, u64 packet_bytes) {
  holds(delay_ns <= PST_MAX_NS && packet_bytes <= MOST_PACKET_BYTES, "a delay, and a packet");
  any_state(h);
  *r = any_rate();
}

inline u64 any_correction(pst_hidden_queue* h, const pst_hidden_flow*, u64 delayed_bytes, bool) {
  holds(delayed_bytes <= MOST_EXCESS_BYTES, "what a delay says");
  h->bytes = u64::up_to("corrected queue", PST_MAX_BYTES);
  h->corrected_bytes = u64::any("corrected_bytes after");
  h->excess_bytes = u64::up_to("excess_bytes after", MOST_EXCESS_BYTES);
  return u64::up_to("raised_bytes", MOST_EXCESS_BYTES);
}

inline void any_change_of_rate(const pst_hidden_queue*, pst_departure_rate* r, const pst_trip*,
                               u64 bytes) {
  holds(bytes <= MOST_EXCESS_BYTES, "a correction");
  *r = any_rate();
}

inline void any_lesson(pst_hidden_queue* h, pst_departure_rate*, u64 now_ns, u64 delay_ns) {
  holds(now_ns <= MOST_NOW_NS && delay_ns <= PST_MAX_NS, "a time, and a delay");
  any_state(h);
  h->bytes = u64::up_to("learned queue", PST_MAX_BYTES);
  h->corrected_bytes = u64::any("corrected_bytes after");
}

inline u64 any_high_delay(const pst_hidden_queue*, const pst_hidden_flow* f,
                          const pst_departure_rate*, const pst_trip* t, u64 packet_bytes) {
  holds(packet_bytes <= MOST_PACKET_BYTES && f->least_ns <= t->ns, "a packet, and the least trip");
  const u64 delay_ns = u64::up_to("high delay_ns", PST_MAX_NS);
  assume(delay_ns < t->ns);
  return delay_ns;
}

inline Bool any_doubt(pst_hidden_queue* h, const pst_departure_rate*, const pst_trip*,
                      u64 delay_ns) {
  holds(delay_ns <= PST_MAX_NS, "a delay");
  any_state(h);
  return Bool::any("a doubt");
}

inline Bool any_doubt_of_packets(pst_hidden_queue* h, const pst_departure_rate* r,
                                 const pst_trip* t, u64 delay_ns, u64 packet_bytes) {
  holds(packet_bytes <= MOST_PACKET_BYTES, "a packet");
  return any_doubt(h, r, t, delay_ns);
}

inline void any_drain_of_trip(pst_hidden_queue* h, const pst_departure_rate*, const pst_trip* t,
                              u64 delay_ns) {
  holds(delay_ns < t->ns, "a delay of the trip");
  any_state(h);
  h->longer = u32::up_to("longer after", MOST_DOUBTS + 1);
}

}  // namespace prove

#define pst_hidden_delay_ns prove::any_delay_of_trip
#define pst_hidden_count_others prove::any_count_of_others
#define pst_hidden_measure prove::any_measurement
#define pst_hidden_correct prove::any_correction
#define pst_hidden_lower prove::any_change_of_rate
#define pst_hidden_raise prove::any_change_of_rate
#define pst_hidden_learn prove::any_lesson
#define pst_hidden_high_delay_ns prove::any_high_delay
#define pst_hidden_drain prove::any_drain_of_trip
#define pst_hidden_is_doubtful prove::any_doubt
#define pst_hidden_is_beyond prove::any_doubt_of_packets
#include "queue/hidden_trip.h"

#include "../proof.h"

using namespace prove;

PROOF(a_trip_keeps_the_hidden_queue_in_its_ranges) {
  pst_hidden_queue h = any_hidden();
  pst_departure_rate r = any_rate();
  pst_hidden_flow f = any_flow();
  const pst_trip t = any_trip();
  const u32 doubts = h.doubts;
  pst_hidden_trip(&h, &r, &f, &t, any_packet_bytes());
  holds(f.least_ns >= 1 && f.least_ns <= t.ns, "the least trip");
  holds(implies(t.observed != 0, h.doubts == doubts), "while observing there is no doubt");
  holds(h.doubts <= doubts + 1, "a doubt at most");
  holds_ranges(h);
  holds_ranges(r);
}
