// SPDX-License-Identifier: GPL-2.0-only
// The counts of flows: nothing overflows while an interval sees fewer than 2^30 flows and 2^46
// bytes, a flow counts as 1 at most, and of the connections that open no more are silent than open.
#define PENSTOCK_PROVE_ZERO_DIVISOR
#include "../law/inputs.h"

#include "flow/flow_count.h"

#include "../proof.h"

using namespace prove;

namespace {

constexpr unsigned long long MOST_FLOWS = 1ULL << 30;
constexpr unsigned long long MOST_Q16 = MOST_FLOWS << 16;
constexpr unsigned long long MOST_INTERVAL_BYTES = 1ULL << 46;

pst_flow_count any_count() {
  pst_flow_count c = {};
  c.interval_ns = u64::exactly(between(1000000, PST_MAX_NS, "c.interval_ns"));
  c.epoch = u64::up_to("c.epoch", MOST_NOW_NS);
  c.end_ns = u64::up_to("c.end_ns", MOST_NOW_NS + PST_MAX_NS);
  c.running = u64::up_to("c.running", MOST_FLOWS);
  c.last = u64::up_to("c.last", MOST_FLOWS);
  c.running_q16 = u64::up_to("c.running_q16", MOST_Q16);
  c.last_q16 = u64::up_to("c.last_q16", MOST_Q16);
  c.syns_running = u32::up_to("c.syns_running", MOST_FLOWS);
  c.syns_last = u32::up_to("c.syns_last", MOST_FLOWS);
  c.opening_running = u32::up_to("c.opening_running", MOST_FLOWS);
  c.opening_last = u32::up_to("c.opening_last", MOST_FLOWS);
  c.silent_q15 = u32::up_to("c.silent_q15", PST_Q15_ONE);
  c.brief_q15 = u32::up_to("c.brief_q15", PST_Q15_ONE);
  c.share_bytes = u32::any("c.share_bytes");
  c.others_running_q16 = u64::up_to("c.others_running_q16", MOST_Q16);
  c.others_last_q16 = u64::up_to("c.others_last_q16", MOST_Q16);
  c.bytes_running = u64::up_to("c.bytes_running", MOST_INTERVAL_BYTES);
  c.bytes_last = u64::up_to("c.bytes_last", MOST_INTERVAL_BYTES);
  c.other_bytes_running = u64::up_to("c.other_bytes_running", MOST_INTERVAL_BYTES);
  c.other_bytes_last = u64::up_to("c.other_bytes_last", MOST_INTERVAL_BYTES);
  c.others_bytes_per_s = u64::up_to("c.others_bytes_per_s", PST_MAX_BYTES);
  c.others_use_q15 = u64::up_to("c.others_use_q15", 65535);
  c.queue_bytes = u64::any("c.queue_bytes");
  c.queue_bytes_per_s = u64::any("c.queue_bytes_per_s");
  assume(c.opening_running <= c.syns_running && c.opening_last <= c.syns_last);
  return c;
}

pst_flow_use any_use() {
  pst_flow_use u = {};
  u.begun_ns = u64::up_to("u.begun_ns", MOST_NOW_NS);
  u.turn_ns = u64::up_to("u.turn_ns", MOST_NOW_NS);
  u.epoch = u32::any("u.epoch");
  u.opening_epoch = u32::any("u.opening_epoch");
  u.turn_bytes = u32::any("u.turn_bytes");
  u.turn_before_bytes = u32::any("u.turn_before_bytes");
  u.counted_q16 = u32::up_to("u.counted_q16", PST_Q16_ONE);
  u.counted_before_q16 = u32::up_to("u.counted_before_q16", PST_Q16_ONE);
  u.window_bytes = u32::any("u.window_bytes");
  u.first_segments = u8::any("u.first_segments");
  u.shown = Bool::any("u.shown");
  return u;
}

u64 any_time() { return u64::up_to("now_ns", MOST_NOW_NS); }

void holds_ranges(const pst_flow_count& c) {
  holds(c.running <= MOST_FLOWS + 1 && c.last <= MOST_FLOWS, "flows");
  holds(c.running_q16 <= MOST_Q16 + PST_Q16_ONE && c.last_q16 <= MOST_Q16, "flows by use");
  holds(c.others_running_q16 <= MOST_Q16 + PST_Q16_ONE, "uncontrolled flows");
  holds(c.others_last_q16 <= MOST_Q16, "and in the interval before");
  holds(c.opening_running <= c.syns_running, "no more are to open than have begun");
  holds(c.opening_last <= c.syns_last, "nor in the interval before");
  holds(c.silent_q15 <= PST_Q15_ONE, "a part of them is silent");
  holds(c.brief_q15 <= PST_Q15_ONE, "and a part is brief");
  holds(c.others_bytes_per_s <= PST_MAX_BYTES && c.others_use_q15 <= 65535, "their rate");
}

}  // namespace

PROOF(an_interval_keeps_counts_in_their_ranges) {
  pst_flow_count c = any_count();
  const u64 now_ns = any_time();
  pst_flow_count_advance(&c, now_ns);
  holds(c.end_ns > now_ns, "the interval ends later");
  holds_ranges(c);
}

PROOF(a_link_has_a_flow_at_least) {
  pst_flow_count c = any_count();
  holds(pst_flow_count_get(&c, any_time()) >= 1, "one");
  holds(pst_flow_count_q16(&c) >= PST_Q16_ONE, "one by use");
  holds(pst_flow_count_q16(&c) <= 2 * MOST_Q16, "in its range");
}

PROOF(a_SYN_keeps_counts_in_their_ranges) {
  pst_flow_count c = any_count();
  pst_flow_use u = any_use();
  pst_flow_count_syn(&c, &u, any_time());
  holds_ranges(c);
}

PROOF(first_data_keep_counts_in_their_ranges) {
  pst_flow_count c = any_count();
  pst_flow_use u = any_use();
  pst_flow_count_opened(&c, &u);
  holds(u.opening_epoch == 0, "it is open");
  holds_ranges(c);
}

PROOF(a_flow_fills_its_window_once_at_most) {
  pst_flow_count c = any_count();
  pst_flow_use u = any_use();
  const u64 part_q16 =
      pst_flow_use_part_q16(&c, &u, u32::any("bytes"), u32::up_to("mss_bytes", MOST_MSS_BYTES),
                            u64::up_to("rtt_ns", PST_MAX_NS), any_time());
  holds(part_q16 <= PST_Q16_ONE, "a part");
}

PROOF(a_flow_of_a_group_counts_once_at_most) {
  pst_flow_group g = {};
  g.epoch = u64::up_to("g.epoch", MOST_NOW_NS);
  g.running_q16 = u64::up_to("g.running_q16", MOST_Q16);
  g.last_q16 = u64::up_to("g.last_q16", MOST_Q16);
  const u64 part_q16 = u64::up_to("part_q16", PST_Q16_ONE);
  holds(pst_flow_group_add(&g, u64::up_to("epoch", MOST_NOW_NS), part_q16) <= part_q16,
        "no more than the flow");
  u64 sum_q16 = u64::up_to("sum_q16", MOST_Q16);
  holds(pst_flow_group_take(&sum_q16, part_q16) <= part_q16, "nor less when it leaves");
}

PROOF(a_flow_that_ends_keeps_counts_in_their_ranges) {
  pst_flow_count c = any_count();
  pst_flow_use u = any_use();
  pst_flow_count_leave(&c, &u, nullptr, any_time());
  holds(u.counted_q16 == 0 && u.counted_before_q16 == 0, "it counts no more");
  holds_ranges(c);
}

// All buckets are alike: the first stands for any.
PROOF(an_uncontrolled_packet_counts_as_a_flow_at_most) {
  pst_flow_count c = any_count();
  c.others[0] = u64::any("bucket");
  pst_flow_count_other(&c, u32(0), u32::up_to("bytes", MOST_PACKET_BYTES), any_time());
  holds_ranges(c);
}

PROOF(whether_others_fill_is_known_without_overflow) {
  // At 100 Gbit/s, in two intervals of a second, and with a million flows.
  constexpr unsigned long long MOST_BYTES = 12500000000ULL;
  constexpr unsigned long long HALF_A_MILLION_Q16 = 500000ULL << 16;
  pst_flow_count c = {};
  c.bytes_running = u64::up_to("c.bytes_running", MOST_BYTES);
  c.bytes_last = u64::up_to("c.bytes_last", MOST_BYTES);
  c.other_bytes_running = u64::up_to("c.other_bytes_running", MOST_BYTES);
  c.other_bytes_last = u64::up_to("c.other_bytes_last", MOST_BYTES);
  c.running_q16 = u64::up_to("c.running_q16", HALF_A_MILLION_Q16);
  c.last_q16 = u64::up_to("c.last_q16", HALF_A_MILLION_Q16);
  c.others_running_q16 = u64::up_to("c.others_running_q16", HALF_A_MILLION_Q16);
  c.others_last_q16 = u64::up_to("c.others_last_q16", HALF_A_MILLION_Q16);
  pst_flow_count_others_fill(&c);
}
