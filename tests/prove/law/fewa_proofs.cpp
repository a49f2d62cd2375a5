// SPDX-License-Identifier: GPL-2.0-only
// FEWA's fuzzy controller, and a whole measurement, in which what was proved of the controller
// stands in its place.
#include "any_fuzzy.h"

using namespace prove;

#include "law/fewa.h"

PROOF(memberships_of_FEWA_are_at_most_1) {
  const u64 x_q16 = u64::up_to("x_q16", MOST_QUEUE_Q16);
#define HOLDS_MEMBERSHIP(k, ...) \
  holds(pst_fuzzy_membership_q16(x_q16, __VA_ARGS__) <= PST_Q16_ONE, "membership " #k);
  PST_FUZZY_QUEUE(HOLDS_MEMBERSHIP)
  PST_FUZZY_GROWTH(HOLDS_MEMBERSHIP)
#undef HOLDS_MEMBERSHIP
}

PROOF(rules_of_FEWA_weigh_outputs_in_their_ranges) {
  pst_fuzzy f = {};
#define ANY_MEMBERSHIP(k, ...) \
  f.queue_memberships_##k##_q16 = u64::up_to("queue_memberships_" #k, PST_Q16_ONE);
  PST_FUZZY_QUEUE(ANY_MEMBERSHIP)
#undef ANY_MEMBERSHIP
#define ANY_MEMBERSHIP(k, ...) \
  f.growth_memberships_##k##_q16 = u64::up_to("growth_memberships_" #k, PST_Q16_ONE);
  PST_FUZZY_GROWTH(ANY_MEMBERSHIP)
#undef ANY_MEMBERSHIP
  pst_fuzzy_infer_of_core(&f);
#define HOLDS_WEIGHT(k, ...) holds(f.weights_##k##_q16 <= MOST_WEIGHT_Q16, "weight " #k);
  PST_FEWA_ALPHAS(HOLDS_WEIGHT)
#undef HOLDS_WEIGHT
}

LONG_PROOF(a_measurement_keeps_FEWA_in_its_ranges) {
  pst_fewa_params p = {};
  PST_FEWA_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  pst_fewa_state s = {};
#define ANY_ALPHA(k, ...) \
  s.alphas_##k##_q16 = u64::up_to("s.alphas_" #k "_q16", PST_FEWA_MAX_ALPHA_Q16);
  PST_FEWA_ALPHAS(ANY_ALPHA)
#undef ANY_ALPHA
  // Another limit selects alphas first, in their ranges: other_laws_proofs.cpp.
  s.limit_pkts = pst_fewa_limit_pkts(&p, &q);
  s.queue_pkts = u64::up_to("s.queue_pkts", PST_MAX_PKTS);
  s.measured = u64::up_to("s.measured", 1);
  holds(pst_fewa_on_tick(&p, &s, &q) == p.interval_ns, "the next step is an interval later");
  holds(s.alpha_q16 <= PST_FEWA_MAX_ALPHA_Q16, "alpha is in its range");
  holds(s.queue_pkts <= PST_MAX_PKTS && s.free_pkts <= PST_MAX_PKTS, "queues in their ranges");
  holds(s.segments <= 1ULL << 15, "the sending window is in its range");
}
