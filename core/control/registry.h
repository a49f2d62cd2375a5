/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry of gateway methods: one line a method. A method is a header with
 * a parameter table, a state table, TITLE, SOURCE and FORMULA macros, the two
 * structs and the event functions that its line names:
 *
 *   M(name, NAME, init, on_enqueue, on_dequeue, on_tick, on_ack)
 *
 * with HAS for an event the method handles and NO for the others. A method with
 * on_tick has a parameter interval_ns. control.h makes the dispatch from this.
 */
#ifndef PENSTOCK_CORE_CONTROL_REGISTRY_H
#define PENSTOCK_CORE_CONTROL_REGISTRY_H

#include "ared.h"
#include "awm.h"
#include "droptail.h"
#include "ewa.h"
#include "ewt.h"
#include "ewt_iot.h"
#include "integral.h"
#include "red.h"
#include "share.h"

#define PST_METHODS(M)                             \
	M(droptail, DROPTAIL, NO, NO, NO, NO, NO)   \
	M(red, RED, NO, HAS, HAS, NO, NO)           \
	M(ared, ARED, HAS, HAS, HAS, HAS, NO)       \
	M(ewa, EWA, HAS, NO, NO, HAS, HAS)          \
	M(awm, AWM, HAS, HAS, HAS, NO, HAS)         \
	M(ewt, EWT, NO, NO, NO, NO, HAS)            \
	M(ewt_iot, EWT_IOT, HAS, NO, NO, NO, HAS)   \
	M(share, SHARE, NO, NO, NO, NO, HAS)        \
	M(integral, INTEGRAL, HAS, NO, NO, HAS, HAS)

#endif
