/* SPDX-License-Identifier: GPL-2.0-only */
/* A discipline that schedules: FQ-CoDel's turns among four queues, over its host's table. */
#ifndef PENSTOCK_CORE_QUEUE_DUMMY_TURNS_H
#define PENSTOCK_CORE_QUEUE_DUMMY_TURNS_H

#include "fq_codel.h"

#define PST_DUMMY_TURNS_TITLE "dummy discipline with several queues"
#define PST_DUMMY_TURNS_SOURCE "none"
#define PST_DUMMY_TURNS_FORMULA "window_bytes"
#define PST_DUMMY_TURNS_PARAMS(P)                                                     \
  PST_CODEL_PARAMS(P)                                                                 \
  P(quantum_bytes, PST_BYTES, PST_IS(9000), 64, 1048576, "bytes of a turn", "none")   \
  P(queues, PST_COUNT, PST_IS(4), 1, 65536, "number of queues", "none")               \
  P(drop_batch_pkts, PST_PKTS, PST_IS(1), 1, 65536, "packets of an overflow", "none") \
  P(perturbation, PST_COUNT, PST_IS(0), 0, 0xffffffffULL, "salt of the hash", "none")
#define PST_DUMMY_TURNS_STATE(S) PST_FQ_CODEL_STATE(S)

struct pst_dummy_turns_params {
  struct pst_fq_codel_params turns;
};

struct pst_dummy_turns_state {
  struct pst_fq_codel_state turns;
};

#endif
