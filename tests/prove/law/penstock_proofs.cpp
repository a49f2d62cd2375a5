// SPDX-License-Identifier: GPL-2.0-only
// The parts of the law `penstock`: each keeps each number of the state in its range, and nothing
// overflows, whatever hosts and links do. penstock_events_proofs.cpp composes them.
#include "penstock.h"

#include "law/penstock.h"

using namespace prove;

PROOF(a_new_state_of_penstock_is_in_its_ranges) {
  const pst_penstock_params p = any_params();
  const pst_queue q = any_queue();
  pst_penstock_state s = {};
  pst_penstock_init(&p, &s, &q);
  holds_ranges(s);
}

PROOF(penstock_aims_in_its_ranges) {
  const pst_penstock_params p = any_params();
  const pst_queue q = any_queue();
  pst_penstock_state s = any_state();
  pst_penstock_aim(&p, &s, &q);
  holds_ranges(s);
}

PROOF(penstock_follows_flows_in_its_ranges) {
  const pst_queue q = any_queue();
  pst_penstock_state s = any_state();
  pst_penstock_follow_flows(&s, &q);
  holds_ranges(s);
}

PROOF(penstock_measures_use_in_its_ranges) {
  const pst_penstock_params p = any_params();
  const pst_queue q = any_queue();
  pst_penstock_state s = any_state();
  pst_penstock_measure_use(&p, &s, &q);
  holds_ranges(s);
}

PROOF(penstock_forgets_in_its_ranges) {
  const pst_penstock_params p = any_params();
  pst_penstock_state s = any_state();
  pst_penstock_forget(&p, &s);
  holds_ranges(s);
}

PROOF(penstock_foresees_in_its_ranges) {
  const pst_penstock_params p = any_params();
  const pst_queue q = any_queue();
  pst_penstock_state s = any_state();
  pst_penstock_foresee(&p, &s, &q);
  holds_ranges(s);
}

PROOF(penstock_corrects_without_overflow) {
  const pst_penstock_params p = any_params();
  const pst_queue q = any_queue();
  pst_penstock_state s = any_state();
  pst_penstock_step_q32(&p, &s, &q);
  holds_ranges(s);
}

PROOF(penstock_says_whether_it_is_at_its_floor_without_overflow) {
  const pst_penstock_params p = any_params();
  const pst_queue q = any_queue();
  const pst_penstock_state s = any_state();
  holds(pst_penstock_floor(&p, &s, &q) <= PST_FLOOR_SEGMENT, "an answer");
}

PROOF(data_keep_penstock_in_its_ranges) {
  const pst_penstock_params p = any_params();
  const pst_queue q = any_queue();
  pst_penstock_state s = any_state();
  pst_penstock_flow f = any_law_flow();
  pst_penstock_on_data(&p, &s, &f, &q, u32::up_to("bytes", MOST_WINDOW_BYTES));
  holds_ranges(s);
}

PROOF(a_first_flight_keeps_penstock_in_its_ranges) {
  const pst_penstock_params p = any_params();
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_penstock_state s = any_state();
  pst_penstock_flow f = any_law_flow();
  const u64 bytes = pst_penstock_open(&p, &s, &f, &q, &a);
  holds(bytes >= 2 * u64(a.mss_bytes) && bytes <= 10 * u64(a.mss_bytes), "2 to 10 segments");
  holds_ranges(s);
}

PROOF(what_an_ACK_says_keeps_penstock_in_its_ranges) {
  const pst_penstock_params p = any_params();
  const pst_ack a = any_law_ack();
  pst_penstock_state s = any_state();
  pst_penstock_flow f = any_law_flow();
  assume_room(s);
  pst_penstock_learn(&p, &s, &f, &a);
  holds_ranges(s);
}

PROOF(a_share_of_penstock_is_in_its_range) {
  const pst_penstock_params p = any_params();
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_penstock_state s = any_state();
  s.segments_q16 = pst_penstock_segments_q16(&p, &s, &q, &a);
  holds_ranges(s);
}

PROOF(a_share_of_penstock_is_a_whole_segment_at_least) {
  const pst_penstock_params p = any_params();
  const pst_ack a = any_law_ack();
  const pst_penstock_state s = any_state();
  const u64 segments = pst_penstock_whole(&p, &s, &a, u64::up_to("phase", 0xffff));
  holds(segments >= 1 && segments <= MOST_SEGMENTS, "one segment or more");
}

PROOF(a_window_of_penstock_grows_to_a_segment_at_least) {
  const pst_penstock_params p = any_params();
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_penstock_state s = any_state();
  pst_penstock_flow f = any_law_flow();
  const u64 share_bytes = u64::up_to("share_bytes", MOST_SEGMENTS * MOST_MSS_BYTES);
  assume(share_bytes >= pst_min(a.mss_bytes, a.window_bytes));
  const u64 window = pst_penstock_grown(&p, &s, &f, &q, &a, share_bytes);
  holds(window >= pst_min(a.mss_bytes, a.window_bytes), "a segment at least, or the receiver's");
  holds(window <= pst_max(share_bytes, pst_max(a.granted_bytes, a.mss_bytes)),
        "its share at most, or what was granted");
  holds(f.behind_bytes <= PST_MOST_WINDOW_BYTES, "an edge is a window behind at most");
  holds_ranges(s);
}

LONG_PROOF(a_delayed_ACK_keeps_penstock_in_its_ranges) {
  const pst_penstock_params p = any_params();
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_penstock_state s = any_state();
  const u64 booked_ns = u64::any("booked_ns");
  bool waits = false;
  const u64 ns = pst_penstock_pace_ns(&p, &s, &q, &a, u64::up_to("bytes", MOST_WINDOW_BYTES),
                                      booked_ns, &waits);
  holds(ns <= 2 * PST_MAX_NS, "an ACK takes a bounded time");
  holds(implies(waits && !a.opens, ns >= 1), "an ACK that waits is booked");
  holds_ranges(s);
}
