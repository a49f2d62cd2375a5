/* SPDX-License-Identifier: GPL-2.0-only */
/* The senders' registry as data, as control/describe.h for the gateway's. */
#ifndef PENSTOCK_CORE_SENDER_DESCRIBE_H
#define PENSTOCK_CORE_SENDER_DESCRIBE_H

#include "../params.h"
#include "registry.h"

struct pst_sender_row {
	const char *name;
	const char *title;
	const char *source;
	const struct pst_param_row *params;
	const struct pst_state_row *states;
	u32 param_count;
	u32 state_count;
};

/* Each table ends in an empty row, since C has no array of length 0. */
#define PST_TABLE(name, NAME, ...)                                         \
	static const struct pst_param_row pst_##name##_param_rows[] = {     \
		PST_##NAME##_PARAMS(PST_PARAM_ROW)                          \
		{ 0, PST_COUNT, PST_IS(0), 0, 0, 0, 0 },                    \
	};                                                                  \
	static const struct pst_state_row pst_##name##_state_rows[] = {     \
		PST_##NAME##_STATE(PST_STATE_ROW)                           \
		{ 0, PST_COUNT, 0 },                                        \
	};
PST_SENDERS(PST_TABLE)
#undef PST_TABLE

#define PST_ROW(name, NAME, ...)                                           \
	{ #name, PST_##NAME##_TITLE, PST_##NAME##_SOURCE,                   \
	  pst_##name##_param_rows, pst_##name##_state_rows,                 \
	  PST_ROWS(pst_##name##_param_rows), PST_ROWS(pst_##name##_state_rows) },
static const struct pst_sender_row pst_sender_rows[] = {
	PST_SENDERS(PST_ROW)
};
#undef PST_ROW

/* The number of the sender method called @name, or PST_SENDER_COUNT. */
PST_FN u32 pst_sender_find(const char *name)
{
	u32 i;

	for (i = 0; i < PST_SENDER_COUNT; i++)
		if (pst_name_is(pst_sender_rows[i].name, name))
			return i;
	return PST_SENDER_COUNT;
}

/* Sets all parameters of @method to their defaults. */
PST_FN void pst_sender_defaults(u32 method, union pst_sender_params *params)
{
	const struct pst_sender_row *row = &pst_sender_rows[method];

	pst_params_default(row->params, row->param_count, params, 0);
}

#endif
