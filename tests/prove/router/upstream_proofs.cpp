// SPDX-License-Identifier: GPL-2.0-only
// The queue before a gateway: whatever flows say that they have waited, nothing overflows, queue
// and rate stay in their ranges, a drain leaves three quarters of the windows, and what is in doubt
// twice is not known, so that windows open by R26.
#include "hidden.h"

#include "../proof.h"

// What flows have in common is any wait up to 10 s; that it is no longer, upstream_queue_test.cpp
// shows.
#define PENSTOCK_CORE_QUEUE_COMMON_WAIT_H
struct pst_common_wait {
  u64 wait_ns, newest_ns;
};

namespace prove {
inline void any_say(pst_common_wait* w, u32, u64, u64 now_ns) {
  w->wait_ns = u64::up_to("w.wait_ns", PST_ONE_WAY_MOST_NS);
  w->newest_ns = now_ns;
}
}  // namespace prove

#define pst_common_wait_say prove::any_say
#define pst_departure_rate_add prove::any_step
#include "queue/upstream_stamp.h"
#undef pst_departure_rate_add

using namespace prove;

namespace {

constexpr unsigned long long MOST_UNTIL_NS = MOST_NOW_NS + 4 * PST_MAX_NS;

pst_upstream_queue any_upstream() {
  pst_upstream_queue u = {};
  u.wait.wait_ns = u64::up_to("u.wait_ns", PST_ONE_WAY_MOST_NS);
  u.wait.newest_ns = u64::up_to("u.newest_ns", MOST_NOW_NS);
  u.came_bytes = u64::up_to("u.came_bytes", PST_MAX_BYTES);
  u.said_ns = u64::up_to("u.said_ns", MOST_NOW_NS);
  u.before_ns = u64::up_to("u.before_ns", PST_ONE_WAY_MOST_NS);
  u.known_ns = u64::up_to("u.known_ns", MOST_UNTIL_NS);
  u.before_bytes_per_s = u64::up_to("u.before_bytes_per_s", PST_MAX_BYTES);
  u.rtt_ns = u64::up_to("u.rtt_ns", PST_MAX_NS);
  u.drain = any_drain();
  u.seen_ns = u64::up_to("u.seen_ns", MOST_NOW_NS);
  u.entered_ns = u64::up_to("u.entered_ns", MOST_NOW_NS);
  u.gap_ns = u64::up_to("u.gap_ns", MOST_NOW_NS);
  u.high_ns = u64::up_to("u.high_ns", MOST_NOW_NS);
  u.high_wait_ns = u64::up_to("u.high_wait_ns", PST_ONE_WAY_MOST_NS);
  u.high_bytes_per_s = u64::up_to("u.high_bytes_per_s", PST_MAX_BYTES);
  u.above_ns = u64::up_to("u.above_ns", MOST_NOW_NS);
  u.above_bytes_per_s = u64::up_to("u.above_bytes_per_s", PST_MAX_BYTES);
  u.rebased_ns = u64::up_to("u.rebased_ns", MOST_UNTIL_NS);
  u.doubted_ns = u64::up_to("u.doubted_ns", MOST_UNTIL_NS);
  u.doubt_shift = u64::up_to("u.doubt_shift", PST_UPSTREAM_DOUBT_SHIFT);
  u.raise_us = u16::up_to("u.raise_us", PST_DRAIN_MOST_NS / 1000);
  u.round = u8::any("u.round");
  u.rebased = u8::any("u.rebased");
  return u;
}

void holds_ranges(const pst_upstream_queue& u) {
  holds(u.came_bytes <= PST_MAX_BYTES, "what came");
  prove::holds_ranges(u.drain);
  holds(u.before_bytes_per_s <= PST_MAX_BYTES, "a rate before");
  holds(u.known_ns <= MOST_UNTIL_NS && u.doubted_ns <= MOST_UNTIL_NS, "until then");
  holds(u.high_bytes_per_s <= PST_MAX_BYTES && u.above_bytes_per_s <= PST_MAX_BYTES, "rates");
  holds(u.doubt_shift <= PST_UPSTREAM_DOUBT_SHIFT, "doubts");
  holds(u.raise_us <= PST_DRAIN_MOST_NS / 1000, "bases move by a short wait at most");
}

pst_stamp any_stamp() {
  pst_stamp t = {};
  t.now_ns = u64::up_to("t.now_ns", MOST_NOW_NS);
  t.rtt_ns = u64::up_to("t.rtt_ns", PST_MAX_NS);
  t.packet_bytes = any_packet_bytes();
  t.pause_ns = u64::up_to("t.pause_ns", PST_MAX_NS);
  t.val = u32::any("t.val");
  t.observed = u32::up_to("t.observed", 1);
  return t;
}

}  // namespace

PROOF(an_upstream_queue_is_what_its_link_sends_in_the_wait) {
  const pst_upstream_queue u = any_upstream();
  const pst_departure_rate r = any_rate();
  const u64 bytes = pst_upstream_bytes(&u, &r, any_time());
  holds(bytes <= PST_MAX_BYTES, "a queue");
  holds(implies(u.wait.wait_ns == 0 && u.drain.until_ns == 0, bytes == 0), "of no wait none");
}

PROOF(what_comes_keeps_the_upstream_queue_in_its_ranges) {
  pst_upstream_queue u = any_upstream();
  pst_departure_rate r = any_rate();
  pst_upstream_look(&u, &r, any_time());
  pst_upstream_enter(&u, u64::any("bytes"));
  holds_ranges(u);
}

PROOF(silence_is_a_pause_where_a_wait_was_short) {
  const pst_upstream_queue u = any_upstream();
  assume(u.drain.least_ns < PST_DRAIN_SHORT_NS);
  holds(!pst_upstream_is_inferred(&u, any_time()), "it is no longer path");
}

PROOF(a_drain_of_the_upstream_queue_leaves_three_quarters_of_the_rate) {
  pst_upstream_queue u = any_upstream();
  const pst_departure_rate r = any_rate();
  const u64 now_ns = any_time();
  pst_upstream_drain(&u, &r, now_ns);
  holds(pst_drain_part_q16(&u.drain, now_ns) <= PST_Q16_ONE / 4, "a quarter at most");
  holds_ranges(u);
}

PROOF(a_stamp_keeps_the_rate_before_the_gateway_in_its_range) {
  pst_upstream_queue u = any_upstream();
  pst_departure_rate r = any_rate();
  const pst_stamp t = any_stamp();
  pst_upstream_measure(&u, &r, &t);
  holds_ranges(u);
  holds_ranges(r);
}

PROOF(doubts_keep_the_upstream_queue_in_its_ranges) {
  pst_upstream_queue u = any_upstream();
  const pst_departure_rate r = any_rate();
  const pst_stamp t = any_stamp();
  holds(implies(pst_upstream_is_doubtful(&u, &r, &t), u.known_ns != 0), "of a known queue");
  holds(implies(pst_upstream_is_beyond(&u, &r, &t), u.known_ns != 0), "likewise");
  holds_ranges(u);
}

PROOF(an_upstream_queue_that_is_in_doubt_again_is_not_known) {
  pst_upstream_queue u = any_upstream();
  pst_departure_rate r = any_rate();
  const u64 now_ns = any_time();
  const Bool again = u.rebased_ns != 0 && now_ns < u.rebased_ns + PST_UPSTREAM_AGAIN_NS;
  const u64 known_ns = u.known_ns;
  pst_upstream_doubt(&u, &r, now_ns);
  holds(implies(again, !pst_upstream_is_known(&u)), "so that windows open by R26");
  holds(implies(again, u.doubted_ns >= now_ns + PST_UPSTREAM_DOUBT_NS), "for 30 s at least");
  holds(implies(!again, u.known_ns == known_ns), "once, the wait is taken for path");
  holds(u.drain.until_ns == 0 && u.wait.wait_ns == 0, "nothing is drained");
  holds_ranges(u);
  holds_ranges(r);
}

PROOF(bases_move_further_than_clocks_only_where_a_rate_was_lost) {
  const pst_upstream_queue u = any_upstream();
  const pst_departure_rate r = any_rate();
  const u64 raise_ns = pst_upstream_raise_us(&u, &r) * 1000ULL;
  holds(raise_ns <= u.drain.least_ns, "no wait becomes less than none");
  holds(implies(raise_ns > PST_UPSTREAM_RAISE_NS, r.bytes_per_s < u.drain.full_bytes_per_s),
        "by a longer path");
}

PROOF(a_flow_that_enters_a_round_has_come_by_now) {
  const pst_upstream_queue u = any_upstream();
  const u64 now_ns = any_time();
  pst_one_way o = {};
  o.base_ns = u64::up_to("o.base_ns", MOST_NOW_NS);
  o.round = u8::any("o.round");
  assume(o.base_ns <= now_ns);
  const u64 before_ns = o.base_ns;
  const Bool rebased = pst_upstream_enter_round(&u, &o, now_ns);
  holds(o.base_ns >= before_ns && o.base_ns <= now_ns,
        "its base moves to later, no further than now");
  holds(implies(!rebased, o.base_ns <= before_ns + PST_UPSTREAM_RAISE_NS), "by a millisecond");
  holds(o.round == u.round, "once");
}
