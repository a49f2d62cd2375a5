/* SPDX-License-Identifier: GPL-2.0-only */
/* A discipline that decides at departure: what waited too long is an early event. */
#ifndef PENSTOCK_CORE_QUEUE_DUMMY_DROP_H
#define PENSTOCK_CORE_QUEUE_DUMMY_DROP_H

#include "../queue/queue.h"

#define PST_DUMMY_DROP_TITLE "dummy discipline"
#define PST_DUMMY_DROP_SOURCE "none"
#define PST_DUMMY_DROP_FORMULA "window_bytes"
#define PST_DUMMY_DROP_PARAMS(P) \
  P(most_ns, PST_NS, PST_IS(1000), 1, PST_MAX_NS, "longest wait", "none")
#define PST_DUMMY_DROP_STATE(S) S(left_pkts, PST_PKTS, "packets that left")

struct pst_dummy_drop_params {
  PST_DUMMY_DROP_PARAMS(PST_PARAM_FIELD)
};

struct pst_dummy_drop_state {
  PST_DUMMY_DROP_STATE(PST_STATE_FIELD)
};

PST_FN enum pst_verdict pst_dummy_drop_on_leave(const struct pst_dummy_drop_params* p,
                                                struct pst_dummy_drop_state* s,
                                                const struct pst_queue* q,
                                                const struct pst_packet* k) {
  s->left_pkts++;
  return q->now_ns - k->queued_ns > p->most_ns ? PST_SIGNAL : PST_PASS;
}

#endif
