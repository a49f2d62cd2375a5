/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rule that determined a window: the list that names, numbers and explains them.
 * docs/methods/window-rules.md has the source of each rule.
 */
#ifndef PENSTOCK_CORE_REWRITE_LIMITS_H
#define PENSTOCK_CORE_REWRITE_LIMITS_H

#include "../base.h"

/* L(name, NAME, text) */
#define PST_LIMITS(L)                                                           \
	L(receiver, RECEIVER,                                                   \
	  "R1: the method allows all that the receiver offers")                 \
	L(method, METHOD, "the method's own value; no rule had to step in")     \
	L(floor, FLOOR,                                                         \
	  "R4: never less than one whole segment, rounded up to what the "       \
	  "field can say")                                                       \
	L(edge, EDGE,                                                           \
	  "R2: a window takes nothing back: it does not end before what was "   \
	  "seen sent (safe) or granted (strict)")                               \
	L(ramp, RAMP,                                                           \
	  "R26: a window that was reduced grows by no more than what is "       \
	  "acknowledged")                                                       \
	L(freeze, FREEZE, "R9: a duplicate ACK keeps the window last sent")     \
	L(old_ack, OLD_ACK, "R11: an ACK older than the newest changes nothing") \
	L(unseen, UNSEEN,                                                       \
	  "R35: it acknowledges what was not seen sent, so it changes nothing "  \
	  "and carries no more than the newest window") \
	L(zero, ZERO, "R5: a zero window is the receiver's and passes")         \
	L(syn, SYN, "R6: the window of a SYN is unscaled and passes")           \
	L(unknown_scale, UNKNOWN_SCALE,                                         \
	  "R8: the window scale is unknown, so the window passes")

#define PST_LIMIT_ID(name, NAME, help) PST_BY_##NAME,
enum pst_limit {
	PST_LIMITS(PST_LIMIT_ID)
	PST_LIMIT_COUNT,
};
#undef PST_LIMIT_ID

#endif
