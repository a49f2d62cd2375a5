/* SPDX-License-Identifier: GPL-2.0-only */
/* What COBALT keeps, and one step of its relief. */
#ifndef PENSTOCK_CORE_DISCIPLINE_COBALT_RELIEF_H
#define PENSTOCK_CORE_DISCIPLINE_COBALT_RELIEF_H

#include "codel.h"

#define PST_COBALT_MAX_COUNT 0xffffffffU

struct pst_cobalt_params {
	u64 target_ns;
	u64 interval_ns;
	u64 packet_ns;		/* that a packet takes on the link; 0: not known */
	u64 raise_q32;
	u64 lower_q32;
};

/* Initially all zero. */
struct pst_cobalt_state {
	u64 next_ns;		/* of the next signal; without a count, end of the last activity */
	u64 stepped_ns;		/* last step of the probability */
	u64 probability_q32;	/* p */
	u32 count;		/* signals, less what was relieved */
	bool dropping;		/* the last packet was over */
};

/* What each event finds and leaves: a packet that was over is counted. */
PST_FN bool pst_cobalt_invariant(const struct pst_cobalt_state *s)
{
	return s->probability_q32 <= PST_Q32_ONE && s->count <= PST_COBALT_MAX_COUNT &&
	       (!s->dropping || s->count);
}

/* @t_ns + interval / sqrt(count); the first interval is a whole one. */
PST_FN u64 pst_cobalt_law(const struct pst_cobalt_params *p, u32 count, u64 t_ns)
{
	return t_ns + pst_codel_spacing(p->interval_ns, pst_max(count, 1));
}

PST_FN bool pst_cobalt_due(const struct pst_cobalt_state *s, u64 now_ns)
{
	return s->count && now_ns >= s->next_ns;
}

PST_FN void pst_cobalt_relieve(const struct pst_cobalt_params *p, struct pst_cobalt_state *s)
{
	PST_REQUIRE(s->count);
	s->count--;
	s->next_ns = pst_cobalt_law(p, s->count, s->next_ns);
}

#endif
