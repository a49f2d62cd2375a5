/* SPDX-License-Identifier: GPL-2.0-only */
/* A sender with a header: it grows by one segment with each sample and stamps its window. */
#ifndef PENSTOCK_CORE_SENDER_DUMMY_SENDER_H
#define PENSTOCK_CORE_SENDER_DUMMY_SENDER_H

#include "growth.h"

#define PST_DUMMY_SENDER_TITLE "dummy sender"
#define PST_DUMMY_SENDER_SOURCE "none"
#define PST_DUMMY_SENDER_LINUX "pst_dummy"
#define PST_DUMMY_SENDER_FEEDBACK PST_FEEDBACK_ANTIECN
#define PST_DUMMY_SENDER_PARAMS(P) \
  P(step_pkts, PST_PKTS, PST_IS(1), 1, 1000, "segments of an ACK", "none")
#define PST_DUMMY_SENDER_STATE(S) S(samples, PST_COUNT, "ACKs that were seen")

struct pst_dummy_sender_params {
  PST_DUMMY_SENDER_PARAMS(PST_PARAM_FIELD)
};

struct pst_dummy_sender_state {
  PST_DUMMY_SENDER_STATE(PST_STATE_FIELD)
};

PST_FN void pst_dummy_sender_on_sample(const struct pst_dummy_sender_params* p,
                                       struct pst_dummy_sender_state* s,
                                       const struct pst_sender_view* v, struct pst_cwnd* w) {
  (void)p;
  (void)v;
  (void)w;
  s->samples++;
}

PST_FN void pst_dummy_sender_on_ack(const struct pst_dummy_sender_params* p,
                                    struct pst_dummy_sender_state* s,
                                    const struct pst_sender_view* v, struct pst_cwnd* w) {
  (void)s;
  w->bytes += p->step_pkts * v->mss_bytes;
}

PST_FN void pst_dummy_sender_stamp(const struct pst_dummy_sender_params* p,
                                   const struct pst_dummy_sender_state* s,
                                   const struct pst_sender_view* v, const struct pst_cwnd* w,
                                   struct pst_feedback* h) {
  (void)p;
  (void)s;
  (void)v;
  h->cwnd_bytes = (u32)pst_min(w->bytes, 0xffffffff);
}

PST_FN u64 pst_dummy_sender_on_congestion(const struct pst_dummy_sender_params* p,
                                          struct pst_dummy_sender_state* s,
                                          const struct pst_sender_view* v, const struct pst_cwnd* w,
                                          enum pst_congestion why) {
  (void)p;
  (void)s;
  (void)w;
  (void)why;
  return pst_half_of_flight(v);
}

#endif
