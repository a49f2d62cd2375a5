/* SPDX-License-Identifier: GPL-2.0-only */
/* No law: every ACK keeps the window of its receiver. */
#ifndef PENSTOCK_CORE_LAW_NONE_H
#define PENSTOCK_CORE_LAW_NONE_H

#include "../base.h"

#define PST_NONE_TITLE "no window law"
#define PST_NONE_SOURCE "RFC 9293 section 3.8.6: the window is the receiver's"
#define PST_NONE_FORMULA "window_bytes"
#define PST_NONE_PARAMS(P)
#define PST_NONE_STATE(S)

struct pst_none_params {
	u64 unused; /* C has no empty struct */
};

struct pst_none_state {
	u64 unused;
};

#endif
