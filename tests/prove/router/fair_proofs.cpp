// SPDX-License-Identifier: GPL-2.0-only
// fair: nothing overflows, the state and each cell stay in their ranges, and a flow that was left
// alone and is not above its share passes, as does one that is controlled, or finds a short queue.
#include "fair_stubs.h"

#include "../law/inputs.h"

// The flow's cells, whichever they are.
static struct pst_fair_entry the_entry;
#define pst_fair_find(table, flow, answered, stream) the_entry

// The cell of all that nobody answers.
static struct pst_fair_cell the_cell;
static inline pst_fair_entry any_unanswered(pst_fair_table*) {
  return {&the_cell, &the_cell, false, u32(0)};
}
#define pst_fair_unanswered any_unanswered

// Whether the flow is within its share after the packet.
static auto is_within_share = false;

// What the proofs of a cell below say: what came and passed is in its range.
static inline void any_arrival(const pst_fair_entry* e, u32 bytes, u64 share_bytes, u64 now_ns,
                               u64 average_ns, u64 inverse) {
  using namespace prove;
  holds(bytes <= MOST_PACKET_BYTES && share_bytes <= PST_MAX_BYTES && now_ns <= MOST_NOW_NS,
        "an arrival");
  holds(inverse * average_ns > ~0ULL - average_ns, "the inverse of the averaging time");
  for (pst_fair_cell* c : {e->first, e->second}) {
    c->seen_ns = u64::up_to("seen_ns", MOST_NOW_NS);
    c->level_bytes = u64::up_to("level_bytes", PST_MAX_BYTES - 1);
    c->mean_bytes = u64::up_to("mean_bytes", PST_MAX_BYTES - 1);
    if (is_within_share) {
      assume(c->level_bytes <= share_bytes);
    }
  }
}

// A judgement may end that a flow is held, and does not begin it.
static inline void any_judgement(pst_fair_cell* c, u64, u64) {
  const u16 held = c->held;
  c->held = u16::any("judged");
  prove::given((c->held <= held).term());
  c->above_units = u32::any("above_units");
}

constexpr unsigned long long MOST_PART_Q16 = PST_FAIR_MOST_PARTS * PST_Q16_ONE;
static inline u32 any_part(const pst_fair_entry*, u32) { return u32::up_to("part", MOST_PART_Q16); }

// a_packet_keeps_what_is_known_of_growth_in_its_ranges proves it.
static inline void any_grow(const pst_fair_entry* e, const pst_growth_bounds*, u32, u32) {
  for (pst_fair_cell* c : {e->first, e->second})
    c->growth.grown_slots = u8::up_to("grown_slots", PST_GROWTH_SLOTS);
}

static inline void any_count(pst_fair_cell* c, u32 epoch, u32 part_q16) {
  prove::holds(part_q16 <= MOST_PART_Q16, "some flows at most");
  c->counted_q16 = u32::up_to("counted_q16", MOST_PART_Q16);
  c->epoch = epoch;
}

// What is known of growth says so, or does not.
static inline bool any_answer(const pst_fair_entry*) {
  return static_cast<bool>(prove::Bool::any("grown"));
}

#include "discipline/fair_spare.h"

constexpr unsigned long long MOST_LIMIT_BYTES = 2 * PST_MAX_BYTES;

// fair_spares_nothing_beyond_its_part proves it.
static inline u64 any_spared_limit(const pst_fair_state*, bool) {
  return u64::up_to("spared_limit_bytes", MOST_LIMIT_BYTES);
}

// fair_counts_a_flow_once_at_most proves it.
static inline u32 any_spared_part(u64 level_bytes, u64 share_bytes, u32 counted_q16) {
  prove::holds(level_bytes < PST_MAX_BYTES && share_bytes <= PST_MAX_BYTES, "a level, a share");
  prove::holds(counted_q16 <= MOST_PART_Q16, "some flows at most");
  return u32::up_to("part", MOST_PART_Q16);
}

// So do marks without effect.
static inline bool any_vain(const pst_fair_entry*, u64, u32) {
  return static_cast<bool>(prove::Bool::any("vain"));
}

// The names of what carries no data change no range.
static inline bool any_answers(pst_fair_table*, u64, u32) {
  return static_cast<bool>(prove::Bool::any("known"));
}

#define pst_fair_is_answered any_answers
#define pst_fair_is_vain any_vain
#define pst_fair_is_grown any_answer
#define pst_fair_spared_limit_bytes any_spared_limit
#define pst_fair_spared_part_q16 any_spared_part
#define pst_fair_add any_arrival
#define pst_fair_cell_judge any_judgement
#define pst_fair_counted_q16 any_part
#define pst_fair_cell_count any_count
#define pst_fair_grow any_grow

#include "discipline/fair_count.h"

// fair_counts_a_pair_as_what_it_may_have proves it, of the pair of hosts, whichever it is.
static inline u64 any_part_of_pair(const pst_fair_state*, pst_fair_pairs*, u32) {
  return u64::up_to("part_q16", PST_Q16_ONE);
}
static inline void any_count_of_pair(pst_fair_state* s, const pst_fair_entry*, pst_fair_pairs*, u32,
                                     u32, u32, bool) {
  s->running_q16 = u64::up_to("running_q16", PST_MAX_BYTES);
}
static inline void any_note(pst_fair_pairs*, u32, u32 bytes, u32, u32) {
  prove::holds(bytes <= prove::MOST_PACKET_BYTES, "a packet");
}

// N of the interval, in the range that what_pairs_have_beyond_a_share_is_half_of_the_link proves.
static u64 the_flows;
static inline u64 these_flows(const pst_fair_state*) { return the_flows; }

#define pst_fair_flows_q16 these_flows
#define pst_fair_part_at_q16 any_part_of_pair
#define pst_fair_count any_count_of_pair
#define pst_fair_note_at any_note

#include "discipline/fair.h"
#undef pst_fair_flows_q16
#undef pst_fair_part_at_q16
#undef pst_fair_count
#undef pst_fair_note_at
#undef pst_fair_is_answered
#undef pst_fair_is_vain
#undef pst_fair_is_grown
#undef pst_fair_spared_limit_bytes
#undef pst_fair_spared_part_q16
#undef pst_fair_find
#undef pst_fair_unanswered
#undef pst_fair_cell_judge
#undef pst_fair_counted_q16
#undef pst_fair_cell_count
#undef pst_fair_grow

#include "../proof.h"
#include "fair.h"

using namespace prove;

namespace {

// A flow's two cells, which are one for all flows that nothing answers.
struct Cells {
  pst_fair_cell first = any_cell("first.seen_ns");
  pst_fair_cell second = any_cell("second.seen_ns");
  pst_fair_entry entry = {&first, Bool::any("shared") ? &first : &second, Bool::any("answered"),
                          u32::any("stream")};

  void holds_their_ranges() const {
    holds_ranges(first);
    holds_ranges(second);
  }
};

}  // namespace

PROOF(a_mean_that_decays_does_not_grow) {
  const u64 mean = u64::up_to("mean_bytes", PST_MAX_BYTES - 1);
  const u64 decayed = pst_fair_mean_decayed_of_core(mean, u64::up_to("ns", MOST_PASSED_NS - 1));
  holds(decayed <= mean, "no more than before");
}

PROOF(a_level_of_fair_decays) {
  const pst_fair_params p = any_params();
  const u64 level = u64::up_to("level_bytes", PST_MAX_BYTES - 1);
  const u64 decayed = pst_fair_level_decayed(level, u64::up_to("ns", MOST_NOW_NS), p.average_ns,
                                             ~0ULL / p.average_ns);
  holds(decayed <= level, "no more than before");
}

PROOF(a_packet_keeps_a_cell_of_fair_in_its_ranges) {
  const pst_fair_params p = any_params();
  pst_fair_cell c = any_cell("c.seen_ns");
  pst_fair_cell_add(&c, u32::up_to("bytes", MOST_PACKET_BYTES),
                    u64::up_to("share_bytes", PST_MAX_BYTES), u64::up_to("now_ns", MOST_NOW_NS),
                    p.average_ns, ~0ULL / p.average_ns);
  holds_ranges(c);
}

PROOF(a_packet_keeps_what_is_known_of_growth_in_its_ranges) {
  pst_fair_growth g = any_growth();
  const pst_growth_bounds b = {u64::up_to("share_bytes", 1ULL << 47),
                               u64::up_to("spare_bytes", 1ULL << 47)};
  pst_growth_add(&g, &b, u32::up_to("bytes", MOST_PACKET_BYTES), u32::any("now_units"));
  holds(pst_growth_invariant(&g), "slots that are still to come");
}

// What passes beyond a share is counted, and ends at twice what may be spared in half a second.
PROOF(fair_spares_nothing_beyond_its_part) {
  const pst_fair_state s = any_state(any_params());
  const u64 most = 2 * PST_FAIR_SPARE_BURST * (s.spare_bytes + s.spare_bytes / 8);
  const bool lasts = static_cast<bool>(Bool::any("lasts"));
  const u64 limit = pst_fair_spared_limit_bytes(&s, lasts);
  holds((lasts ? s.lasting_spent_bytes : s.spent_bytes) < most || limit == 0, "each has its share");
  holds(limit <= MOST_LIMIT_BYTES, "a limit in its range");
}

PROOF(a_count_keeps_a_cell_of_fair_in_its_ranges) {
  const Cells cells;
  const u32 epoch = u32::any("epoch");
  holds(pst_fair_counted_q16(&cells.entry, epoch) <= MOST_PART_Q16, "some flows at most");
  pst_fair_cell_count(cells.entry.first, epoch, u32::up_to("part_q16", MOST_PART_Q16));
  holds(cells.first.epoch == epoch, "it is counted in the interval");
  cells.holds_their_ranges();
}

PROOF(a_cell_of_fair_that_is_judged_is_not_held_because_of_it) {
  pst_fair_cell c = any_cell("c.seen_ns");
  const u16 held = c.held;
  const u64 share = u64::up_to("share_bytes", 2 * PST_MAX_BYTES);
  pst_fair_cell_judge(&c, share, u64::up_to("now_ns", MOST_NOW_NS));
  holds(c.held <= held, "it is held as before, or no more");
  holds(c.above_units == 0 || c.level_bytes > share, "it is above its share or it is not");
  holds_ranges(c);
}

LONG_PROOF(an_interval_keeps_fair_in_its_ranges) {
  const pst_fair_params p = any_params();
  const pst_queue q = a_link();
  pst_fair_state s = any_state(p);
  the_flows = u64::exactly(between(PST_Q16_ONE, MOST_Q16, "flows"));
  pst_fair_advance(&p, &s, &q);
  holds(s.end_ns > q.now_ns, "the interval ends later");
  pst_fair_divide(&p, &s, &q);
  holds_ranges(s);
}

PROOF(a_limit_of_fair_is_above_zero) {
  pst_fair_state s = any_state(any_params());
  const pst_queue q = a_link();
  const u64 limit = pst_fair_limit_bytes(&s, &q);
  holds(limit >= 1 && limit <= 4 * PST_MAX_BYTES, "in its range");
  holds_ranges(s);
}

PROOF(fair_counts_a_flow_once_at_most) {
  const Cells cells;
  const u32 counted = u32::up_to("counted_q16", PST_Q16_ONE);
  pst_packet k = any_packet(PST_KIND_OTHER);
  k.kind = u8::up_to("k.kind", PST_KIND_CONTROLLED);
  const u32 part = pst_fair_part_q16(&cells.entry, &k, u64::up_to("level_bytes", PST_MAX_BYTES - 1),
                                     u64::exactly(between(1, 4 * PST_MAX_BYTES)), counted);
  holds(part <= PST_Q16_ONE, "a flow at most");
  holds(pst_fair_spared_part_q16(u64::up_to("level_bytes", PST_MAX_BYTES - 1),
                                 u64::up_to("share_bytes", PST_MAX_BYTES),
                                 u32::up_to("counted", MOST_PART_Q16)) <= MOST_PART_Q16,
        "some flows at most, where it is spared");
  pst_fair_state s = any_state(any_params());
  pst_fair_pairs pairs;
  pst_fair_count(&s, &cells.entry, &pairs, u32(0), counted, part,
                 static_cast<bool>(Bool::any("spared")));
  holds_ranges(s);
  cells.holds_their_ranges();
}

namespace {

// An arrival after the steps that the proofs above are of: an interval, its share, and the limit at
// this queue. None of these steps changes anything when it is repeated.
struct Arrival {
  pst_fair_params p = any_params();
  pst_fair_state s = any_state(p);
  pst_queue q = a_link();
  Cells cells;

  Arrival() {
    assume(q.now_ns < s.end_ns);
    s.rate_bytes_per_s = u64::exactly(between(1, PST_MAX_BYTES, "rate"));
    q.measured_bytes_per_s = s.rate_bytes_per_s;
    the_flows = u64::exactly(between(PST_Q16_ONE, MOST_Q16, "flows"));
    s.among_q16 = the_flows;
    assume(!q.controlled_q16 ||
           pst_min(q.controlled_q16, PST_FAIR_MOST_COUNT_Q16) + PST_Q16_ONE <= the_flows);
    assume(s.near_q16 >= 1);
    s.near_bytes = pst_clamp(q.bytes, s.target_bytes / 2, 2 * s.target_bytes);
  }
  pst_verdict arrive(const pst_packet& k) {
    the_entry = cells.entry;
    const pst_verdict verdict = pst_fair_on_arrive(&p, &s, &q, &k);
    holds_ranges(s);
    cells.holds_their_ranges();
    return verdict;
  }
};

}  // namespace

PROOF(fair_lets_a_controlled_packet_pass) {
  Arrival a;
  holds(a.arrive(any_packet(PST_KIND_CONTROLLED)) == PST_PASS, "it passes");
  holds(Arrival().arrive(any_packet(PST_KIND_BY_RULE)) == PST_PASS, "so does what a rule spares");
}

// What passes in an interval is a part of the link, and a packet more at most.
PROOF(fair_bounds_what_carries_no_data_and_passes) {
  const pst_fair_params p = any_params();
  const pst_queue q = a_link();
  pst_fair_state s = any_state(p);
  const u32 bytes = u32::up_to("bytes", MOST_PACKET_BYTES);
  const u64 before = s.small_bytes;
  if (pst_fair_is_few(&s, bytes))
    holds(s.small_bytes < s.small_most_bytes + bytes, "a part of the link, and one packet");
  else
    holds(s.small_bytes == before, "what does not pass is not counted");
  holds_ranges(s);
}

// All that passes of a flow that nobody answers and that goes on is spared, also below a share.
LONG_PROOF(fair_counts_all_that_passes_of_a_stream) {
  Arrival a;
  const pst_packet k = any_packet(PST_KIND_OTHER);
  const u64 limit = u64::exactly(between(1, MOST_LIMIT_BYTES, "limit_bytes"));
  const u64 spent = a.s.spent_bytes;
  const u64 level = pst_fair_level_bytes(&a.cells.entry);
  const pst_verdict verdict = pst_fair_on_stream(&a.p, &a.s, &a.cells.entry, &a.q, &k, limit);
  holds(verdict == PST_PASS || level > limit, "within its limit it passes");
  if (verdict == PST_DROP)
    holds(a.s.spent_bytes == spent, "what is dropped is not spared");
  else
    holds(a.s.spent_bytes == pst_min(spent + k.bytes, PST_FAIR_MOST_SPENT_BYTES), "it is spared");
  holds_ranges(a.s);
  a.cells.holds_their_ranges();
}

PROOF(fair_passes_a_small_packet_while_these_are_few) {
  Arrival a;
  assume(a.s.small_bytes < a.s.small_most_bytes);
  holds(a.arrive(any_packet(PST_KIND_SMALL)) == PST_PASS, "it passes");
}

// Left alone: no mark and no drop since it had less than half of its share.
LONG_PROOF(fair_leaves_a_flow_within_its_share_alone) {
  Arrival a;
  assume(!pst_fair_is_held(&a.cells.entry));
  is_within_share = true;
  const pst_verdict verdict = a.arrive(any_packet(PST_KIND_OTHER));
  is_within_share = false;
  holds(verdict == PST_PASS, "it passes");
}

LONG_PROOF(fair_marks_what_can_be_marked_and_drops_what_is_above_its_limit) {
  const pst_fair_params p = any_params();
  const pst_queue q = a_link();
  const pst_packet k = any_packet(PST_KIND_OTHER);
  const Cells cells;
  const u64 limit_bytes = u64::exactly(between(1, 8 * PST_MAX_BYTES, "limit_bytes"));
  const u64 level_bytes = u64::up_to("level_bytes", PST_MAX_BYTES - 1);
  assume(level_bytes > limit_bytes);
  const pst_verdict verdict = pst_fair_verdict(&p, &cells.entry, &q, &k, level_bytes, limit_bytes);
  holds(verdict != PST_SIGNAL, "no other verdict");
  holds(verdict != PST_MARK || pst_packet_ecn_capable(&k), "a mark can be read");
  holds(verdict == PST_PASS || pst_fair_is_held(&cells.entry), "it is held from now on");
  cells.holds_their_ranges();
}
