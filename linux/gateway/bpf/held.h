/* SPDX-License-Identifier: GPL-2.0-only */
/* Flows that people want to see: what was dropped of them, and which rule spares them. */
#ifndef PENSTOCK_GATEWAY_HELD_H
#define PENSTOCK_GATEWAY_HELD_H

#include "core/flow/spared.h"

/* A flow of which the discipline dropped or marked something; all zero: those without answers. */
struct gw_held_key {
	u32 sender[4];		/* as struct gw_key's */
	u32 receiver[4];
	u16 sender_port;	/* 0 where there are none */
	u16 receiver_port;
	u32 protocol;		/* of IP; 0 of what is not IP */
};

struct gw_held {
	u64 drops;
	u64 marks;
	u64 bytes;		/* of what was dropped or marked */
	u64 last_ns;
	u64 unanswered;		/* the last such packet was of a stream without answers, or of them all */
};

/* A flow that a rule spares, by its ends. */
struct gw_spared {
	struct pst_spared spared;
	u32 rule;		/* its place among the rules */
	u32 zero;
};

#endif
