// SPDX-License-Identifier: GPL-2.0-only
// Any state of fair, after its header: what each event finds, and what it must leave.
#pragma once

using namespace prove;

namespace {

constexpr unsigned long long MOST_Q16 = (1ULL << 30) << 16;  // flows that an interval sees
constexpr unsigned long long MOST_LATER_NS = PST_NS_PER_S;

[[maybe_unused]] pst_fair_growth any_growth() {
  pst_fair_growth g = {};
  g.base_bytes = u32::any("base_bytes");
  g.slot_bytes = u32::any("slot_bytes");
  g.slot_units = u32::any("slot_units");
  g.grown_slots = u8::up_to("grown_slots", PST_GROWTH_SLOTS);
  g.limited_slots = u8::up_to("limited_slots", PST_GROWTH_SLOTS);
  g.steady_slots = u8::any("steady_slots");
  g.relapses = u8::up_to("relapses", PST_GROWTH_RELAPSES);
  return g;
}

[[maybe_unused]] pst_fair_cell any_cell(const char* name) {
  pst_fair_cell c = {};
  c.seen_ns = u64::up_to(name, MOST_NOW_NS);
  c.level_bytes = u64::up_to("level_bytes", PST_MAX_BYTES - 1);
  c.mean_bytes = u64::up_to("mean_bytes", PST_MAX_BYTES - 1);
  c.epoch = u32::any("epoch");
  c.counted_q16 = u32::up_to("counted_q16", MOST_PART_Q16);
  c.above_units = u32::any("above_units");
  c.hit_units = u32::any("hit_units");
  c.answered_units = u32::any("answered_units");
  c.held = u16::any("held");
  c.deaf_steps = u16::any("deaf_steps");
  c.growth = any_growth();
  return c;
}

[[maybe_unused]] void holds_ranges(const pst_fair_cell& c) {
  holds(c.seen_ns <= MOST_NOW_NS, "a packet was seen in the past");
  holds(pst_fair_cell_invariant(&c), "what came and passed, and a flow at most");
}

[[maybe_unused]] pst_fair_params any_params() {
  pst_fair_params p = {};
  PST_FAIR_PARAMS(PENSTOCK_ANY_PARAM)
  return p;
}

[[maybe_unused]] pst_fair_state any_state(const pst_fair_params& p) {
  pst_fair_state s = {};
  s.epoch = u64::up_to("s.epoch", MOST_NOW_NS);
  s.end_ns = u64::up_to("s.end_ns", MOST_NOW_NS + MOST_LATER_NS);
  s.running_q16 = u64::up_to("s.running_q16", MOST_Q16);
  s.last_q16 = u64::up_to("s.last_q16", MOST_Q16);
  s.beyond_q16 = u64::up_to("s.beyond_q16", MOST_Q16);
  s.spared_q16 = u64::up_to("s.spared_q16", MOST_Q16);
  s.most_beyond_q16 = u64::up_to("s.most_beyond_q16", PST_FAIR_MOST_BEYOND_Q16);
  s.spared_most_q8 = u64::up_to("s.spared_most_q8", 1U << 13);
  s.rate_bytes_per_s = u64::any("s.rate_bytes_per_s");
  s.among_q16 = u64::up_to("s.among_q16", MOST_Q16);
  s.share_bytes = u64::up_to("s.share_bytes", PST_MAX_BYTES);
  s.target_bytes = u64::up_to("s.target_bytes", PST_MAX_BYTES);
  s.slots_q16 = u64::up_to("s.slots_q16", 1U << 23);
  s.spare_bytes = u64::up_to("s.spare_bytes", PST_MAX_BYTES);
  s.spare_limit_bytes = u64::up_to("s.spare_limit_bytes", 2 * PST_MAX_BYTES);
  s.spared_bytes = u64::up_to("s.spared_bytes", PST_MAX_BYTES);
  s.spent_bytes = u64::up_to("s.spent_bytes", PST_FAIR_MOST_SPENT_BYTES);
  s.lasting_limit_bytes = u64::up_to("s.lasting_limit_bytes", 2 * PST_MAX_BYTES);
  s.lasting_bytes = u64::up_to("s.lasting_bytes", PST_MAX_BYTES);
  s.lasting_spent_bytes = u64::up_to("s.lasting_spent_bytes", PST_FAIR_MOST_SPENT_BYTES);
  s.small_most_bytes = u64::up_to("s.small_most_bytes", PST_MAX_BYTES);
  s.small_bytes = u64::up_to("s.small_bytes", 2 * PST_MAX_BYTES);
  s.near_bytes = u64::up_to("s.near_bytes", 2 * PST_MAX_BYTES);
  s.near_q16 = u64::up_to("s.near_q16", 4 * PST_Q16_ONE);
  s.inverse = ~0ULL / p.average_ns;
  s.known_ns = u64::up_to("s.known_ns", MOST_NOW_NS);
  return s;
}

[[maybe_unused]] void holds_ranges(const pst_fair_state& s) {
  holds(s.end_ns <= MOST_NOW_NS + MOST_LATER_NS, "an interval ends within a second");
  holds(s.running_q16 <= MOST_Q16 + MOST_PART_Q16 && s.last_q16 <= MOST_Q16, "flows");
  holds(s.beyond_q16 <= MOST_Q16 + MOST_PART_Q16 && s.spared_q16 <= MOST_Q16 + MOST_PART_Q16,
        "what they count beyond one, and what is spared");
  holds(pst_fair_invariant(&s), "share, target and limit");
}

[[maybe_unused]] pst_fair_pair any_pair() {
  pst_fair_pair p = {};
  p.epoch = u32::any("p.epoch");
  p.running_q16 = u32::up_to("p.running_q16", PST_PAIR_MOST_Q16);
  p.last_q16 = u32::up_to("p.last_q16", PST_PAIR_MOST_Q16);
  p.fit_q16 = u32::up_to("p.fit_q16", PST_Q16_ONE);
  p.passed_bytes = u64::up_to("p.passed_bytes", PST_MAX_BYTES);
  p.spent_bytes = u64::up_to("p.spent_bytes", PST_MAX_BYTES);
  p.slot_units = u32::any("p.slot_units");
  p.came_bytes = u32::any("p.came_bytes");
  p.lost_bytes = u32::any("p.lost_bytes");
  p.lost_slots = u32::up_to("p.lost_slots", PST_PAIR_LOST_SLOTS);
  return p;
}

[[maybe_unused]] pst_queue a_link() {
  static char table = 0;
  pst_queue q = any_queue();
  q.measured_bytes_per_s = u64::any("q.measured_bytes_per_s");
  q.random = u32::any("q.random");
  q.table = reinterpret_cast<pst_fair_table*>(&table);
  return q;
}

[[maybe_unused]] pst_packet any_packet(unsigned kind) {
  pst_packet k = {};
  k.bytes = u32::up_to("k.bytes", MOST_PACKET_BYTES);
  k.kind = u8(kind);
  k.tos = u8::any("k.tos");
  k.restrained = Bool::any("k.restrained");
  k.answered = Bool::any("k.answered");
  k.elastic = Bool::any("k.elastic");
  k.flow = u64::any("k.flow");
  k.pair = u16::any("k.pair");
  return k;
}

}  // namespace
