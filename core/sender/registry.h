/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry of sender methods: one line per method. Each header has tables and structs
 * like a gateway method, and two functions:
 *
 *   pst_NAME_on_ack         new data acknowledged outside of fast recovery
 *   pst_NAME_on_congestion  returns the new ssthresh, bytes
 *
 *   M(name, NAME, recovery, init, on_sample, on_recovered, stamp, paces, rate)
 *
 * recovery      ANY: the host's, RFC 6582 or RFC 6675; ONE: that of RFC 2581,
 *               which the first ACK of new data ends, without SACK
 * init          HAS or NO: pst_NAME_init, when the connection is established
 * on_sample     HAS or NO: pst_NAME_on_sample, on every ACK, in recovery too,
 *               before on_ack and on_congestion see it
 * on_recovered  HAS or NO: pst_NAME_on_recovered, when a fast recovery or what
 *               follows a timeout is over
 * stamp         HAS or NO: pst_NAME_stamp, fills the header that each data segment
 *               (or the SYN: feedback.h) carries for routers, zero before; its kind is
 *               PST_NAME_FEEDBACK
 * paces         HAS or NO: pst_NAME_paces, true while the window is to be spread over
 *               a round trip
 * rate          HAS or NO: it sends at a rate, which pst_NAME_pacing returns. on_ack
 *               gets every ACK, in recovery too and after losses were detected, with
 *               view.delivery, and sets the window; nothing else does but a timeout.
 *               pst_NAME_on_restart, when data leaves after a pause. Needs a host that
 *               measures delivery: not BPF, not ns-3
 */
#ifndef PENSTOCK_CORE_SENDER_REGISTRY_H
#define PENSTOCK_CORE_SENDER_REGISTRY_H

#include "antiecn_sender.h"
#include "bbr.h"
#include "bic.h"
#include "cubic.h"
#include "etcp.h"
#include "fba_sender.h"
#include "feedback.h"
#include "highspeed.h"
#include "log_westwood_plus.h"
#include "newreno.h"
#include "quick_start_sender.h"
#include "reno.h"
#include "scalable.h"
#include "vegas.h"
#include "westwood_plus.h"
#include "xcp_sender.h"

#define PST_SENDERS(M)                                                             \
	M(newreno, NEWRENO, ANY, NO, NO, NO, NO, NO, NO)                           \
	M(cubic, CUBIC, ANY, NO, NO, NO, NO, NO, NO)                               \
	M(reno, RENO, ONE, NO, NO, NO, NO, NO, NO)                                 \
	M(westwood_plus, WESTWOOD_PLUS, ANY, NO, HAS, NO, NO, NO, NO)              \
	M(log_westwood_plus, LOG_WESTWOOD_PLUS, ANY, HAS, HAS, NO, NO, NO, NO)     \
	M(scalable, SCALABLE, ANY, NO, NO, NO, NO, NO, NO)                         \
	M(highspeed, HIGHSPEED, ANY, NO, NO, NO, NO, NO, NO)                       \
	M(bic, BIC, ANY, NO, NO, NO, NO, NO, NO)                                   \
	M(vegas, VEGAS, ANY, HAS, NO, HAS, NO, NO, NO)                             \
	M(xcp_sender, XCP_SENDER, ANY, HAS, HAS, HAS, HAS, NO, NO)                 \
	M(etcp_1, ETCP_1, ANY, HAS, NO, NO, NO, NO, NO)                            \
	M(etcp_2, ETCP_2, ANY, HAS, NO, NO, NO, NO, NO)                            \
	M(etcp_3, ETCP_3, ANY, HAS, NO, NO, NO, NO, NO)                            \
	M(etcp_3b, ETCP_3B, ANY, HAS, NO, NO, NO, NO, NO)                          \
	M(fba_sender, FBA_SENDER, ANY, NO, NO, NO, HAS, NO, NO)                    \
	M(quick_start_sender, QUICK_START_SENDER, ANY, HAS, HAS, NO, HAS, HAS, NO) \
	M(antiecn_sender, ANTIECN_SENDER, ANY, NO, HAS, NO, HAS, NO, NO)           \
	M(bbr, BBR, ANY, HAS, NO, NO, NO, NO, HAS)

#define PST_ENUM(name, NAME, ...) PST_SENDER_##NAME,
enum pst_sender_method {
	PST_SENDERS(PST_ENUM)
	PST_SENDER_COUNT,
};
#undef PST_ENUM

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_params name;
union pst_sender_params {
	PST_SENDERS(PST_MEMBER)
};
#undef PST_MEMBER

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_state name;
union pst_sender_state {
	PST_SENDERS(PST_MEMBER)
};
#undef PST_MEMBER

#endif
