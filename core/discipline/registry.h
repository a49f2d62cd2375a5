/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry of queue disciplines, which accept, mark or drop packets: one line each. A
 * discipline is a header with TITLE, SOURCE and FORMULA macros, a parameter and a state
 * table, and PST_NAME_HAS, the list of what else it has. Of functions:
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

#include "../dispatch.h"
#include "cake.h"
#include "dualpi2.h"
#include "fq_codel.h"
#include "../queue/queue.h"

#ifndef PST_LINKED
#include "antiecn.h"
#include "ared.h"
#include "blue.h"
#include "codel.h"
#include "csfq.h"
#include "droptail.h"
#include "fair.h"
#include "fxcp.h"
#include "pie.h"
#include "quick_start.h"
#include "red.h"
#include "red_band.h"
#include "xcp.h"
#endif

#define PST_DISCIPLINES(D, ...)                         \
	D(droptail, DROPTAIL, __VA_ARGS__)              \
	D(red, RED, __VA_ARGS__)                        \
	D(ared, ARED, __VA_ARGS__)                      \
	D(blue, BLUE, __VA_ARGS__)                      \
	D(codel, CODEL, __VA_ARGS__)                    \
	D(pie, PIE, __VA_ARGS__)                        \
	D(fq_codel, FQ_CODEL, __VA_ARGS__)              \
	D(xcp, XCP, __VA_ARGS__)                        \
	D(red_band, RED_BAND, __VA_ARGS__)              \
	D(csfq, CSFQ, __VA_ARGS__)                      \
	D(fxcp, FXCP, __VA_ARGS__)                      \
	D(quick_start, QUICK_START, __VA_ARGS__)        \
	D(antiecn, ANTIECN, __VA_ARGS__)                \
	D(fair, FAIR, __VA_ARGS__)                      \
	D(dualpi2, DUALPI2, __VA_ARGS__)                \
	D(cake, CAKE, __VA_ARGS__)

#endif
