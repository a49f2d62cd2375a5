/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The largest sample of a sliding window, in constant space: K. Nichols' algorithm, as in
 * Linux (lib/win_minmax.c). Three samples are kept, each the largest of the samples after
 * the previous one, so that a successor is known when the best one expires. While no new
 * sample comes near the best, the second is renewed after a quarter of the window and the
 * third after half of it. The result is at most the window's true maximum, and at least the
 * newest sample.
 */
#ifndef PENSTOCK_CORE_SENDER_MAX_FILTER_H
#define PENSTOCK_CORE_SENDER_MAX_FILTER_H

#include "../base.h"

struct pst_max_filter {
	u64 best, best_at;
	u64 second, second_at;
	u64 third, third_at;
};

PST_FN void pst_max_filter_set_third(struct pst_max_filter *f, u64 at, u64 value)
{
	f->third = value;
	f->third_at = at;
}

PST_FN void pst_max_filter_set_second(struct pst_max_filter *f, u64 at, u64 value)
{
	f->second = value;
	f->second_at = at;
	pst_max_filter_set_third(f, at, value);
}

PST_FN void pst_max_filter_set(struct pst_max_filter *f, u64 at, u64 value)
{
	f->best = value;
	f->best_at = at;
	pst_max_filter_set_second(f, at, value);
}

/* What each sample finds and leaves: later and smaller ones behind earlier and larger ones. */
PST_FN bool pst_max_filter_invariant(const struct pst_max_filter *f)
{
	return f->best >= f->second && f->second >= f->third &&
	       f->best_at <= f->second_at && f->second_at <= f->third_at;
}

/* The best is too old: its successors move up. */
PST_FN void pst_max_filter_shift(struct pst_max_filter *f)
{
	f->best = f->second;
	f->best_at = f->second_at;
	f->second = f->third;
	f->second_at = f->third_at;
}

/* Takes @value in, at time @at, which never falls. */
PST_FN void pst_max_filter_add(struct pst_max_filter *f, u64 window, u64 at, u64 value)
{
	PST_REQUIRE(at >= f->third_at && pst_max_filter_invariant(f));
	if (value >= f->best || at - f->third_at > window) {
		pst_max_filter_set(f, at, value);
		return;
	}
	if (value >= f->second)
		pst_max_filter_set_second(f, at, value);
	else if (value >= f->third)
		pst_max_filter_set_third(f, at, value);

	if (at - f->best_at > window) {
		pst_max_filter_shift(f);
		pst_max_filter_set_third(f, at, value);
		if (at - f->best_at > window)
			pst_max_filter_shift(f);
	} else if (f->second_at == f->best_at && at - f->best_at > window / 4) {
		pst_max_filter_set_second(f, at, value);
	} else if (f->third_at == f->second_at && at - f->best_at > window / 2) {
		pst_max_filter_set_third(f, at, value);
	}
	PST_ENSURE(pst_max_filter_invariant(f) && f->third_at <= at);
	PST_ENSURE(f->best >= value && at - f->best_at <= window);
}

#endif
