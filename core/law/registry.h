/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a window law has. It is a header with TITLE, SOURCE and FORMULA macros, a parameter
 * and a state table, and a line of methods.toml, which lists what else it has; dispatch.h is
 * written from these lines. Of functions:
 *
 *   void init(p, s, q)               the queue is empty
 *   void on_accepted(p, s, q, k)     k went into the queue; q with it
 *   void on_left(p, s, q, k)         k has left the queue; q without it
 *   void on_data(p, s, [f,] q, bytes)  payload of a flow passes
 *   u64  on_tick(p, s, q)            ns to the next tick
 *   u64  on_ack(p, s, [f,] q, a)     bytes that the law allows
 *   u64  pace_ns(p, s, q, a, bytes, booked_ns, waits)  the time that so much is to take
 *                                    on the link, 0 while there is room, and whether the
 *                                    ACK waits for its turn
 *   enum pst_floor floor(p, s, q)    whether windows can become smaller
 *   u64  pause_ns(s)                 what the target has on top, to outlast pauses
 *
 * each with the prefix pst_NAME_. Of properties:
 *
 *   flow     a third table, PST_NAME_FLOW(F), with its state per flow (at most 64 bytes,
 *            zeroed with the flow), which on_data and on_ack take as f
 *   opens    on_ack is also called for the SYN-ACK (a->opens), and thus for the first
 *            flight of a flow that its sender opened; the rules grant it at least two
 *            segments
 *   divides  windows are shares of the link, which may be divided among hosts as well
 *
 * A law with on_tick has a parameter interval_ns, the time to the first tick.
 */
#ifndef PENSTOCK_CORE_LAW_REGISTRY_H
#define PENSTOCK_CORE_LAW_REGISTRY_H

#include "../queue/queue.h"
#include "ack.h"
#include "floor.h"

/* In 64-bit words: the most that a law has. core.c demands that all fit. */
#define PST_LAW_PARAM_WORDS 12
#define PST_LAW_STATE_WORDS 29
#define PST_LAW_FLOW_WORDS 3	/* 8 at most */

#include "dispatch.h"

#endif
