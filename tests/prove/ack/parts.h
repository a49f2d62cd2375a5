// SPDX-License-Identifier: GPL-2.0-only
// In place of the parts of an ACK's event: anything that their contracts allow. Each notes its
// call, and claims what its caller has to see to.
#ifndef PENSTOCK_TESTS_PROVE_ACK_PARTS_H
#define PENSTOCK_TESTS_PROVE_ACK_PARTS_H

#include "integers.h"

#define pst_flow_settle pst_flow_settle_of_core
#define pst_rewrite_bypassed pst_rewrite_bypassed_of_core
#define pst_rewrite_window pst_rewrite_window_of_core
#define pst_rewrite_opening pst_rewrite_opening_of_core
#define pst_rewrite_commit pst_rewrite_commit_of_core
#define pst_gateway_mark pst_gateway_mark_of_core
#define pst_gateway_repeats pst_gateway_repeats_of_core
#define pst_gateway_ack_view pst_gateway_ack_view_of_core
#define pst_gateway_signalled pst_gateway_signalled_of_core
#define pst_gateway_time_ack pst_gateway_time_ack_of_core
#define pst_rtt_on_grant pst_rtt_on_grant_of_core
#define pst_gateway_syn pst_gateway_syn_of_core
#define pst_gateway_opened pst_gateway_opened_of_core
#include "../gateway/part_contracts.h"

#include "gateway/allow.h"
#include "gateway/flow_events.h"
#include "gateway/round_trip.h"
#undef pst_flow_settle
#undef pst_rewrite_bypassed
#undef pst_rewrite_window
#undef pst_rewrite_opening
#undef pst_rewrite_commit
#undef pst_gateway_mark
#undef pst_gateway_repeats
#undef pst_gateway_ack_view
#undef pst_gateway_signalled
#undef pst_gateway_time_ack
#undef pst_rtt_on_grant
#undef pst_gateway_syn
#undef pst_gateway_opened

#include "../proof.h"

namespace prove {

// What an event has called, and the flow at that time.
struct Calls {
  unsigned settled = 0, timed = 0, marked = 0, asked = 0, signalled = 0, written = 0, recorded = 0,
           granted = 0, syns = 0, opened = 0, counted = 0, booked = 0;
  pst_flow judged;  // when it was looked at whether the ACK passes unchanged
  u16 recorded_field;
  u64 allowed_bytes;    // for which a window was written
  u64 signalled_bytes;  // that the law and a signal leave
};
inline Calls* noted = nullptr;  // of the event that runs

#define PENSTOCK_FORGET_FIELD(field) f->field = decltype(f->field)::any("after: " #field);

}  // namespace prove

static inline void pst_flow_settle(pst_flow* f, u32 ack, u64) {
  const pst_flow before = *f;
  PENSTOCK_SETTLES(PENSTOCK_FORGET_FIELD)
  prove::assume(prove::settles(before, *f, ack));
  ++prove::noted->settled;
}

static inline bool pst_rewrite_bypassed(const pst_flow* f, u32 mode, const pst_ack_header* h,
                                        pst_rewrite* out) {
  const prove::Bool bypassed = prove::bypasses(*f, mode, *h);
  *out = {u16::any("bypassed field"), u8::any("limit")};
  prove::assume(prove::implies(bypassed, prove::bypassed_field(*f, mode, *h, out->field)));
  prove::noted->judged = *f;
  return bypassed;
}

static inline pst_rewrite pst_rewrite_window(const pst_flow* f, u32 mode, const pst_ack_header* h,
                                             u64 allowed_bytes) {
  prove::holds(!h->syn && f->scale_known && !pst_is_unseen(f, h), "an ACK of a known scale");
  const pst_rewrite out = {u16::any("window field"), u8::any("limit")};
  prove::assume(prove::window_field(*f, mode, *h, allowed_bytes, out.field));
  prove::noted->allowed_bytes = allowed_bytes;
  ++prove::noted->written;
  return out;
}

static inline pst_rewrite pst_rewrite_opening(const pst_flow* f, const pst_ack_header* h,
                                              u64 allowed_bytes) {
  prove::holds(h->syn, "a SYN-ACK");
  const pst_rewrite out = {u16::any("opening field"), u8::any("limit")};
  prove::assume(prove::opening_field(*f, *h, allowed_bytes, out.field));
  prove::noted->allowed_bytes = allowed_bytes;
  ++prove::noted->written;
  return out;
}

static inline void pst_rewrite_commit(pst_flow* f, const pst_ack_header* h, u16 field) {
  prove::holds(prove::may_leave(*h, field), "a field that may leave");
  const pst_flow before = *f;
  PENSTOCK_COMMITS(PENSTOCK_FORGET_FIELD)
  prove::assume(prove::commits(before, *f, *h, field));
  prove::noted->recorded_field = field;
  ++prove::noted->recorded;
}

static inline void pst_rtt_on_grant(pst_rtt*, u32 edge, bool, u64) {
  prove::holds(prove::noted->recorded == 1 && prove::noted->judged.has_edge, "an edge before");
  prove::holds(edge == prove::noted->judged.edge, "the edge before");
  ++prove::noted->granted;
}

static inline void pst_gateway_mark(const pst_gateway_config*, const pst_gateway_state*,
                                    pst_gateway_flow* g, const pst_queue*) {
  const pst_gateway_flow before = *g;
  pst_flow* f = &g->flow;
  PENSTOCK_TURNS(PENSTOCK_FORGET_FIELD)
  g->use.fills = prove::Bool::any("fills after");
  prove::assume(prove::marks(before, *g));
  ++prove::noted->marked;
}

static inline void pst_gateway_time_ack(const pst_gateway_config*, pst_gateway_state* s,
                                        pst_gateway_flow* f, u32 ack, const pst_queue*) {
  const pst_ack_header h = {ack, u16(0), false, false};
  prove::holds(!pst_is_unseen(&f->flow, &h), "R35: no ACK of unseen data is timed");
  s->hidden.known = prove::Bool::any("known after a trip");
  f->rtt.near_ns = u64::any("near_ns after");
  ++prove::noted->timed;
}

static inline bool pst_gateway_repeats(const pst_gateway_config* c, const pst_gateway_flow* f,
                                       const pst_ack_header* h, pst_rewrite* out) {
  const prove::Bool repeated = prove::repeats(*c, *f, *h);
  const u16 field = u16::any("repeated field");
  if (!repeated) {
    return false;
  }
  prove::holds(h->syn || (f->flow.scale_known && !pst_is_unseen(&f->flow, h)), "a known scale");
  prove::assume(prove::repeated_field(*f, c->mode, *h, field));
  *out = {field, u8::any("limit")};
  prove::noted->allowed_bytes = prove::first_bytes(*f);
  ++prove::noted->written;
  return true;
}

static inline pst_ack pst_gateway_ack_view(const pst_gateway_flow* f, const pst_queue*,
                                           const pst_ack_header* h) {
  pst_ack a = {};
  a.window_bytes = u64::any("a.window_bytes");
  a.rtt_ns = u64::any("a.rtt_ns");
  a.mss_bytes = u32::any("a.mss_bytes");
  a.flight_bytes = u32::any("a.flight_bytes");
  a.acked_bytes = u32::any("a.acked_bytes");
  a.granted_bytes = u32::any("a.granted_bytes");
  prove::assume(prove::views(*f, *h, a));
  return a;
}

static inline u64 pst_stage_allow(pst_port*, pst_gateway_flow* f, pst_flow_group*, pst_queue*,
                                  const pst_ack* a) {
  prove::holds(prove::law_sees(*a), "an ACK in the ranges of laws");
  const pst_gateway_flow before = *f;
  const u64 bytes = u64::any("allowed_bytes");
  f->use.window_bytes = u32::any("window_bytes after");
  f->use.first_segments = u8::any("first_segments after");
  prove::assume(prove::allows(before, *f, *a, bytes));
  ++prove::noted->asked;
  return bytes;
}

static inline u64 pst_gateway_signalled(const pst_gateway_config* c, pst_gateway_state* s,
                                        const pst_flow* f, const pst_ack* a, u64 allowed_bytes) {
  const u64 owed = s->signals_owed;
  const u64 bytes = u64::any("signalled_bytes");
  s->signals_owed = u64::any("owed after");
  prove::assume(prove::signals(*c, owed, s->signals_owed, *f, *a, allowed_bytes, bytes));
  prove::noted->signalled_bytes = bytes;
  ++prove::noted->signalled;
  return bytes;
}

// gateway_proofs.cpp proves it of a SYN.
static inline void pst_gateway_syn(pst_gateway_flow* g, bool, u32, const pst_options*, u64) {
  pst_flow* f = &g->flow;
  PENSTOCK_FLOW(PENSTOCK_FORGET_FIELD)
  prove::assume(prove::invariant(*f));
  prove::noted->judged = *f;
  ++prove::noted->syns;
}

static inline void pst_gateway_opened(pst_gateway_flow*, bool, u64) { ++prove::noted->opened; }

#undef PENSTOCK_FORGET_FIELD

static inline int pst_stage_trip(pst_gateway_state*, pst_gateway_flow*, const pst_trip*, u32) {
  return 0;
}

static inline int pst_stage_look(pst_port*, pst_queue*) { return 0; }
static inline int pst_stage_view(pst_port*, pst_queue*) { return 0; }
static inline u64 pst_stage_tick(pst_port*, pst_queue*) { return u64::any("next_ns"); }

static inline int pst_stage_count(pst_port*, pst_flow_group*, pst_queue*) {
  ++prove::noted->counted;
  return 0;
}

#include "gateway/passage_back.h"

// What a law books, and whether the ACK waits for it.
static inline u64 pst_stage_book(pst_port*, pst_gateway_flow*, pst_pace_flow* p, pst_queue*,
                                 const pst_passing* a) {
  prove::holds(a->field == u32(prove::noted->recorded_field), "the field that leaves");
  const u64 ns = u64::any("cost_ns");
  prove::assume(ns <= 2 * PST_MAX_NS);
  p->waits = prove::Bool::any("waits");
  ++prove::noted->booked;
  return ns;
}

#endif
