/* SPDX-License-Identifier: GPL-2.0-only */
/* core/ as one compiled unit, for hosts that define PST_LINKED: base.h. */
#define PST_COMPILED

#include "describe.h"
#include "gateway/gateway.h"
#include "sender/control.h"
#include "sharing/control.h"

/* Hosts know the sizes alone. */
#define PST_FITS(type, most_words)                         \
	_Static_assert(sizeof(type) == 8 * (most_words),   \
		       "raise " #most_words ": a method has more")
PST_FITS(union pst_law_params, PST_LAW_PARAM_WORDS);
PST_FITS(union pst_law_state, PST_LAW_STATE_WORDS);
PST_FITS(union pst_law_flow, PST_LAW_FLOW_WORDS);
PST_FITS(union pst_discipline_params, PST_DISCIPLINE_PARAM_WORDS);
PST_FITS(union pst_discipline_state, PST_DISCIPLINE_STATE_WORDS);
PST_FITS(union pst_sender_params, PST_SENDER_PARAM_WORDS);
PST_FITS(union pst_sender_state, PST_SENDER_STATE_WORDS);
PST_FITS(union pst_sharing_params, PST_SHARING_PARAM_WORDS);
