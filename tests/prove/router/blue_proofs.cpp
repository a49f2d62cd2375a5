// SPDX-License-Identifier: GPL-2.0-only
// BLUE: nothing overflows, its probability stays one, and no step comes too soon after another.
#define PENSTOCK_PROVE_ZERO_DIVISOR
#include "../law/inputs.h"

#include "discipline/blue.h"

#include "../proof.h"

using namespace prove;

namespace {

constexpr unsigned long long MOST_SEND_NS = MOST_PACKET_BYTES * PST_NS_PER_S;  // at 1 B/s

pst_blue_params any_params() {
  pst_blue_params p = {};
  PST_BLUE_PARAMS(PENSTOCK_ANY_PARAM)
  return p;
}

pst_blue_state any_state() {
  pst_blue_state s = {};
  s.probability_q32 = u64::up_to("s.probability_q32", PST_Q32_ONE);
  s.updated_ns = u64::up_to("s.updated_ns", MOST_NOW_NS);
  s.idle_ns = u64::up_to("s.idle_ns", MOST_NOW_NS + MOST_SEND_NS);
  return s;
}

void holds_ranges(const pst_blue_state& s) {
  holds(s.probability_q32 <= PST_Q32_ONE, "a probability");
  holds(s.updated_ns <= MOST_NOW_NS, "its last step was in the past");
  holds(s.idle_ns <= MOST_NOW_NS + MOST_SEND_NS, "idle once a packet is sent");
}

}  // namespace

PROOF(an_idle_link_keeps_BLUE_in_its_ranges) {
  const pst_blue_params p = any_params();
  pst_blue_state s = any_state();
  const u64 now_ns = u64::up_to("now_ns", MOST_NOW_NS);
  assume(s.updated_ns <= now_ns);
  const u64 before_q32 = s.probability_q32;
  const u64 updated_ns = s.updated_ns;
  pst_blue_idle(&p, &s, now_ns);
  holds(s.probability_q32 <= before_q32, "an idle link never raises it");
  holds(s.updated_ns <= now_ns, "no step is in the future");
  holds(s.updated_ns == updated_ns || s.updated_ns > updated_ns + p.freeze_ns, "nor too soon");
  holds_ranges(s);
}

PROOF(an_arrival_keeps_BLUE_in_its_ranges) {
  const pst_blue_params p = any_params();
  pst_queue q = any_queue();
  q.random = u32::any("q.random");
  pst_blue_state s = any_state();
  // Its idle time has been applied.
  assume(s.updated_ns <= q.now_ns && (s.idle_ns == 0 || s.idle_ns >= q.now_ns));
  const pst_packet k = {};
  const u64 before_q32 = s.probability_q32;
  const pst_verdict verdict = pst_blue_on_arrive(&p, &s, &q, &k);
  holds(verdict == PST_PASS || verdict == PST_SIGNAL, "BLUE itself drops nothing");
  holds(s.probability_q32 <= before_q32 + p.raise_q32, "one step at most");
  holds(s.probability_q32 >= before_q32, "an arrival never lowers it");
  holds_ranges(s);
}

PROOF(a_departure_keeps_BLUE_in_its_ranges) {
  const pst_blue_params p = any_params();
  const pst_queue q = any_queue();
  pst_packet k = {};
  k.bytes = u32::up_to("k.bytes", MOST_PACKET_BYTES);
  pst_blue_state s = any_state();
  pst_blue_on_left(&p, &s, &q, &k);
  holds(q.bytes != 0 || s.idle_ns >= q.now_ns, "the link falls idle later");
  holds_ranges(s);
}
