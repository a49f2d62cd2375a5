/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Drop-tail: a FIFO that drops packets when it is full. As for every discipline the host
 * enforces the limit, so there is nothing to decide here.
 */
#ifndef PENSTOCK_CORE_DISCIPLINE_DROPTAIL_H
#define PENSTOCK_CORE_DISCIPLINE_DROPTAIL_H

#include "../base.h"

#define PST_DROPTAIL_TITLE "drop-tail"
#define PST_DROPTAIL_SOURCE "RFC 7567 section 2"
#define PST_DROPTAIL_FORMULA "window_bytes"
#define PST_DROPTAIL_PARAMS(P)
#define PST_DROPTAIL_STATE(S)

struct pst_droptail_params {
	u64 unused; /* drop-tail has no parameters; C has no empty struct */
};

struct pst_droptail_state {
	u64 unused;
};

#endif
