/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry as data, for hosts that parse options, print help or write docs.
 * User space only: it holds strings and pointers.
 */
#ifndef PENSTOCK_CORE_CONTROL_DESCRIBE_H
#define PENSTOCK_CORE_CONTROL_DESCRIBE_H

#include "../params.h"
#include "control.h"

struct pst_method_row {
	const char *name;
	const char *title;
	const char *source;
	const char *formula;	/* expression in the names of docs/methods */
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
PST_METHODS(PST_TABLE)
#undef PST_TABLE

#define PST_ROW(name, NAME, ...)                                            \
	{ #name, PST_##NAME##_TITLE, PST_##NAME##_SOURCE, PST_##NAME##_FORMULA, \
	  pst_##name##_param_rows, pst_##name##_state_rows,                  \
	  PST_ROWS(pst_##name##_param_rows), PST_ROWS(pst_##name##_state_rows) },
static const struct pst_method_row pst_method_rows[] = {
	PST_METHODS(PST_ROW)
};
#undef PST_ROW

/* The number of the method called @name, or PST_METHOD_COUNT. */
PST_FN u32 pst_method_find(const char *name)
{
	u32 i;

	for (i = 0; i < PST_METHOD_COUNT; i++)
		if (pst_name_is(pst_method_rows[i].name, name))
			return i;
	return PST_METHOD_COUNT;
}

/* Sets all parameters of @method to their defaults for @buffer_bytes. */
PST_FN void pst_method_defaults(u32 method, union pst_params *params,
				u64 buffer_bytes)
{
	const struct pst_method_row *row = &pst_method_rows[method];

	pst_params_default(row->params, row->param_count, params, buffer_bytes);
}

#endif
