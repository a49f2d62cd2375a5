/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registries as data, for hosts that parse options, print help or write docs.
 * User space only: it holds strings and pointers.
 */
#ifndef PENSTOCK_CORE_DESCRIBE_H
#define PENSTOCK_CORE_DESCRIBE_H

#include "law/law.h"
#include "gateway/variants.h"
#include "params.h"
#include "discipline/discipline.h"
#include "rewrite/limits.h"
#include "rewrite/window.h"
#include "sender/registry.h"
#include "sharing/registry.h"

/* A discipline, a law, a sender's congestion control or a way of sharing. */
struct pst_method_row {
	const char *name;
	const char *title;
	const char *source;
	const char *formula;	/* of the window, in the names of docs/methods; "" for senders */
	const char *linux_name;	/* as the kernel's congestion control, or "" */
	const struct pst_param_row *params;
	const struct pst_state_row *states;
	u32 param_count;
	u32 state_count;
};

#ifdef PST_LINKED
PST_CALL const struct pst_method_row pst_discipline_rows[PST_DISCIPLINE_COUNT];
PST_CALL const struct pst_method_row pst_law_rows[PST_LAW_COUNT];
PST_CALL const struct pst_method_row pst_sender_rows[PST_SENDER_COUNT];
PST_CALL const struct pst_method_row pst_sharing_rows[PST_SHARING_COUNT];
#else

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
PST_DISCIPLINES(PST_TABLE)
PST_LAWS(PST_TABLE)
PST_SENDERS(PST_TABLE)
#undef PST_TABLE

/* The state of an ensemble is the same for all. */
#define PST_TABLE(name, NAME, ...)                                         \
	static const struct pst_param_row pst_##name##_param_rows[] = {     \
		PST_##NAME##_PARAMS(PST_PARAM_ROW)                          \
		{ 0, PST_COUNT, PST_IS(0), 0, 0, 0, 0 },                    \
	};
PST_SHARINGS(PST_TABLE)
#undef PST_TABLE

#define PST_SHARING_ROW(name, NAME, ...)                                    \
	{ #name, PST_##NAME##_TITLE, PST_##NAME##_SOURCE, "",                \
	  PST_##NAME##_LINUX,                                                  \
	  pst_##name##_param_rows, 0, PST_ROWS(pst_##name##_param_rows), 0 },
PST_DATA const struct pst_method_row pst_sharing_rows[] = {
	PST_SHARINGS(PST_SHARING_ROW)
};
#undef PST_SHARING_ROW

#define PST_ROW(name, NAME, formula, linux_name)                            \
	{ #name, PST_##NAME##_TITLE, PST_##NAME##_SOURCE, formula, linux_name, \
	  pst_##name##_param_rows, pst_##name##_state_rows,                  \
	  PST_ROWS(pst_##name##_param_rows), PST_ROWS(pst_##name##_state_rows) },
#define PST_GATEWAY_ROW(name, NAME, ...) PST_ROW(name, NAME, PST_##NAME##_FORMULA, "")
#define PST_SENDER_ROW(name, NAME, ...) PST_ROW(name, NAME, "", PST_##NAME##_LINUX)
PST_DATA const struct pst_method_row pst_discipline_rows[] = {
	PST_DISCIPLINES(PST_GATEWAY_ROW)
};
PST_DATA const struct pst_method_row pst_law_rows[] = {
	PST_LAWS(PST_GATEWAY_ROW)
};
PST_DATA const struct pst_method_row pst_sender_rows[] = {
	PST_SENDERS(PST_SENDER_ROW)
};
#undef PST_ROW
#undef PST_GATEWAY_ROW
#undef PST_SENDER_ROW

#endif /* PST_LINKED */

/* A name that users write or read, and what it means. */
struct pst_name_row {
	const char *name;
	const char *help;
};

#define PST_NAME_ROW(name, NAME, help) { #name, help },
static const struct pst_name_row pst_limit_rows[] = {
	PST_LIMITS(PST_NAME_ROW)
};
static const struct pst_name_row pst_signal_rows[] = {
	PST_SIGNALS(PST_NAME_ROW)
};
static const struct pst_name_row pst_mode_rows[] = {
	PST_MODES(PST_NAME_ROW)
};
static const struct pst_name_row pst_share_by_rows[] = {
	PST_SHARE_BYS(PST_NAME_ROW)
};
static const struct pst_name_row pst_beyond_rows[] = {
	PST_BEYONDS(PST_NAME_ROW)
};
#undef PST_NAME_ROW

struct pst_variant_row {
	const char *name;
	u32 discipline;		/* enum pst_discipline */
	u32 law;		/* enum pst_law */
	u32 signal;		/* enum pst_signal */
	const char *sender;	/* "" for the scenario's own */
	const char *sharing;
	bool ecn;
	const char *label;
	const char *colour;	/* "" for the next of a cycle */
};

#define PST_VARIANT_ROW(name, NAME, DISCIPLINE, LAW, SIGNAL, ...)             \
	{ #name, PST_DISCIPLINE_##DISCIPLINE, PST_LAW_##LAW,                  \
	  PST_SIGNAL_##SIGNAL, __VA_ARGS__ },
static const struct pst_variant_row pst_variant_rows[] = {
	PST_VARIANTS(PST_VARIANT_ROW)
};
#undef PST_VARIANT_ROW

/* The number of the variant called @name, or PST_VARIANT_COUNT. */
PST_FN u32 pst_variant_find(const char *name)
{
	u32 i;

	for (i = 0; i < PST_VARIANT_COUNT; i++)
		if (pst_name_is(pst_variant_rows[i].name, name))
			return i;
	return PST_VARIANT_COUNT;
}

/* The number of the row called @name, or @count. */
PST_FN u32 pst_method_find(const struct pst_method_row *rows, u32 count,
			   const char *name)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (pst_name_is(rows[i].name, name))
			return i;
	return count;
}

/* Sets all parameters of @row to their defaults for @buffer_bytes. */
PST_FN void pst_method_defaults(const struct pst_method_row *row, void *params,
				u64 buffer_bytes)
{
	pst_params_default(row->params, row->param_count, params, buffer_bytes);
}

/* The number of the sender's congestion control called @name, or PST_SENDER_COUNT. */
PST_FN u32 pst_sender_find(const char *name)
{
	return pst_method_find(pst_sender_rows, PST_SENDER_COUNT, name);
}

/* Sets all parameters of the sender @method to their defaults. */
PST_FN void pst_sender_defaults(u32 method, union pst_sender_params *params)
{
	pst_method_defaults(&pst_sender_rows[method], params, 0);
}

/* The number of the way of sharing called @name, or PST_SHARING_COUNT: none. */
PST_FN u32 pst_sharing_find(const char *name)
{
	return pst_method_find(pst_sharing_rows, PST_SHARING_COUNT, name);
}

/* Sets all parameters of @sharing, if any, to their defaults. */
PST_FN void pst_sharing_defaults(u32 sharing, union pst_sharing_params *params)
{
	if (sharing < PST_SHARING_COUNT)
		pst_method_defaults(&pst_sharing_rows[sharing], params, 0);
}

/*
 * Of the parameters @fields with the table @rows, no time limits the target, if they have
 * one: it is that in bytes at any rate.
 */
PST_FN void pst_target_in_bytes(const struct pst_param_row *rows, u32 count, void *fields)
{
	u32 time = pst_param_find(rows, count, "target_ns");

	if (time != PST_NO_ROW && pst_param_find(rows, count, "target_bytes") != PST_NO_ROW)
		pst_field_set(fields, time, rows[time].max);
}

/*
 * Discipline and law aim at one queue: where the law has no time for it there is none here
 * either, and where it has no target, that of the buffer holds.
 */
PST_FN void pst_gateway_same_target(struct pst_gateway_config *c)
{
	const struct pst_method_row *d = &pst_discipline_rows[c->discipline];
	const struct pst_method_row *l = &pst_law_rows[c->law];

	if (pst_law_is(c->law, PST_TRAIT_LIMITS) &&
	    pst_param_find(l->params, l->param_count, "target_ns") == PST_NO_ROW)
		pst_target_in_bytes(d->params, d->param_count, &c->discipline_params);
}

/* All parameters of *c's discipline and law to their defaults for @buffer_bytes. */
PST_FN void pst_gateway_defaults(struct pst_gateway_config *c, u64 buffer_bytes)
{
	pst_method_defaults(&pst_discipline_rows[c->discipline],
			    &c->discipline_params, buffer_bytes);
	pst_method_defaults(&pst_law_rows[c->law], &c->law_params, buffer_bytes);
	pst_gateway_same_target(c);
}

/* True if a parameter of two methods is one: of the same name, default and range. */
PST_FN bool pst_param_is_shared(const struct pst_param_row *a, const struct pst_param_row *b)
{
	return pst_name_is(a->name, b->name) && a->unit == b->unit && a->min == b->min &&
	       a->max == b->max && a->def.value == b->def.value &&
	       a->def.buffer_num == b->def.buffer_num &&
	       a->def.buffer_den == b->def.buffer_den;
}

/*
 * Whether a parameter called @name is of *c's discipline, of its law, or of both: bits 0
 * and 1. 0 if neither has it, or both have one that is not shared.
 */
PST_FN u32 pst_gateway_param_parts(const struct pst_gateway_config *c, const char *name)
{
	const struct pst_method_row *d = &pst_discipline_rows[c->discipline];
	const struct pst_method_row *l = &pst_law_rows[c->law];
	u32 of_d = pst_param_find(d->params, d->param_count, name);
	u32 of_l = pst_param_find(l->params, l->param_count, name);

	if (of_d != PST_NO_ROW && of_l != PST_NO_ROW)
		return pst_param_is_shared(&d->params[of_d], &l->params[of_l]) ? 3 : 0;
	return (u32)(of_d != PST_NO_ROW) | (u32)(of_l != PST_NO_ROW) << 1;
}

/* @variant in safe mode, with its defaults for @buffer_bytes, flows active for a second. */
PST_FN void pst_variant_config(struct pst_gateway_config *c, u32 variant,
			       u64 buffer_bytes)
{
	const struct pst_variant_row *row = &pst_variant_rows[variant];

	__builtin_memset(c, 0, sizeof(*c));
	c->discipline = row->discipline;
	c->law = row->law;
	c->signal = row->signal;
	c->mode = PST_SAFE;
	c->flow_interval_ns = PST_NS_PER_S;
	pst_gateway_defaults(c, buffer_bytes);
}

#endif
