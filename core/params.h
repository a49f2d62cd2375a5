/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations on parameter tables for the simulator, ns-3 and the gateway tool: find a
 * row, get its default, check a value and store it. User space only.
 *
 * Every parameter and every state variable is a u64, and the rows are in the order of the
 * fields, so that row i of a struct is its i-th u64.
 */
#ifndef PENSTOCK_CORE_PARAMS_H
#define PENSTOCK_CORE_PARAMS_H

#include "base.h"

#define PST_NO_ROW 0xffffffffU

/* Rows of a table that ends in an empty one. */
#define PST_ROWS(table) ((u32)(sizeof(table) / sizeof((table)[0])) - 1)

PST_FN bool pst_name_is(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* Index of the parameter called @name (as the struct field), or PST_NO_ROW. */
PST_FN u32 pst_param_find(const struct pst_param_row *rows, u32 count,
			  const char *name)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (pst_name_is(rows[i].name, name))
			return i;
	return PST_NO_ROW;
}

/* The default of @row for a queue of @buffer_bytes (0 .. PST_MAX_BYTES). */
PST_FN u64 pst_param_default(const struct pst_param_row *row, u64 buffer_bytes)
{
	const struct pst_default *d = &row->def;

	if (!d->buffer_den)
		return d->value;
	return pst_clamp(pst_mul_div(buffer_bytes, d->buffer_num,
				     d->buffer_den),
			 row->min, row->max);
}

PST_FN bool pst_param_in_range(const struct pst_param_row *row, u64 value)
{
	return value >= row->min && value <= row->max;
}

/*
 * Field @index of a parameter or state struct; @index below the table's count.
 * @fields is the union itself (union pst_params and its kind).
 */
PST_FN u64 pst_field_get(const void *fields, u32 index)
{
	return ((const u64 *)fields)[index];
}

PST_FN void pst_field_set(void *fields, u32 index, u64 value)
{
	((u64 *)fields)[index] = value;
}

/* Sets all @count parameters to their defaults for @buffer_bytes. */
PST_FN void pst_params_default(const struct pst_param_row *rows, u32 count,
			       void *fields, u64 buffer_bytes)
{
	u32 i;

	for (i = 0; i < count; i++)
		pst_field_set(fields, i,
			      pst_param_default(&rows[i], buffer_bytes));
}

/* The unit's name in messages and in docs. */
PST_FN const char *pst_unit_name(enum pst_unit unit)
{
	switch (unit) {
	case PST_BYTES:
		return "bytes";
	case PST_PKTS:
		return "pkts";
	case PST_NS:
	case PST_TIME:
		return "ns";
	case PST_BPS:
		return "bps";
	case PST_FLAG:
		return "flag";
	case PST_RATIO_Q16:
		return "ratio_q16";
	case PST_RATIO_Q32:
		return "ratio_q32";
	case PST_COUNT:
		break;
	}
	return "count";
}

#endif
