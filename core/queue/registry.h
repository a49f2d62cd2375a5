/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry of queue disciplines, which accept, mark or drop packets. One line each,
 *
 *   D(name, NAME, init, arrive, accepted, overflow, leave, left, tick,
 *     schedules, header, labels)
 *
 * with HAS for what the discipline has and NO for the rest. A discipline is a
 * header with TITLE, SOURCE and FORMULA macros, a parameter and a state table, and those
 * of the following functions that its line names:
 *
 *   void             pst_NAME_init(p, s, q)         the queue is empty
 *   enum pst_verdict pst_NAME_on_arrive(p, s, q, k) q without k
 *   void             pst_NAME_on_accepted(p, s, q, k)  q with k
 *   void             pst_NAME_on_overflow(p, s, q, k)  k did not fit into q
 *   enum pst_verdict pst_NAME_on_leave(p, s, q, k)  k is to leave; q without it
 *   void             pst_NAME_on_left(p, s, q, k)   k has left; q without it
 *   u64              pst_NAME_on_tick(p, s, q)      ns to the next tick
 *
 * A verdict is PST_PASS, PST_SIGNAL (an early event, which the gateway's configuration
 * turns into a drop, a mark or a smaller window) or PST_DROP (in any case). A discipline
 * with on_leave needs a queue that is served packet by packet. A discipline with on_tick
 * has a parameter interval_ns, the time to the first tick. `schedules`: it has several
 * queues, which its host keeps (fq_codel.h). `header`: it reads and writes the header of
 * kind PST_NAME_FEEDBACK. `labels`: it writes labels into the TOS octet, with rates of
 * flows that its host keeps.
 */
#ifndef PENSTOCK_CORE_QUEUE_REGISTRY_H
#define PENSTOCK_CORE_QUEUE_REGISTRY_H

#include "antiecn.h"
#include "ared.h"
#include "blue.h"
#include "codel.h"
#include "csfq.h"
#include "droptail.h"
#include "fq_codel.h"
#include "fxcp.h"
#include "pie.h"
#include "quick_start.h"
#include "red.h"
#include "red_band.h"
#include "xcp.h"

#define PST_DISCIPLINES(D)                                                      \
	D(droptail, DROPTAIL, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO)           \
	D(red, RED, NO, HAS, NO, NO, NO, HAS, NO, NO, NO, NO)                   \
	D(ared, ARED, HAS, HAS, NO, NO, NO, HAS, HAS, NO, NO, NO)               \
	D(blue, BLUE, NO, HAS, HAS, HAS, NO, HAS, NO, NO, NO, NO)               \
	D(codel, CODEL, NO, NO, NO, NO, HAS, NO, NO, NO, NO, NO)                \
	D(pie, PIE, HAS, HAS, NO, HAS, NO, HAS, HAS, NO, NO, NO)                \
	D(fq_codel, FQ_CODEL, NO, NO, NO, NO, NO, NO, NO, HAS, NO, NO)          \
	D(xcp, XCP, HAS, HAS, NO, NO, HAS, NO, HAS, NO, HAS, NO)                \
	D(red_band, RED_BAND, NO, HAS, NO, NO, NO, HAS, NO, NO, NO, NO)         \
	D(csfq, CSFQ, HAS, HAS, NO, HAS, NO, NO, NO, NO, HAS, HAS)              \
	D(fxcp, FXCP, HAS, HAS, NO, NO, HAS, NO, HAS, NO, HAS, NO)              \
	D(quick_start, QUICK_START, HAS, HAS, NO, NO, NO, NO, HAS, NO, HAS, NO) \
	D(antiecn, ANTIECN, NO, HAS, NO, NO, NO, NO, NO, NO, HAS, NO)

#endif
