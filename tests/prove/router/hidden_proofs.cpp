// SPDX-License-Identifier: GPL-2.0-only
// The hidden queue: what it says is met is what the model had, with all corrections since, though
// their count goes round modulo 2^64; nothing else overflows, and queue and rate stay in their
// ranges. While a link delivers fewer than 2^46 bytes between two trips, and in a step.
#include "hidden.h"

#include "../proof.h"

using namespace prove;

namespace {

// A whole number of bytes, below zero too, that a flow's segment met by the model: what mark and
// corrections hold modulo 2^64.
s64 any_met(const pst_hidden_queue& h, const pst_hidden_flow& f) {
  const s64 met = s64::any("met");
  const Whole turned = plus(met.whole(), constant(Wide(1) << 64));
  const z3::expr held = pst_wrapping_add(f.mark_bytes, h.corrected_bytes).whole().term();
  assume(Bool(held == met.whole().term() || held == turned.term()));
  return met;
}

// Whether mark and corrections hold @met.
void holds_met(const pst_hidden_queue& h, const pst_hidden_flow& f, const s64& met,
               const char* what) {
  const Whole turned = plus(met.whole(), constant(Wide(1) << 64));
  const z3::expr held = pst_wrapping_add(f.mark_bytes, h.corrected_bytes).whole().term();
  holds(Bool(held == met.whole().term() || held == turned.term()), what);
}

// Whether neither the queue nor what segments met of it has changed.
void holds_same_queue(const pst_hidden_queue& before, const pst_hidden_queue& after) {
  holds(after.bytes == before.bytes && after.corrected_bytes == before.corrected_bytes,
        "the queue is as before");
}

}  // namespace

// Of the invariant that follows: it begins with the segment.
PROOF(a_timed_segment_marks_the_hidden_queue_that_it_meets) {
  const pst_hidden_queue h = any_hidden();
  pst_hidden_flow f = any_flow();
  pst_hidden_mark(&h, &f);
  holds_met(h, f, s64(h.bytes), "the queue of that moment");
  holds(pst_hidden_met_bytes(&h, &f) == h.bytes, "is what it met");
}

// Below 2^63 bytes of corrections, a count modulo 2^64 cannot be mistaken.
PROOF(what_a_segment_met_is_read_back_from_counts_that_go_round) {
  const pst_hidden_queue h = any_hidden();
  const pst_hidden_flow f = any_flow();
  const s64 met = any_met(h, f);
  const u64 bytes = pst_hidden_met_bytes(&h, &f);
  holds(bytes <= PST_MAX_BYTES, "a queue");
  holds(implies(met >= 0 && met <= s64(PST_MAX_BYTES), s64(bytes) == met), "the one that it met");
  holds(implies(met < 0, bytes == 0), "which corrections may exceed");
}

PROOF(a_correction_of_the_hidden_queue_counts_for_what_waits_too) {
  pst_hidden_queue h = any_hidden();
  const pst_hidden_flow f = any_flow();
  const pst_hidden_flow other = any_flow();
  const s64 met = any_met(h, other);
  constexpr long long MOST = 1LL << 62;
  assume(met <= MOST && met >= -MOST);
  const u64 before_bytes = h.bytes;
  const u64 delayed_bytes = u64::up_to("delayed_bytes", MOST_EXCESS_BYTES);
  const u64 model_bytes = pst_hidden_met_bytes(&h, &f);
  const u64 raised = pst_hidden_correct(&h, &f, delayed_bytes, Bool::any("paired"));
  holds(raised <= pst_sub_floor(delayed_bytes, model_bytes) / 2 + 1, "half of what lacks at most");
  if (raised != 0) {
    holds_met(h, other, met + s64(raised), "another flow's segment met more by as much");
    holds(h.bytes >= before_bytes, "the queue is no shorter");
  } else if (delayed_bytes <= model_bytes) {
    holds(h.bytes <= before_bytes, "the queue is no longer");
    holds_met(h, other, met - s64(before_bytes - h.bytes), "and another met less by as much");
  } else {
    holds_met(h, other, met, "no correction");
  }
  holds_ranges(h);
}

PROOF(what_passes_keeps_the_hidden_queue_in_its_ranges) {
  pst_hidden_queue h = any_hidden();
  pst_departure_rate r = any_rate();
  const u64 acked_bytes = h.acked_bytes;
  const u64 others_bytes = h.others_bytes;
  const u64 other_bytes = u64::up_to("other_bytes", MOST_PACKET_BYTES);
  pst_hidden_look(&h, &r, any_time());
  pst_hidden_other(&h, other_bytes);
  pst_hidden_enter(&h, u64::any("bytes"));
  holds(pst_wrapping_sub(h.others_bytes, others_bytes) == other_bytes, "it counts once");
  holds(h.acked_bytes == acked_bytes, "and is told by a trip");
  holds(h.other_bytes == 0, "and not again");
  holds_ranges(h);
  holds_ranges(r);
}

PROOF(what_passes_again_keeps_the_hidden_queue_in_its_ranges) {
  pst_hidden_queue h = any_hidden();
  const u64 before_q16 = h.again_q16;
  const Bool again = Bool::any("again");
  pst_hidden_sent(&h, u64::any("bytes"), again, any_time());
  holds(implies(again, h.again_q16 >= before_q16), "no less");
  holds(implies(!again, h.again_q16 <= before_q16), "no more");
  holds_ranges(h);
}

PROOF(others_count_once_and_no_more_than_passed) {
  pst_hidden_queue h = any_hidden();
  const pst_hidden_queue before = h;
  const u64 others_bytes = u64::any("others_bytes");
  const u64 more_bytes = pst_wrapping_sub(others_bytes, h.told_bytes);
  pst_hidden_count_others(&h, others_bytes, u64::up_to("lost_q16", PST_Q16_ONE));
  const u64 counted_bytes = pst_wrapping_sub(h.acked_bytes, before.acked_bytes);
  holds(counted_bytes <= pst_min(more_bytes, PST_MAX_BYTES), "no more than passed");
  holds(h.told_bytes == others_bytes || (h.told_bytes == before.told_bytes && counted_bytes == 0),
        "once");
  holds_same_queue(before, h);
  holds_ranges(h);
}

PROOF(a_delay_of_the_hidden_queue_is_a_part_of_the_trip) {
  const pst_hidden_queue h = any_hidden();
  pst_hidden_flow f = any_flow();
  const pst_departure_rate r = any_rate();
  const pst_trip t = any_trip();
  const u64 packet_ns = u64::up_to("packet_ns", MOST_PACKET_NS);
  const u64 delay_ns = pst_hidden_delay_ns(&h, &f, &r, &t, packet_ns);
  holds(delay_ns < t.ns, "less than the trip");
  holds(f.least_ns >= 1 && f.least_ns <= t.ns + t.waited_ns, "the rest is the path's");
  holds(f.doubts == h.doubts, "it is measured in this doubt");
}

LONG_PROOF(a_step_keeps_a_measured_rate_in_its_range) {
  pst_departure_rate r = any_rate();
  const u64 bytes = u64::up_to("bytes", MOST_DELIVERED_BYTES);
  const u64 ns = u64::up_to("ns", MOST_NOW_NS);
  pst_departure_rate_add(&r, bytes, ns, Bool::any("busy"), any_packet_bytes());
  holds_ranges(r);
}

PROOF(a_trip_keeps_the_rate_of_the_hidden_queue_in_its_range) {
  const pst_hidden_queue h = any_hidden();
  pst_departure_rate r = any_rate();
  const pst_trip t = any_trip();
  const u64 before = r.bytes_per_s;
  pst_hidden_lower(&h, &r, &t, u64::up_to("raised_bytes", MOST_EXCESS_BYTES));
  holds(r.bytes_per_s <= before, "what raises the queue lowers C");
  holds(before - r.bytes_per_s <= before / 16, "by a 16th at most");
  const u64 lower = r.bytes_per_s;
  pst_hidden_raise(&h, &r, &t, u64::up_to("lowered_bytes", PST_MAX_BYTES));
  holds(r.bytes_per_s >= lower, "what lowers it raises C");
  holds(r.bytes_per_s == lower || r.bytes_per_s <= r.sent_bytes_per_s / 4 * 5,
        "up to 5/4 of what is sent");
  holds_ranges(r);
}

PROOF(a_measurement_keeps_the_hidden_queue_in_its_ranges) {
  pst_hidden_queue h = any_hidden();
  pst_departure_rate r = any_rate();
  const pst_trip t = any_trip();
  assume(pst_wrapping_sub(h.acked_bytes, h.counted_bytes) <= MOST_DELIVERED_BYTES);
  const pst_hidden_queue before = h;
  pst_hidden_measure(&h, &r, &t, any_delay(), any_packet_bytes());
  holds_same_queue(before, h);
  const u64 sent_ns = pst_sub_floor(t.now_ns, t.waited_ns);
  const Bool counted = h.counted_bytes == h.acked_bytes && h.trip_ns == sent_ns;
  holds(implies(before.trip_ns < sent_ns, counted), "what was counted counts once");
  holds_ranges(h);
  holds_ranges(r);
}

PROOF(what_is_learned_keeps_the_hidden_queue_in_its_ranges) {
  pst_hidden_queue h = any_hidden();
  pst_departure_rate r = any_rate();
  const pst_hidden_flow other = any_flow();
  const s64 met = any_met(h, other);
  constexpr long long MOST = 1LL << 62;
  assume(met <= MOST && met >= -MOST);
  const u64 before_bytes = h.bytes;
  pst_hidden_learn(&h, &r, any_time(), any_delay());
  holds_met(h, other, met + s64(h.bytes) - s64(before_bytes), "a new queue is a correction");
  holds_ranges(h);
}

PROOF(a_high_delay_is_no_more_than_what_a_trip_adds) {
  const pst_hidden_queue h = any_hidden();
  const pst_hidden_flow f = any_flow();
  const pst_departure_rate r = any_rate();
  const pst_trip t = any_trip();
  assume(f.least_ns >= 1 && f.least_ns <= t.ns);
  holds(pst_hidden_high_delay_ns(&h, &f, &r, &t, any_packet_bytes()) <= t.ns - f.least_ns,
        "no more than the trip is longer than the least");
}

PROOF(doubts_keep_the_hidden_queue_in_its_ranges) {
  pst_hidden_queue h = any_hidden();
  pst_departure_rate r = any_rate();
  const pst_trip t = any_trip();
  const u64 delay_ns = any_delay();
  const pst_hidden_queue before = h;
  holds(implies(pst_hidden_is_doubtful(&h, &r, &t, delay_ns), h.known_ns != 0), "of a known queue");
  holds(implies(pst_hidden_is_beyond(&h, &r, &t, delay_ns, any_packet_bytes()), h.known_ns != 0),
        "likewise");
  holds_same_queue(before, h);
  holds_ranges(h);
}

PROOF(a_hidden_queue_in_doubt_is_not_known) {
  pst_hidden_queue h = any_hidden();
  pst_departure_rate r = any_rate();
  const u64 now_ns = any_time();
  const pst_hidden_queue before = h;
  pst_hidden_doubt(&h, &r, now_ns);
  holds_same_queue(before, h);
  holds(!pst_hidden_is_known(&h), "it is not known");
  holds(h.doubted_ns >= now_ns + PST_HIDDEN_DOUBT_NS, "for 30 s at least");
  pst_hidden_learn(&h, &r, now_ns, any_delay());
  holds(!pst_hidden_is_known(&h), "nor learned");
  holds_ranges(h);
  holds_ranges(r);
}

PROOF(a_delay_is_taken_for_path_once_and_then_doubted) {
  pst_hidden_queue h = any_hidden();
  pst_departure_rate r = any_rate();
  const u64 now_ns = any_time();
  const Bool again = h.rebased_ns != 0 && now_ns < h.rebased_ns + PST_HIDDEN_AGAIN_NS;
  const pst_hidden_flow other = any_flow();
  const s64 met = any_met(h, other);
  constexpr long long MOST = 1LL << 62;
  assume(met <= MOST && met >= -MOST);
  const pst_hidden_queue before = h;
  pst_hidden_rebase(&h, &r, now_ns);
  holds(h.doubts == before.doubts + 1, "flows forget their least trip");
  holds(implies(!again, h.known_ns == before.known_ns && h.bytes == 0), "once, nothing waits");
  holds(implies(again, !pst_hidden_is_known(&h)), "again, it is not known");
  holds_met(h, other, met + s64(h.bytes) - s64(before.bytes), "what is gone was not met");
  holds_ranges(h);
  holds_ranges(r);
}

PROOF(a_drain_of_the_hidden_queue_leaves_three_quarters_of_the_rate) {
  pst_hidden_queue h = any_hidden();
  const pst_departure_rate r = any_rate();
  const pst_trip t = any_trip();
  const u64 delay_ns = any_delay();
  assume(delay_ns < t.ns);
  const pst_hidden_queue before = h;
  pst_hidden_drain(&h, &r, &t, delay_ns);
  holds(pst_drain_part_q16(&h.drain, t.now_ns) <= PST_Q16_ONE / 4, "a quarter at most");
  holds(h.longer <= before.longer + 1, "a path is longer once");
  holds(implies(h.longer != before.longer, r.bytes_per_s < before.drain.full_bytes_per_s),
        "where a rate was taken for it");
  holds_same_queue(before, h);
  holds_ranges(h);
}
