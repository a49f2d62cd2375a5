/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry of window laws. One line each,
 *
 *   L(name, NAME, flow, init, accepted, left, data, tick, ack, opens, divides, paces, floors)
 *
 * with HAS for what the law has and NO for the rest. A law is a header with TITLE, SOURCE
 * and FORMULA macros, a parameter and a state table, and those of the following functions
 * that its line names:
 *
 *   void pst_NAME_init(p, s, q)               the queue is empty
 *   void pst_NAME_on_accepted(p, s, q, k)     k went into the queue; q with it
 *   void pst_NAME_on_left(p, s, q, k)         k has left the queue; q without it
 *   void pst_NAME_on_data(p, s, [f,] q, bytes)  payload of a flow passes
 *   u64  pst_NAME_on_tick(p, s, q)            ns to the next tick
 *   u64  pst_NAME_on_ack(p, s, [f,] q, a)     bytes that the law allows
 *   enum pst_floor pst_NAME_floor(p, s, q)    whether windows can become smaller
 *
 * `flow`: the law has a third table, PST_NAME_FLOW(F), with its state per flow (at most
 * 64 bytes, zeroed with the flow), which on_data and on_ack take as f. `opens`: on_ack is
 * also called for the SYN-ACK (a->opens), and thus for the first flight of a flow that
 * its sender opened; the rules grant it at least two segments. `divides`: windows are
 * shares of the link, which may be divided among hosts as well. `paces`: there is a
 * pst_NAME_pace_ns(p, s, q, a, bytes, booked_ns, waits), the time that so much is to take on
 * the link, 0 while there is room, and whether the ACK waits for its turn. `floors`: there is a pst_NAME_floor(),
 * for laws that reduce windows until the queue responds. A law with on_tick has a
 * parameter interval_ns, the time to the first tick.
 */
#ifndef PENSTOCK_CORE_CONTROL_REGISTRY_H
#define PENSTOCK_CORE_CONTROL_REGISTRY_H

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

#define PST_LAWS(L)									\
	L(none, NONE, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO)			\
	L(ewa, EWA, NO, HAS, NO, NO, NO, HAS, HAS, NO, NO, NO, NO)			\
	L(awm, AWM, NO, HAS, HAS, HAS, NO, NO, HAS, NO, NO, NO, NO)			\
	L(ewt, EWT, NO, NO, NO, NO, NO, NO, HAS, NO, NO, NO, NO)			\
	L(ewt_iot, EWT_IOT, NO, HAS, NO, NO, NO, NO, HAS, NO, NO, NO, NO)		\
	L(share, SHARE, NO, NO, NO, NO, NO, NO, HAS, NO, HAS, NO, NO)			\
	L(integral, INTEGRAL, NO, HAS, NO, NO, NO, HAS, HAS, NO, HAS, NO, HAS)		\
	L(penstock, PENSTOCK, HAS, HAS, NO, NO, HAS, HAS, HAS, HAS, HAS, HAS, HAS)	\
	L(fewa, FEWA, NO, HAS, NO, NO, NO, HAS, HAS, NO, NO, NO, NO)			\
	L(sap_law, SAP_LAW, NO, NO, HAS, NO, NO, HAS, HAS, NO, HAS, NO, NO)		\
	L(voap, VOAP, HAS, NO, HAS, NO, NO, HAS, HAS, NO, HAS, NO, NO)			\
	L(smart_red, SMART_RED, NO, NO, HAS, NO, NO, HAS, HAS, NO, HAS, NO, NO)		\
	L(pink, PINK, NO, NO, NO, NO, NO, NO, HAS, NO, HAS, NO, NO)			\
	L(rwndq, RWNDQ, NO, HAS, NO, NO, NO, HAS, HAS, NO, HAS, NO, NO)

#endif
