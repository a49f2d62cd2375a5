/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry of sender methods: one line per method. Each header has tables and structs
 * like a gateway method, and two functions:
 *
 *   pst_NAME_on_ack         new data acknowledged outside of fast recovery
 *   pst_NAME_on_congestion  returns the new ssthresh, bytes
 *
 * PST_NAME_HAS lists what else it has. Of functions, each with the prefix pst_NAME_:
 *
 *   init          when the connection is established
 *   on_sample     on every ACK, in recovery too, before on_ack and on_congestion see it
 *   on_recovered  when a fast recovery or what follows a timeout is over
 *   stamp         fills the header that each data segment (or the SYN: feedback.h) carries
 *                 for routers, zero before; its kind is PST_NAME_FEEDBACK
 *   paces         true while the window is to be spread over a round trip
 *   pacing        the rate at which it sends. on_ack gets every ACK, in recovery too and
 *                 after losses were detected, with view.delivery, and sets the window;
 *                 nothing else does but a timeout. Needs a host that measures delivery:
 *                 not BPF, not ns-3
 *   on_lost       for each segment found lost, before the on_ack that follows; of a method
 *                 with a rate
 *   on_restart    when data leaves after a pause; of a method with a rate
 *   ect1          true if data is to be ECT(1), RFC 9331; of a method with exact_ecn
 *
 * And of properties:
 *
 *   one_loss      its recovery is that of RFC 2581, which the first ACK of new data ends,
 *                 without SACK; else the host's, RFC 6582 or RFC 6675
 *   exact_ecn     it needs ECN, and a receiver that echoes each mark (RFC 8257 section
 *                 3.2); a loss in a window that a mark has reduced counts too. Not BPF,
 *                 not ns-3, whose receivers are not ours
 */
#ifndef PENSTOCK_CORE_SENDER_REGISTRY_H
#define PENSTOCK_CORE_SENDER_REGISTRY_H

#include "../dispatch.h"
#include "feedback.h"
#include "sender.h"

#ifndef PST_LINKED
#include "antiecn_sender.h"
#include "bbr.h"
#include "bbr3.h"
#include "bic.h"
#include "copa.h"
#include "cubic.h"
#include "dctcp.h"
#include "etcp.h"
#include "fba_sender.h"
#include "highspeed.h"
#include "log_westwood_plus.h"
#include "newreno.h"
#include "prague.h"
#include "quick_start_sender.h"
#include "reno.h"
#include "scalable.h"
#include "vegas.h"
#include "westwood_plus.h"
#include "xcp_sender.h"
#endif

#define PST_SENDERS(M, ...)                                     \
	M(newreno, NEWRENO, __VA_ARGS__)                        \
	M(cubic, CUBIC, __VA_ARGS__)                            \
	M(reno, RENO, __VA_ARGS__)                              \
	M(westwood_plus, WESTWOOD_PLUS, __VA_ARGS__)            \
	M(log_westwood_plus, LOG_WESTWOOD_PLUS, __VA_ARGS__)    \
	M(scalable, SCALABLE, __VA_ARGS__)                      \
	M(highspeed, HIGHSPEED, __VA_ARGS__)                    \
	M(bic, BIC, __VA_ARGS__)                                \
	M(vegas, VEGAS, __VA_ARGS__)                            \
	M(xcp_sender, XCP_SENDER, __VA_ARGS__)                  \
	M(etcp_1, ETCP_1, __VA_ARGS__)                          \
	M(etcp_2, ETCP_2, __VA_ARGS__)                          \
	M(etcp_3, ETCP_3, __VA_ARGS__)                          \
	M(etcp_3b, ETCP_3B, __VA_ARGS__)                        \
	M(fba_sender, FBA_SENDER, __VA_ARGS__)                  \
	M(quick_start_sender, QUICK_START_SENDER, __VA_ARGS__)  \
	M(antiecn_sender, ANTIECN_SENDER, __VA_ARGS__)          \
	M(bbr, BBR, __VA_ARGS__)                                \
	M(bbr3, BBR3, __VA_ARGS__)                              \
	M(dctcp, DCTCP, __VA_ARGS__)                            \
	M(prague, PRAGUE, __VA_ARGS__)                          \
	M(copa, COPA, __VA_ARGS__)

#define PST_ENUM(name, NAME, ...) PST_SENDER_##NAME,
enum pst_sender_method {
	PST_SENDERS(PST_ENUM)
	PST_SENDER_COUNT,
};
#undef PST_ENUM

/* The text, if the kernel can run the method: it needs no cong_control, and no receiver of ours. */
#define PST_SENDER_IF_LINUX(NAME, ...) \
	PST_UNLESS(NAME, pacing, PST_UNLESS(NAME, exact_ecn, __VA_ARGS__))

/* In 64-bit words: the most that a method has. core.c demands that all fit. */
#define PST_SENDER_PARAM_WORDS 23
#define PST_SENDER_STATE_WORDS 52

#ifdef PST_LINKED
#define PST_SENDER_MEMBERS(MEMBER)
#else
#define PST_SENDER_MEMBERS(MEMBER) PST_SENDERS(MEMBER)
#endif

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_params name;
union pst_sender_params {
	u64 words[PST_SENDER_PARAM_WORDS];
	PST_SENDER_MEMBERS(PST_MEMBER)
};
#undef PST_MEMBER

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_state name;
union pst_sender_state {
	u64 words[PST_SENDER_STATE_WORDS];
	PST_SENDER_MEMBERS(PST_MEMBER)
};
#undef PST_MEMBER
#undef PST_SENDER_MEMBERS

#endif
