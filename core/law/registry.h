/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry of window laws: one line each. A law is a header with TITLE, SOURCE and
 * FORMULA macros, a parameter and a state table, and PST_NAME_HAS, the list of what else
 * it has. Of functions:
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

#include "../dispatch.h"
#include "../queue/queue.h"
#include "ack.h"
#include "floor.h"

#ifndef PST_LINKED
#include "awm.h"
#include "ewa.h"
#include "ewt.h"
#include "ewt_iot.h"
#include "fewa.h"
#include "integral.h"
#include "none.h"
#include "penstock.h"
#include "pink.h"
#include "rwndq.h"
#include "sap_law.h"
#include "share.h"
#include "smart_red.h"
#include "voap.h"
#endif

#define PST_LAWS(L, ...)                        \
	L(none, NONE, __VA_ARGS__)              \
	L(ewa, EWA, __VA_ARGS__)                \
	L(awm, AWM, __VA_ARGS__)                \
	L(ewt, EWT, __VA_ARGS__)                \
	L(ewt_iot, EWT_IOT, __VA_ARGS__)        \
	L(share, SHARE, __VA_ARGS__)            \
	L(integral, INTEGRAL, __VA_ARGS__)      \
	L(penstock, PENSTOCK, __VA_ARGS__)      \
	L(fewa, FEWA, __VA_ARGS__)              \
	L(sap_law, SAP_LAW, __VA_ARGS__)        \
	L(voap, VOAP, __VA_ARGS__)              \
	L(smart_red, SMART_RED, __VA_ARGS__)    \
	L(pink, PINK, __VA_ARGS__)              \
	L(rwndq, RWNDQ, __VA_ARGS__)

#endif
