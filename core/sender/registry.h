/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a sender method has: a header with tables and structs like a gateway method, and two
 * functions:
 *
 *   pst_NAME_on_ack         new data acknowledged outside of fast recovery
 *   pst_NAME_on_congestion  returns the new ssthresh, bytes
 *
 * and a line of methods.toml, which lists what else it has; dispatch.h is written from these
 * lines. Of functions, each with the prefix pst_NAME_:
 *
 *   init          when the connection is established
 *   on_sample     on every ACK, in recovery too, before on_ack and on_congestion see it
 *   on_recovered  when a fast recovery or what follows a timeout is over
 *   stamp         fills the header that each data segment (or the SYN: feedback.h) carries
 *                 for routers, zero before; its kind is PST_NAME_FEEDBACK
 *   paces         the segments of a burst while the window is to be spread over a round
 *                 trip, else 0
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

#include "feedback.h"
#include "sender.h"

/* In 64-bit words: the most that a method has. core.c demands that all fit. */
#define PST_SENDER_PARAM_WORDS 23
#define PST_SENDER_STATE_WORDS 52

#include "dispatch.h"

#endif
