// SPDX-License-Identifier: GPL-2.0-only
// FXCP: its fuzzy controller aims at a rate in its range, and it asks XCP for nothing that
// xcp_proofs.cpp and ../law/fewa_proofs.cpp do not prove.
#define PENSTOCK_PROVE_ZERO_DIVISOR
#include "../law/any_fuzzy.h"

#define pst_xcp_interval pst_xcp_interval_of_core
#include "discipline/xcp.h"
#undef pst_xcp_interval

using namespace prove;

namespace {

u64 pst_xcp_interval(const pst_xcp_params* p, pst_xcp_state*, const pst_queue*, u64 target) {
  holds(p->alpha_q16 <= PST_Q16_ONE && p->gamma_q16 <= PST_Q16_ONE, "parameters of XCP");
  holds(p->beta_q16 == 0, "the aim includes the queue");
  holds(target <= PST_MAX_BYTES, "a rate");
  return u64::any("interval_ns");
}

}  // namespace

#include "discipline/fxcp.h"

namespace {

pst_fxcp_params any_params() {
  pst_fxcp_params p = {};
  PST_FXCP_PARAMS(PENSTOCK_ANY_PARAM)
  return p;
}

pst_fxcp_state any_state() {
  pst_fxcp_state s = {};
  s.xcp.persistent_bytes = u64::up_to("s.persistent_bytes", PST_MAX_BYTES);
  s.xcp.least_bytes = u64::up_to("s.least_bytes", PST_MAX_BYTES);
  s.xcp.mean_rtt_us = u64::exactly(between(1, PST_XCP_MAX_RTT_US, "s.mean_rtt_us"));
  s.xcp.look_ns = u64::up_to("s.look_ns", MOST_NOW_NS);
  s.before_bytes = u64::up_to("s.before_bytes", PST_MAX_BYTES);
  return s;
}

}  // namespace

PROOF(rules_of_FXCP_weigh_aims_in_their_range) {
  const pst_fxcp_params p = any_params();
  pst_fuzzy f = {};
  pst_fuzzy_infer(&f);
  holds(pst_fxcp_gravity_q16(&p, &f) <= PST_FXCP_MAX_AIM_Q16, "their mean is in the range");
}

PROOF(an_interval_keeps_FXCP_in_its_ranges) {
  const pst_fxcp_params p = any_params();
  const pst_queue q = any_queue();
  pst_fxcp_state s = any_state();
  pst_fxcp_on_tick(&p, &s, &q);
  holds(s.aim_q16 <= PST_FXCP_MAX_AIM_Q16, "four times the link's rate at most");
  holds(s.before_bytes <= PST_MAX_BYTES, "the queue is in its range");
}

PROOF(FXCP_begins_and_forwards_as_XCP_does) {
  const pst_fxcp_params p = any_params();
  const pst_xcp_params x = pst_fxcp_as_xcp(&p);
  holds(x.alpha_q16 >= 1 && x.alpha_q16 <= PST_Q16_ONE, "alpha");
  holds(x.beta_q16 == 0 && x.gamma_q16 <= PST_Q16_ONE, "beta and gamma");
  holds(x.interval_ns >= PST_XCP_MIN_INTERVAL_NS, "the first interval");
  holds(x.interval_ns <= PST_XCP_MAX_INTERVAL_NS, "is in XCP's range");
}
