// SPDX-License-Identifier: GPL-2.0-only
// COBALT, and what CAKE tells it of the link: nothing overflows, its probability stays one, relief
// ends, and only ECN-capable packets are marked.
#include "../law/inputs.h"

#include "discipline/cobalt_relief.h"

#include "../proof.h"

namespace prove {

constexpr unsigned long long MOST_INTERVAL_NS = 3 * PST_MAX_NS;  // that CAKE sets
// A queue that is over again while a signal is due waits for an interval, and for one more.
constexpr unsigned long long MOST_WAIT_NS = 2 * MOST_INTERVAL_NS;
constexpr unsigned long long MOST_NEXT_NS = MOST_NOW_NS + MOST_WAIT_NS;

// The time of the event, and whether the steps go on until none is due.
static u64 relieved_at_ns;
static auto relieves_all = false;

}  // namespace prove

// One step or more, each as a_step_of_relief_comes_later_and_ends proves: the count falls with
// each, so that they end.
static inline void any_relief(const pst_cobalt_params*, pst_cobalt_state* s) {
  using namespace prove;
  holds(s->count >= 1 && s->next_ns <= relieved_at_ns, "one is due");
  const pst_cobalt_state before = *s;
  s->count = u32::any("relieved count");
  s->next_ns = u64::up_to("relieved next_ns", MOST_NEXT_NS);
  assume(s->count < before.count && s->next_ns >= before.next_ns &&
         s->next_ns <= relieved_at_ns + MOST_INTERVAL_NS);
  if (relieves_all) {
    assume(!pst_cobalt_due(s, relieved_at_ns));
  }
}

#define pst_cobalt_relieve any_relief
#include "discipline/cake_params.h"
#undef pst_cobalt_relieve

using namespace prove;

namespace {

pst_cobalt_params any_params() {
  pst_cobalt_params p = {};
  p.target_ns = u64::up_to("p.target_ns", 2 * PST_MAX_NS);
  p.interval_ns = u64::up_to("p.interval_ns", MOST_INTERVAL_NS);
  p.packet_ns = u64::up_to("p.packet_ns", PST_MAX_NS);
  p.raise_q32 = u64::up_to("p.raise_q32", PST_Q32_ONE);
  p.lower_q32 = u64::up_to("p.lower_q32", PST_Q32_ONE);
  return p;
}

// Before an event at @now_ns.
pst_cobalt_state any_state(const u64& now_ns) {
  pst_cobalt_state s = {};
  s.next_ns = u64::up_to("s.next_ns", MOST_NEXT_NS);
  s.stepped_ns = u64::up_to("s.stepped_ns", MOST_NOW_NS);
  s.probability_q32 = u64::up_to("s.probability_q32", PST_Q32_ONE);
  s.count = u32::any("s.count");
  s.dropping = Bool::any("s.dropping");
  assume(pst_cobalt_invariant(&s) && s.stepped_ns <= now_ns);
  assume(s.next_ns <= now_ns + MOST_WAIT_NS);
  relieved_at_ns = now_ns;
  return s;
}

u64 any_time() { return u64::up_to("now_ns", MOST_NOW_NS); }

void holds_ranges(const pst_cobalt_state& s, const u64& now_ns) {
  holds(s.probability_q32 <= PST_Q32_ONE, "a probability");
  holds(!s.dropping || s.count >= 1, "what was over is counted");
  holds(s.stepped_ns <= now_ns, "its last step was in the past");
  holds(s.next_ns <= now_ns + MOST_WAIT_NS, "the next signal is two intervals away at most");
}

// Whether a step of the probability has kept its distance from the last one.
void holds_steps(const pst_cobalt_params& p, const pst_cobalt_state& before,
                 const pst_cobalt_state& after) {
  holds(after.stepped_ns == before.stepped_ns || after.stepped_ns > before.stepped_ns + p.target_ns,
        "a step a target at most");
  holds(after.stepped_ns != before.stepped_ns || after.probability_q32 == before.probability_q32,
        "no other change");
}

}  // namespace

PROOF(a_step_of_relief_comes_later_and_ends) {
  const pst_cobalt_params p = any_params();
  const u64 now_ns = any_time();
  pst_cobalt_state s = any_state(now_ns);
  assume(pst_cobalt_due(&s, now_ns));
  const pst_cobalt_state before = s;
  pst_cobalt_relieve(&p, &s);
  holds(s.count + 1 == before.count, "one less");
  holds(s.next_ns >= before.next_ns, "later");
  holds(s.next_ns <= now_ns + MOST_INTERVAL_NS, "by an interval at most");
}

PROOF(a_drop_of_a_full_queue_keeps_COBALT_in_its_ranges) {
  const pst_cobalt_params p = any_params();
  const u64 now_ns = any_time();
  const pst_cobalt_state before = any_state(now_ns);
  pst_cobalt_state s = before;
  pst_cobalt_full(&p, &s, now_ns);
  holds(s.probability_q32 >= before.probability_q32, "it never lowers it");
  holds(s.probability_q32 <= before.probability_q32 + p.raise_q32, "by one step at most");
  holds(pst_cobalt_due(&s, now_ns), "a signal is due");
  holds_steps(p, before, s);
  holds_ranges(s, now_ns);
}

PROOF(an_empty_queue_keeps_COBALT_in_its_ranges) {
  const pst_cobalt_params p = any_params();
  const u64 now_ns = any_time();
  const pst_cobalt_state before = any_state(now_ns);
  pst_cobalt_state s = before;
  pst_cobalt_empty(&p, &s, now_ns);
  holds(s.probability_q32 <= before.probability_q32, "it never raises it");
  holds(before.probability_q32 <= s.probability_q32 + p.lower_q32, "by one step at most");
  holds(s.count <= before.count && !s.dropping, "it never signals");
  holds_steps(p, before, s);
  holds_ranges(s, now_ns);
}

PROOF(a_departure_keeps_COBALT_in_its_ranges) {
  const pst_cobalt_params p = any_params();
  pst_queue q = any_queue();
  q.random = u32::any("q.random");
  pst_packet k = {};
  k.queued_ns = u64::up_to("k.queued_ns", MOST_NOW_NS);
  k.tos = u8::any("k.tos");
  const pst_cobalt_state before = any_state(q.now_ns);
  pst_cobalt_state s = before;
  relieves_all = true;
  const pst_verdict verdict = pst_cobalt_on_leave(&p, &s, &q, &k);
  relieves_all = false;
  const u64 waited_ns = pst_sub_floor(q.now_ns, k.queued_ns);
  const Bool over = waited_ns > p.target_ns && waited_ns > 4 * p.packet_ns;
  const Bool due = pst_cobalt_due(&before, q.now_ns);
  holds(verdict != PST_SIGNAL, "a mark or a drop");
  holds(verdict != PST_MARK || pst_packet_ecn_capable(&k), "a mark can be read");
  holds(verdict != PST_MARK || (over && due), "of a packet that was over, when it was due");
  holds(verdict != PST_DROP || (over && due) || q.random < before.probability_q32,
        "so is a drop, except for BLUE's");
  holds(s.dropping == over, "the last packet was over, or not");
  holds(s.probability_q32 == before.probability_q32, "its probability changes elsewhere");
  holds(s.count <= pst_max(before.count, 1) + 1, "one signal more at most");
  holds(over || !pst_cobalt_due(&s, q.now_ns) || s.next_ns == q.now_ns, "relief has caught up");
  holds_ranges(s, q.now_ns);
}

PROOF(a_link_gives_COBALT_times_in_their_ranges) {
  pst_cake_params p = {};
  PST_CAKE_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  const pst_cobalt_params c = pst_cake_cobalt(&p, &q);
  holds(c.packet_ns <= PST_MAX_NS, "a packet");
  holds(c.target_ns >= p.target_ns && c.target_ns <= 2 * PST_MAX_NS, "the target");
  holds(2 * c.target_ns + 1 >= 3 * c.packet_ns, "of 1.5 packets at least");
  holds(c.interval_ns >= 2 * c.target_ns, "an interval of two targets");
  holds(c.interval_ns >= p.interval_ns && c.interval_ns <= MOST_INTERVAL_NS, "in its range");
  holds(c.raise_q32 <= PST_Q32_ONE && c.lower_q32 <= PST_Q32_ONE, "the steps");
}
