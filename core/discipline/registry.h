/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a queue discipline has, which accepts, marks or drops packets. It is a header with
 * TITLE, SOURCE and FORMULA macros, a parameter and a state table, and a line of methods.toml,
 * which lists what else it has; dispatch.h is written from these lines. Of functions:
 *
 *   void             init(p, s, q)            the queue is empty
 *   enum pst_verdict on_arrive(p, s, q, k)    q without k
 *   void             on_accepted(p, s, q, k)  q with k
 *   void             on_overflow(p, s, q, k)  k did not fit into q
 *   enum pst_verdict on_leave(p, s, q, k)     k is to leave; q without it
 *   void             on_left(p, s, q, k)      k has left; q without it
 *   u64              on_tick(p, s, q)         ns to the next tick
 *
 * each with the prefix pst_NAME_. Of properties:
 *
 *   schedules  it has several queues, which its host keeps (fq_codel.h)
 *   dual       these are two, by the ECN codepoint (dualpi2.h)
 *   weighs     these are two, by the header, with weights (xcp_tcp.h)
 *   isolates   these are divided among hosts (cake.h)
 *   header     it reads and writes the header of kind PST_NAME_FEEDBACK
 *   tables     it has a table of flows, which its host keeps (fair_table.h)
 *   measures   it divides the rate at which packets leave (departure_rate.h)
 *   labels     it writes labels into the TOS octet, with rates of flows that its host keeps
 *
 * A verdict is PST_PASS, PST_SIGNAL (an early event, which the gateway's configuration
 * turns into a drop, a mark or a smaller window), or PST_DROP or PST_MARK (in any case). A
 * discipline with on_leave needs a queue that is served packet by packet. A discipline with
 * on_tick has a parameter interval_ns, the time to the first tick.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_REGISTRY_H
#define PENSTOCK_CORE_DISCIPLINE_REGISTRY_H

#include "../queue/queue.h"

/* In 64-bit words: the most that a discipline has. core.c demands that all fit. */
#define PST_DISCIPLINE_PARAM_WORDS 11
#define PST_DISCIPLINE_STATE_WORDS 42

#include "dispatch.h"

#endif
