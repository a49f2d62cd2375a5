// SPDX-License-Identifier: GPL-2.0-only
// Whole events of the law `penstock`: each keeps each number of the state in its range, and no
// window is below a segment or above the receiver's.
//
// penstock_proofs.cpp proves of the parts what stands here in their place: from every state in its
// ranges, which is claimed of the state that a part is called with, to any state in its ranges.
#include "penstock.h"

#define pst_penstock_aim pst_penstock_aim_of_core
#define pst_penstock_segments_q16 pst_penstock_segments_q16_of_core
#include "law/penstock_plan.h"
#undef pst_penstock_aim
#undef pst_penstock_segments_q16

#define pst_penstock_whole pst_penstock_whole_of_core
#define pst_penstock_foresee pst_penstock_foresee_of_core
#define pst_penstock_open pst_penstock_open_of_core
#define pst_penstock_grown pst_penstock_grown_of_core
#include "law/penstock_window.h"
#undef pst_penstock_whole
#undef pst_penstock_foresee
#undef pst_penstock_open
#undef pst_penstock_grown

#define pst_penstock_step_q32 pst_penstock_step_q32_of_core
#define pst_penstock_follow_flows pst_penstock_follow_flows_of_core
#define pst_penstock_measure_use pst_penstock_measure_use_of_core
#define pst_penstock_forget pst_penstock_forget_of_core
#include "law/penstock_step.h"
#undef pst_penstock_step_q32
#undef pst_penstock_follow_flows
#undef pst_penstock_measure_use
#undef pst_penstock_forget

using namespace prove;

namespace {

void go_on(pst_penstock_state* s) {
  holds_ranges(*s);
  *s = any_state();
}

void pst_penstock_aim(const pst_penstock_params*, pst_penstock_state* s, const pst_queue*) {
  go_on(s);
}
void pst_penstock_follow_flows(pst_penstock_state* s, const pst_queue*) { go_on(s); }
void pst_penstock_measure_use(const pst_penstock_params*, pst_penstock_state* s, const pst_queue*) {
  go_on(s);
}
void pst_penstock_forget(const pst_penstock_params*, pst_penstock_state* s) { go_on(s); }
void pst_penstock_foresee(const pst_penstock_params*, pst_penstock_state* s, const pst_queue*) {
  go_on(s);
}
u64 pst_penstock_step_q32(const pst_penstock_params*, pst_penstock_state* s, const pst_queue*) {
  go_on(s);
  return u64::any("step_q32");
}
u64 pst_penstock_segments_q16(const pst_penstock_params*, const pst_penstock_state* s,
                              const pst_queue*, const pst_ack*) {
  holds_ranges(*s);
  return u64::up_to("segments_q16", PST_PIPE_MAX_SEGMENTS << 16);
}
u64 pst_penstock_whole(const pst_penstock_params*, const pst_penstock_state* s, const pst_ack*,
                       u64 phase_q16) {
  holds_ranges(*s);
  holds(phase_q16 <= 0xffff, "a phase");
  return u64::exactly(between(1, MOST_SEGMENTS));
}
u64 pst_penstock_open(const pst_penstock_params*, pst_penstock_state* s, pst_penstock_flow* f,
                      const pst_queue*, const pst_ack* a) {
  go_on(s);
  f->promised_bytes = u32::any("first flight");
  return u64::exactly(between(2, 10)) * a->mss_bytes;
}
u64 pst_penstock_grown(const pst_penstock_params*, pst_penstock_state* s, pst_penstock_flow* f,
                       const pst_queue*, const pst_ack* a, u64 share_bytes) {
  const u64 least = pst_min(a->mss_bytes, a->window_bytes);
  holds(share_bytes >= least && share_bytes <= MOST_SEGMENTS * MOST_MSS_BYTES,
        "a segment at least, or the receiver's");
  go_on(s);
  f->behind_bytes = u32::up_to("behind", PST_MOST_WINDOW_BYTES);
  const u64 window = u64::up_to("window", MOST_SEGMENTS * MOST_MSS_BYTES);
  assume(window >= least &&
         window <= pst_max(share_bytes, pst_max(a->granted_bytes, a->mss_bytes)));
  return window;
}

}  // namespace

#include "law/penstock.h"

PROOF(a_step_of_penstock_keeps_it_in_its_ranges) {
  const pst_penstock_params p = any_params();
  const pst_queue q = any_queue();
  pst_penstock_state s = any_state();
  holds(pst_penstock_on_tick(&p, &s, &q) == p.interval_ns, "the next step is an interval later");
  holds_ranges(s);
}

PROOF(an_ACK_keeps_penstock_in_its_ranges) {
  const pst_penstock_params p = any_params();
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_penstock_state s = any_state();
  pst_penstock_flow f = any_law_flow();
  assume_room(s);
  const u64 window = pst_penstock_on_ack(&p, &s, &f, &q, &a);
  holds_window(window, a);
  holds(f.bound <= PST_PENSTOCK_SHARE, "a bound that has a name");
  holds_ranges(s);
}
