/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The limits as data, for hosts that count and explain. User space only: it holds
 * strings.
 */
#ifndef PENSTOCK_CORE_REWRITE_DESCRIBE_H
#define PENSTOCK_CORE_REWRITE_DESCRIBE_H

#include "limits.h"

struct pst_limit_row {
	const char *name;
	const char *help;
};

#define PST_LIMIT_ROW(name, NAME, help) { #name, help },
static const struct pst_limit_row pst_limit_rows[] = {
	PST_LIMITS(PST_LIMIT_ROW)
};
#undef PST_LIMIT_ROW

#endif
