// SPDX-License-Identifier: GPL-2.0-only
// Stages of core/gateway/ in a proof: a caller meets the contract, of which the header that a
// suite ends with has the definitions; the code itself has the name NAME_of_core.
#ifndef PENSTOCK_TESTS_PROVE_GATEWAY_STAGES_H
#define PENSTOCK_TESTS_PROVE_GATEWAY_STAGES_H

#include "../proof.h"

#define PST_STAGE(type, name) static inline type name##_of_core
#define PST_GIVEN(claim, otherwise) prove::holds(claim, "its pointers")
#define PST_CONFIG(port) (&(port)->config)

struct pst_port;
struct pst_gateway_state;
struct pst_gateway_flow;
struct pst_pace_flow;
struct pst_flow_group;
struct pst_queue;
struct pst_ack;
struct pst_passing;
struct pst_trip;

static inline u64 pst_stage_allow(pst_port*, pst_gateway_flow*, pst_flow_group*, pst_queue*,
                                  const pst_ack*);
static inline u64 pst_stage_book(pst_port*, pst_gateway_flow*, pst_pace_flow*, pst_queue*,
                                 const pst_passing*);
static inline int pst_stage_count(pst_port*, pst_flow_group*, pst_queue*);
static inline int pst_stage_look(pst_port*, pst_queue*);
static inline u64 pst_stage_tick(pst_port*, pst_queue*);
static inline int pst_stage_view(pst_port*, pst_queue*);
static inline int pst_stage_trip(pst_gateway_state*, pst_gateway_flow*, const pst_trip*, u32);

#endif
