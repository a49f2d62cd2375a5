/* SPDX-License-Identifier: GPL-2.0-only */
/* A source of the queue: it knows of all that ever went in, and that nothing leaves. */
#ifndef PENSTOCK_CORE_QUEUE_DUMMY_QUEUE_H
#define PENSTOCK_CORE_QUEUE_DUMMY_QUEUE_H

#include "../base.h"

struct pst_dummy_queue {
  u64 bytes;
  u64 looked; /* how often */
};

PST_FN void pst_dummy_look(struct pst_dummy_queue* d) { d->looked++; }

PST_FN void pst_dummy_enter(struct pst_dummy_queue* d, u64 bytes) { d->bytes += bytes; }

#endif
