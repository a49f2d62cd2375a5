// SPDX-License-Identifier: GPL-2.0-only
// What is supposed of a hidden queue: each part of hidden_parts.h is anything that
// hidden_proofs.cpp proves of it.
#include "hidden.h"

namespace prove {

inline void any_count_of_others(pst_hidden_queue* h, u64, u64 lost_q16) {
  holds(lost_q16 <= PST_Q16_ONE, "a part");
  h->told_bytes = u64::any("told_bytes after");
  const u64 more_bytes = u64::up_to("counted", PST_MAX_BYTES);
  h->acked_bytes = pst_wrapping_add(h->acked_bytes, more_bytes);
}

inline void any_lesson(pst_hidden_queue* h, pst_departure_rate*, u64 now_ns, u64 delay_ns) {
  holds(now_ns <= MOST_NOW_NS && delay_ns <= PST_MAX_NS, "a time, and a delay");
  h->bytes = u64::up_to("learned queue", PST_MAX_BYTES);
  h->corrected_bytes = u64::any("corrected_bytes after");
  h->known_ns = u64::up_to("known_ns after", MOST_LATER_NS);
  h->known_since_ns = u64::up_to("known_since_ns after", MOST_NOW_NS);
  h->supposed = u64(0);
}

inline void any_doubt(pst_hidden_queue* h, pst_departure_rate* r, u64 now_ns) {
  holds(now_ns <= MOST_NOW_NS, "a time");
  h->doubted_ns = u64::up_to("doubted_ns after", MOST_LATER_NS);
  h->doubt_shift = u64::up_to("doubt_shift after", PST_HIDDEN_DOUBT_SHIFT);
  h->doubts = h->doubts + 1;
  h->known_ns = u64(0);
  h->supposed = u64(0);
  assume(h->doubted_ns > now_ns);
  *r = any_rate();
}

}  // namespace prove

#define pst_departure_rate_add prove::any_step
#define pst_hidden_count_others prove::any_count_of_others
#define pst_hidden_learn prove::any_lesson
#define pst_hidden_doubt prove::any_doubt
#include "queue/hidden_supposed.h"

#include "../proof.h"

using namespace prove;

PROOF(what_is_supposed_keeps_the_hidden_queue_in_its_ranges) {
  pst_hidden_queue h = any_hidden();
  pst_departure_rate r = any_rate();
  const u64 now_ns = any_time();
  assume(pst_wrapping_sub(h.acked_bytes, h.counted_bytes) <= MOST_DELIVERED_BYTES);
  const pst_hidden_queue before = h;
  pst_hidden_suppose(&h, &r, now_ns);
  holds(implies(h.supposed != 0, h.supposed <= before.supposed + 1), "once at a time");
  holds(h.doubts <= before.doubts + 1, "a doubt at most");
  holds_ranges(h);
  holds_ranges(r);
}
