// SPDX-License-Identifier: GPL-2.0-only
// What the stages of core/gateway/ promise, where a proof is not of an ACK's whole event.
#ifndef PENSTOCK_TESTS_PROVE_GATEWAY_STAGE_CONTRACTS_H
#define PENSTOCK_TESTS_PROVE_GATEWAY_STAGE_CONTRACTS_H

#include "gateway/passage_back.h"

static inline u64 pst_stage_allow(pst_port*, pst_gateway_flow*, pst_flow_group*, pst_queue*,
                                  const pst_ack*) {
  return u64::any("allowed_bytes");
}

static inline u64 pst_stage_book(pst_port*, pst_gateway_flow*, pst_pace_flow*, pst_queue*,
                                 const pst_passing*) {
  return u64::any("cost_ns");
}

static inline int pst_stage_look(pst_port*, pst_queue* q) {
  q->rate_bytes_per_s = u64::any("q.rate_bytes_per_s");
  return 0;
}

static inline u64 pst_stage_tick(pst_port*, pst_queue*) { return u64::any("next_ns"); }

// The queue elsewhere is any.
static inline int pst_stage_view(pst_port*, pst_queue* q) {
  q->bytes = u64::any("q.bytes");
  q->rate_bytes_per_s = u64::any("q.rate_bytes_per_s");
  return 0;
}

static inline int pst_stage_count(pst_port*, pst_flow_group*, pst_queue*) { return 0; }

// The trips that router/hidden_proofs.cpp is about.
static inline int pst_stage_trip(pst_gateway_state*, pst_gateway_flow*, const pst_trip* t, u32) {
  prove::holds(t->ns >= 1 && t->ns <= PST_MAX_NS, "a trip in its range");
  return 0;
}

#endif
