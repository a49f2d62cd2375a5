// SPDX-License-Identifier: GPL-2.0-only
// What a rule spares: none is spared while more than the burst is due, and what is not spared takes
// nothing of the bound. tests/core/fair_rule_test.cpp has the bound over any time.
#include "../law/inputs.h"

#define pst_fair_mean_decayed pst_fair_mean_decayed_of_core
#include "flow/fair_decay.h"
#undef pst_fair_mean_decayed

// a_mean_that_decays_does_not_grow proves it.
static inline u64 pst_fair_mean_decayed(u64 mean_bytes, u64 passed_ns) {
  using namespace prove;
  holds(mean_bytes < PST_MAX_BYTES && passed_ns < 4 * PST_NS_PER_S, "a mean that decays");
  const Whole r = between(0, PST_MAX_BYTES - 1);
  given(r.term() <= mean_bytes.whole().term());
  return u64::exactly(r);
}

#include "flow/spared.h"

#include "../proof.h"

using namespace prove;

namespace {

constexpr unsigned long long MOST_DUE_NS = MOST_NOW_NS + (1ULL << 61);

}  // namespace

PROOF(a_rule_spares_what_its_bound_takes) {
  const u64 now_ns = u64::up_to("now_ns", MOST_NOW_NS);
  const u64 before_ns = u64::up_to("due_ns", MOST_DUE_NS);
  const u64 part = u64::exactly(between(1, PST_MAX_BYTES, "part"));
  const u32 bytes = u32::up_to("bytes", MOST_PACKET_BYTES);
  const u64 from_ns = pst_max(before_ns, now_ns);
  u64 due_ns = before_ns;
  if (!pst_spared_fits(&due_ns, part, bytes, now_ns)) {
    holds(from_ns - now_ns > PST_SPARED_BURST_NS, "more than the burst is due");
    holds(due_ns == before_ns, "what is not spared takes nothing");
    return;
  }
  holds(from_ns - now_ns <= PST_SPARED_BURST_NS, "no more than the burst was due");
  holds(due_ns >= from_ns, "it takes its time");
  holds(due_ns <= MOST_DUE_NS, "it is due within the time that is spoken of");
}

PROOF(a_part_of_nothing_spares_a_packet_at_a_time) {
  u64 due_ns = u64::up_to("due_ns", MOST_DUE_NS);
  pst_spared_fits(&due_ns, 0, u32::up_to("bytes", MOST_PACKET_BYTES),
                  u64::up_to("now_ns", MOST_NOW_NS));
  holds(due_ns <= MOST_DUE_NS, "it is due some time");
}

PROOF(what_a_rule_has_spared_stays_in_its_range) {
  pst_spared s = {};
  s.mean_bytes = u64::up_to("mean_bytes", PST_MAX_BYTES - 1);
  s.seen_ns = u64::up_to("seen_ns", MOST_NOW_NS);
  s.packets = u64::up_to("packets", MOST_NOW_NS);
  s.bytes = u64::up_to("spared_bytes", MOST_NOW_NS);
  pst_spared_add(&s, u32::up_to("bytes", MOST_PACKET_BYTES), u64::up_to("now_ns", MOST_NOW_NS));
  holds(s.mean_bytes < PST_MAX_BYTES, "its mean");
  pst_spared_bytes_per_s(&s, u64::up_to("later_ns", MOST_NOW_NS));
}
