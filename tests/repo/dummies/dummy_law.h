/* SPDX-License-Identifier: GPL-2.0-only */
/* A law with flow state: each flow gets one segment more with each ACK. */
#ifndef PENSTOCK_CORE_CONTROL_DUMMY_LAW_H
#define PENSTOCK_CORE_CONTROL_DUMMY_LAW_H

#include "../queue/queue.h"
#include "ack.h"

#define PST_DUMMY_LAW_TITLE "dummy law"
#define PST_DUMMY_LAW_SOURCE "none"
#define PST_DUMMY_LAW_FORMULA "min(window_bytes, mss_bytes)"
#define PST_DUMMY_LAW_PARAMS(P) \
  P(first_pkts, PST_PKTS, PST_IS(2), 1, 1000, "segments of the first ACK", "none")
#define PST_DUMMY_LAW_STATE(S) S(flows, PST_COUNT, "flows that had an ACK")
#define PST_DUMMY_LAW_FLOW(F) F(u32, acks, PST_COUNT, "ACKs of this flow")

struct pst_dummy_law_params {
  PST_DUMMY_LAW_PARAMS(PST_PARAM_FIELD)
};

struct pst_dummy_law_state {
  PST_DUMMY_LAW_STATE(PST_STATE_FIELD)
};

struct pst_dummy_law_flow {
  PST_DUMMY_LAW_FLOW(PST_FLOW_FIELD)
};

PST_FN u64 pst_dummy_law_on_ack(const struct pst_dummy_law_params* p, struct pst_dummy_law_state* s,
                                struct pst_dummy_law_flow* f, const struct pst_queue* q,
                                const struct pst_ack* a) {
  (void)q;
  if (!f->acks) s->flows++;
  return (p->first_pkts + f->acks++) * a->mss_bytes;
}

#endif
