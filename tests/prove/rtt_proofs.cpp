// SPDX-License-Identifier: GPL-2.0-only
// The round trip of a flow: no difference of times overflows while the clock goes on, and it is in
// the range that laws are proved for.
#include "integers.h"

#define pst_mul_div pst_mul_div_of_core
#include "base.h"
#undef pst_mul_div
static inline u64 pst_mul_div(u64, u64, u64) { return u64::any("a quotient"); }

#include "flow.h"

#include "flow/rtt.h"

using namespace prove;

namespace {

constexpr unsigned long long MOST_NOW_NS = 1ULL << 62;

u64 any_time() {
  const u64 now_ns = u64::any("now_ns");
  assume(now_ns < MOST_NOW_NS);
  return now_ns;
}

// Times of the past, but of a segment that is still in the queue and a SYN-ACK that is delayed.
Bool rtt_invariant(const pst_rtt& r, const u64& now_ns) {
  const Bool samples =
      r.near_ns <= MOST_NOW_NS && (r.far_ns <= MOST_NOW_NS && r.far_before_ns <= MOST_NOW_NS);
  return samples && (r.period_start_ns <= now_ns && r.opened_ns <= now_ns);
}

pst_rtt any_rtt(const u64& now_ns) {
  pst_rtt r = {};
  r.near_ns = u64::any("near_ns");
  r.far_ns = u64::any("far_ns");
  r.far_before_ns = u64::any("far_before_ns");
  r.period_start_ns = u64::any("period_start_ns");
  r.probe_ns = u64::any("probe_ns");
  r.grant_ns = u64::any("grant_ns");
  r.opened_ns = u64::any("opened_ns");
  r.answered_ns = u64::any("answered_ns");
  r.probe_end = u32::any("probe_end");
  r.grant_edge = u32::any("grant_edge");
  r.probing = Bool::any("probing");
  r.granting = Bool::any("granting");
  r.asks_stamp = Bool::any("asks_stamp");
  r.stamped = Bool::any("stamped");
  r.asked = u8::any("asked");
  r.grant_val = u32::any("grant_val");
  r.ack_wait = u16::any("ack_wait");
  r.asked_units = u16::any("asked_units");
  r.near_before = u16::any("near_before");
  r.near_second = u16::any("near_second");
  r.near_third = u16::any("near_third");
  r.opened = Bool::any("opened");
  r.answered = Bool::any("answered");
  r.ambiguous = Bool::any("ambiguous");
  r.established = Bool::any("established");
  assume(rtt_invariant(r, now_ns));
  return r;
}

}  // namespace

PROOF(a_round_trip_is_in_its_range) {
  const pst_rtt r = any_rtt(any_time());
  holds(pst_rtt_get(&r) <= PST_MAX_NS, "1,000 s at most");
}

PROOF(a_told_round_trip_keeps_times_in_their_ranges) {
  const u64 now_ns = any_time();
  pst_rtt r = any_rtt(now_ns);
  const u64 rtt_ns = u64(u32::any("rtt_us")) * 1000;
  pst_rtt_tell(&r, rtt_ns, now_ns);
  holds(rtt_invariant(r, now_ns), "after a header that tells it");
}

PROOF(a_SYN_keeps_times_in_their_ranges) {
  const u64 now_ns = any_time();
  pst_rtt r = any_rtt(now_ns);
  pst_rtt_on_syn(&r, Bool::any("opener"), now_ns);
  holds(rtt_invariant(r, now_ns), "after a SYN");
}

PROOF(the_end_of_a_handshake_keeps_times_in_their_ranges) {
  const u64 now_ns = any_time();
  pst_rtt r = any_rtt(now_ns);
  assume(r.answered_ns <= MOST_NOW_NS);
  pst_rtt_on_third(&r, Bool::any("reverse_opened"), now_ns);
  holds(rtt_invariant(r, now_ns), "after the third packet");
}

PROOF(an_ACK_keeps_times_in_their_ranges) {
  const u64 now_ns = any_time();
  pst_rtt r = any_rtt(now_ns);
  const u64 sample_ns = pst_rtt_on_ack(&r, u32::any("ack"), u64::any("waited_ns"), now_ns);
  holds(sample_ns <= now_ns, "a sample is no longer than the clock has run");
  holds(rtt_invariant(r, now_ns), "after an ACK");
}

PROOF(data_keep_times_in_their_ranges) {
  const u64 now_ns = any_time();
  pst_rtt r = any_rtt(now_ns);
  const pst_flow f = any_flow();
  const u32 end = u32::any("end");
  pst_rtt_on_data(&r, &f, end, u64::any("departure_ns"));
  holds(rtt_invariant(r, now_ns), "after data");
}

PROOF(an_arrival_keeps_times_in_their_ranges) {
  const u64 now_ns = any_time();
  pst_rtt r = any_rtt(now_ns);
  const u64 near_ns = r.near_ns;
  pst_rtt_on_arrival(&r, u32::any("end"), now_ns);
  holds(r.near_ns <= pst_max(near_ns, 1), "the near part does not rise");
  holds(rtt_invariant(r, now_ns), "after an arrival");
}

PROOF(an_echo_keeps_times_in_their_ranges) {
  const u64 now_ns = any_time();
  pst_rtt r = any_rtt(now_ns);
  const u64 near_ns = r.near_ns;
  pst_rtt_on_echo(&r, u64::any("wait_ns"), now_ns);
  holds(r.near_ns <= near_ns, "the least near part does not rise");
  holds(pst_rtt_near_ns(&r) <= pst_max(near_ns, PST_RTT_MOST_NEAR_NS),
        "nor it as it is without end");
  holds(rtt_invariant(r, now_ns), "after an echo");
}
