// SPDX-License-Identifier: GPL-2.0-only
// fair, pairs of hosts: what they count in N, and what they may have, stay in their ranges.
#include "fair_stubs.h"

#include "../law/inputs.h"

constexpr unsigned long long MOST_PART_Q16 = PST_FAIR_MOST_PARTS * PST_Q16_ONE;

#include "discipline/fair_count.h"

#include "../proof.h"
#include "fair.h"

using namespace prove;

// In N a pair is one flow, and as much beyond as it may have; its flows have that part.
PROOF(fair_counts_a_pair_as_what_it_may_have) {
  pst_fair_state s = any_state(any_params());
  pst_fair_pair pair = any_pair();
  pair.epoch = u32(s.epoch);
  const u64 running = s.running_q16;
  const u64 beyond = s.beyond_q16;
  const u32 before = pair.running_q16;
  assume(before == 0U);
  pst_fair_pair_count(&s, &pair, u64::up_to("more_q16", MOST_PART_Q16));
  holds(s.running_q16 - running <= PST_Q16_ONE, "one flow");
  holds(s.beyond_q16 - beyond <= s.most_beyond_q16, "and what it may have beyond");
  if (pair.lost_slots >= PST_PAIR_LOST_SLOTS)
    holds(s.beyond_q16 == beyond, "a flood has one share");
  holds(pst_fair_pair_part_q16(&s, &pair) <= PST_Q16_ONE, "a part");
  holds_ranges(s);
  holds(pst_fair_pair_invariant(&pair), "what is known of it");
}

// What pairs have beyond a share each counts as half of N at most, before what is spared.
PROOF(what_pairs_have_beyond_a_share_is_half_of_the_link) {
  pst_fair_state s = any_state(any_params());
  const u64 most = s.running_q16 + s.running_q16;
  const u64 spared = u64::exactly(s.spared_q16.whole());
  s.spared_q16 = u64(0);
  holds(pst_fair_running_q16(&s) <= most, "with them it is twice what it is without");
  s.spared_q16 = spared;
  holds(pst_fair_running_q16(&s) <= MOST_Q16, "and in its range with what is spared");
}

PROOF(a_packet_keeps_a_pair_in_its_ranges) {
  pst_fair_pair pair = any_pair();
  pst_fair_pair_note(&pair, u32::up_to("bytes", MOST_PACKET_BYTES),
                     static_cast<bool>(Bool::any("lost")), u32::any("now_units"));
  holds(pst_fair_pair_invariant(&pair), "what came, and what was lost");
}

PROOF(an_interval_keeps_a_pair_in_its_ranges) {
  pst_fair_pair pair = any_pair();
  pst_fair_pair_fit(&pair, u64::up_to("most_bytes", PST_MAX_BYTES));
  holds(pst_fair_pair_invariant(&pair), "what passed of it");
}
