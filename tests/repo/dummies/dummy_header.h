/* SPDX-License-Identifier: GPL-2.0-only */
/* A discipline with a header: it clears the label of each packet that finds others waiting. */
#ifndef PENSTOCK_CORE_QUEUE_DUMMY_HEADER_H
#define PENSTOCK_CORE_QUEUE_DUMMY_HEADER_H

#include "../queue/queue.h"

#define PST_DUMMY_HEADER_TITLE "dummy discipline with a header"
#define PST_DUMMY_HEADER_SOURCE "none"
#define PST_DUMMY_HEADER_FORMULA "window_bytes"
#define PST_DUMMY_HEADER_FEEDBACK PST_FEEDBACK_ANTIECN
#define PST_DUMMY_HEADER_PARAMS(P) \
  P(most_bytes, PST_BYTES, PST_IS(0), 0, PST_MAX_BYTES, "queue above which it clears", "none")
#define PST_DUMMY_HEADER_STATE(S) S(cleared_pkts, PST_PKTS, "packets whose label was cleared")

struct pst_dummy_header_params {
  PST_DUMMY_HEADER_PARAMS(PST_PARAM_FIELD)
};

struct pst_dummy_header_state {
  PST_DUMMY_HEADER_STATE(PST_STATE_FIELD)
};

PST_FN enum pst_verdict pst_dummy_header_on_arrive(const struct pst_dummy_header_params* p,
                                                   struct pst_dummy_header_state* s,
                                                   const struct pst_queue* q,
                                                   const struct pst_packet* k) {
  if (k->feedback && q->bytes > p->most_bytes) {
    k->feedback->label = 0;
    s->cleared_pkts++;
  }
  return PST_PASS;
}

#endif
