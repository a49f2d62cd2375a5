/* SPDX-License-Identifier: GPL-2.0-only */
/* Written by tools/gen_dispatch.py from core/discipline/methods.toml. */
#ifndef PENSTOCK_CORE_DISCIPLINE_DISPATCH_H
#define PENSTOCK_CORE_DISCIPLINE_DISPATCH_H

#include "registry.h"
#include "cake.h"
#include "dualpi2.h"
#include "fq_codel.h"
#include "xcp_tcp.h"
#ifndef PST_LINKED
#include "antiecn.h"
#include "ared.h"
#include "blue.h"
#include "codel.h"
#include "csfq.h"
#include "droptail.h"
#include "fair.h"
#include "fxcp.h"
#include "pie.h"
#include "quick_start.h"
#include "red.h"
#include "red_band.h"
#include "xcp.h"
#endif

#define PST_DISCIPLINES(METHOD, ...) \
	METHOD(droptail, DROPTAIL, __VA_ARGS__) \
	METHOD(red, RED, __VA_ARGS__) \
	METHOD(ared, ARED, __VA_ARGS__) \
	METHOD(blue, BLUE, __VA_ARGS__) \
	METHOD(codel, CODEL, __VA_ARGS__) \
	METHOD(pie, PIE, __VA_ARGS__) \
	METHOD(fq_codel, FQ_CODEL, __VA_ARGS__) \
	METHOD(xcp, XCP, __VA_ARGS__) \
	METHOD(red_band, RED_BAND, __VA_ARGS__) \
	METHOD(csfq, CSFQ, __VA_ARGS__) \
	METHOD(fxcp, FXCP, __VA_ARGS__) \
	METHOD(quick_start, QUICK_START, __VA_ARGS__) \
	METHOD(antiecn, ANTIECN, __VA_ARGS__) \
	METHOD(fair, FAIR, __VA_ARGS__) \
	METHOD(dualpi2, DUALPI2, __VA_ARGS__) \
	METHOD(cake, CAKE, __VA_ARGS__) \
	METHOD(xcp_tcp, XCP_TCP, __VA_ARGS__)

enum pst_discipline {
	PST_DISCIPLINE_DROPTAIL,
	PST_DISCIPLINE_RED,
	PST_DISCIPLINE_ARED,
	PST_DISCIPLINE_BLUE,
	PST_DISCIPLINE_CODEL,
	PST_DISCIPLINE_PIE,
	PST_DISCIPLINE_FQ_CODEL,
	PST_DISCIPLINE_XCP,
	PST_DISCIPLINE_RED_BAND,
	PST_DISCIPLINE_CSFQ,
	PST_DISCIPLINE_FXCP,
	PST_DISCIPLINE_QUICK_START,
	PST_DISCIPLINE_ANTIECN,
	PST_DISCIPLINE_FAIR,
	PST_DISCIPLINE_DUALPI2,
	PST_DISCIPLINE_CAKE,
	PST_DISCIPLINE_XCP_TCP,
	PST_DISCIPLINE_COUNT,
};

enum pst_discipline_bit {
	PST_DISCIPLINE_HAS_init = 1 << 0,
	PST_DISCIPLINE_HAS_on_arrive = 1 << 1,
	PST_DISCIPLINE_HAS_on_accepted = 1 << 2,
	PST_DISCIPLINE_HAS_on_overflow = 1 << 3,
	PST_DISCIPLINE_HAS_on_leave = 1 << 4,
	PST_DISCIPLINE_HAS_on_left = 1 << 5,
	PST_DISCIPLINE_HAS_on_tick = 1 << 6,
	PST_DISCIPLINE_HAS_schedules = 1 << 7,
	PST_DISCIPLINE_HAS_header = 1 << 8,
	PST_DISCIPLINE_HAS_labels = 1 << 9,
	PST_DISCIPLINE_HAS_tables = 1 << 10,
	PST_DISCIPLINE_HAS_dual = 1 << 11,
	PST_DISCIPLINE_HAS_isolates = 1 << 12,
	PST_DISCIPLINE_HAS_measures = 1 << 13,
	PST_DISCIPLINE_HAS_weighs = 1 << 14,
};

union pst_discipline_params {
	u64 words[PST_DISCIPLINE_PARAM_WORDS];
	struct pst_fq_codel_params fq_codel;
	struct pst_dualpi2_params dualpi2;
	struct pst_cake_params cake;
	struct pst_xcp_tcp_params xcp_tcp;
#ifndef PST_LINKED
	struct pst_droptail_params droptail;
	struct pst_red_params red;
	struct pst_ared_params ared;
	struct pst_blue_params blue;
	struct pst_codel_params codel;
	struct pst_pie_params pie;
	struct pst_xcp_params xcp;
	struct pst_red_band_params red_band;
	struct pst_csfq_params csfq;
	struct pst_fxcp_params fxcp;
	struct pst_quick_start_params quick_start;
	struct pst_antiecn_params antiecn;
	struct pst_fair_params fair;
#endif
};

union pst_discipline_state {
	u64 words[PST_DISCIPLINE_STATE_WORDS];
	struct pst_fq_codel_state fq_codel;
	struct pst_dualpi2_state dualpi2;
	struct pst_cake_state cake;
	struct pst_xcp_tcp_state xcp_tcp;
#ifndef PST_LINKED
	struct pst_droptail_state droptail;
	struct pst_red_state red;
	struct pst_ared_state ared;
	struct pst_blue_state blue;
	struct pst_codel_state codel;
	struct pst_pie_state pie;
	struct pst_xcp_state xcp;
	struct pst_red_band_state red_band;
	struct pst_csfq_state csfq;
	struct pst_fxcp_state fxcp;
	struct pst_quick_start_state quick_start;
	struct pst_antiecn_state antiecn;
	struct pst_fair_state fair;
#endif
};

#ifndef PST_LINKED

#define PST_DISCIPLINE_WITH_init \
	(1ULL << PST_DISCIPLINE_ARED | 1ULL << PST_DISCIPLINE_PIE | 1ULL << PST_DISCIPLINE_XCP | \
	 1ULL << PST_DISCIPLINE_CSFQ | 1ULL << PST_DISCIPLINE_FXCP | \
	 1ULL << PST_DISCIPLINE_QUICK_START | 1ULL << PST_DISCIPLINE_XCP_TCP)
#define PST_DISCIPLINE_WITH_on_arrive \
	(1ULL << PST_DISCIPLINE_RED | 1ULL << PST_DISCIPLINE_ARED | \
	 1ULL << PST_DISCIPLINE_BLUE | 1ULL << PST_DISCIPLINE_PIE | 1ULL << PST_DISCIPLINE_XCP | \
	 1ULL << PST_DISCIPLINE_RED_BAND | 1ULL << PST_DISCIPLINE_CSFQ | \
	 1ULL << PST_DISCIPLINE_FXCP | 1ULL << PST_DISCIPLINE_QUICK_START | \
	 1ULL << PST_DISCIPLINE_ANTIECN | 1ULL << PST_DISCIPLINE_FAIR | \
	 1ULL << PST_DISCIPLINE_XCP_TCP)
#define PST_DISCIPLINE_WITH_on_accepted \
	(1ULL << PST_DISCIPLINE_BLUE | 1ULL << PST_DISCIPLINE_XCP_TCP)
#define PST_DISCIPLINE_WITH_on_overflow \
	(1ULL << PST_DISCIPLINE_BLUE | 1ULL << PST_DISCIPLINE_PIE | \
	 1ULL << PST_DISCIPLINE_CSFQ | 1ULL << PST_DISCIPLINE_XCP_TCP)
#define PST_DISCIPLINE_WITH_on_leave \
	(1ULL << PST_DISCIPLINE_CODEL | 1ULL << PST_DISCIPLINE_XCP | \
	 1ULL << PST_DISCIPLINE_FXCP)
#define PST_DISCIPLINE_WITH_on_left \
	(1ULL << PST_DISCIPLINE_RED | 1ULL << PST_DISCIPLINE_ARED | \
	 1ULL << PST_DISCIPLINE_BLUE | 1ULL << PST_DISCIPLINE_PIE | \
	 1ULL << PST_DISCIPLINE_RED_BAND | 1ULL << PST_DISCIPLINE_XCP_TCP)
#define PST_DISCIPLINE_WITH_on_tick \
	(1ULL << PST_DISCIPLINE_ARED | 1ULL << PST_DISCIPLINE_PIE | 1ULL << PST_DISCIPLINE_XCP | \
	 1ULL << PST_DISCIPLINE_FXCP | 1ULL << PST_DISCIPLINE_QUICK_START | \
	 1ULL << PST_DISCIPLINE_DUALPI2 | 1ULL << PST_DISCIPLINE_XCP_TCP)
#define PST_DISCIPLINE_WITH_schedules \
	(1ULL << PST_DISCIPLINE_FQ_CODEL | 1ULL << PST_DISCIPLINE_DUALPI2 | \
	 1ULL << PST_DISCIPLINE_CAKE | 1ULL << PST_DISCIPLINE_XCP_TCP)
#define PST_DISCIPLINE_WITH_header \
	(1ULL << PST_DISCIPLINE_XCP | 1ULL << PST_DISCIPLINE_CSFQ | \
	 1ULL << PST_DISCIPLINE_FXCP | 1ULL << PST_DISCIPLINE_QUICK_START | \
	 1ULL << PST_DISCIPLINE_ANTIECN | 1ULL << PST_DISCIPLINE_XCP_TCP)
#define PST_DISCIPLINE_WITH_labels \
	(1ULL << PST_DISCIPLINE_CSFQ)
#define PST_DISCIPLINE_WITH_tables \
	(1ULL << PST_DISCIPLINE_FAIR)
#define PST_DISCIPLINE_WITH_dual \
	(1ULL << PST_DISCIPLINE_DUALPI2)
#define PST_DISCIPLINE_WITH_isolates \
	(1ULL << PST_DISCIPLINE_CAKE)
#define PST_DISCIPLINE_WITH_measures \
	(1ULL << PST_DISCIPLINE_FAIR)
#define PST_DISCIPLINE_WITH_weighs \
	(1ULL << PST_DISCIPLINE_XCP_TCP)

PST_FN bool pst_discipline_dispatch_has(u32 discipline, u32 bits)
{
	u64 with = 0;

	if (bits & PST_DISCIPLINE_HAS_init)
		with |= PST_DISCIPLINE_WITH_init;
	if (bits & PST_DISCIPLINE_HAS_on_arrive)
		with |= PST_DISCIPLINE_WITH_on_arrive;
	if (bits & PST_DISCIPLINE_HAS_on_accepted)
		with |= PST_DISCIPLINE_WITH_on_accepted;
	if (bits & PST_DISCIPLINE_HAS_on_overflow)
		with |= PST_DISCIPLINE_WITH_on_overflow;
	if (bits & PST_DISCIPLINE_HAS_on_leave)
		with |= PST_DISCIPLINE_WITH_on_leave;
	if (bits & PST_DISCIPLINE_HAS_on_left)
		with |= PST_DISCIPLINE_WITH_on_left;
	if (bits & PST_DISCIPLINE_HAS_on_tick)
		with |= PST_DISCIPLINE_WITH_on_tick;
	if (bits & PST_DISCIPLINE_HAS_schedules)
		with |= PST_DISCIPLINE_WITH_schedules;
	if (bits & PST_DISCIPLINE_HAS_header)
		with |= PST_DISCIPLINE_WITH_header;
	if (bits & PST_DISCIPLINE_HAS_labels)
		with |= PST_DISCIPLINE_WITH_labels;
	if (bits & PST_DISCIPLINE_HAS_tables)
		with |= PST_DISCIPLINE_WITH_tables;
	if (bits & PST_DISCIPLINE_HAS_dual)
		with |= PST_DISCIPLINE_WITH_dual;
	if (bits & PST_DISCIPLINE_HAS_isolates)
		with |= PST_DISCIPLINE_WITH_isolates;
	if (bits & PST_DISCIPLINE_HAS_measures)
		with |= PST_DISCIPLINE_WITH_measures;
	if (bits & PST_DISCIPLINE_HAS_weighs)
		with |= PST_DISCIPLINE_WITH_weighs;
	return with >> discipline & 1;
}

PST_FN void pst_discipline_dispatch_init(u32 discipline, const union pst_discipline_params *p,
					 union pst_discipline_state *s,
					 const struct pst_queue *q)
{
	switch (discipline) {
	case PST_DISCIPLINE_ARED:
		pst_ared_init(&p->ared, &s->ared, q);
		break;
	case PST_DISCIPLINE_PIE:
		pst_pie_init(&p->pie, &s->pie, q);
		break;
	case PST_DISCIPLINE_XCP:
		pst_xcp_init(&p->xcp, &s->xcp, q);
		break;
	case PST_DISCIPLINE_CSFQ:
		pst_csfq_init(&p->csfq, &s->csfq, q);
		break;
	case PST_DISCIPLINE_FXCP:
		pst_fxcp_init(&p->fxcp, &s->fxcp, q);
		break;
	case PST_DISCIPLINE_QUICK_START:
		pst_quick_start_init(&p->quick_start, &s->quick_start, q);
		break;
	case PST_DISCIPLINE_XCP_TCP:
		pst_xcp_tcp_init(&p->xcp_tcp, &s->xcp_tcp, q);
		break;
	default:
		break;
	}
}

PST_FN enum pst_verdict pst_discipline_dispatch_on_arrive(u32 discipline,
							  const union pst_discipline_params *p,
							  union pst_discipline_state *s,
							  const struct pst_queue *q,
							  const struct pst_packet *k)
{
	switch (discipline) {
	case PST_DISCIPLINE_RED:
		return pst_red_on_arrive(&p->red, &s->red, q, k);
	case PST_DISCIPLINE_ARED:
		return pst_ared_on_arrive(&p->ared, &s->ared, q, k);
	case PST_DISCIPLINE_BLUE:
		return pst_blue_on_arrive(&p->blue, &s->blue, q, k);
	case PST_DISCIPLINE_PIE:
		return pst_pie_on_arrive(&p->pie, &s->pie, q, k);
	case PST_DISCIPLINE_XCP:
		return pst_xcp_on_arrive(&p->xcp, &s->xcp, q, k);
	case PST_DISCIPLINE_RED_BAND:
		return pst_red_band_on_arrive(&p->red_band, &s->red_band, q, k);
	case PST_DISCIPLINE_CSFQ:
		return pst_csfq_on_arrive(&p->csfq, &s->csfq, q, k);
	case PST_DISCIPLINE_FXCP:
		return pst_fxcp_on_arrive(&p->fxcp, &s->fxcp, q, k);
	case PST_DISCIPLINE_QUICK_START:
		return pst_quick_start_on_arrive(&p->quick_start, &s->quick_start, q, k);
	case PST_DISCIPLINE_ANTIECN:
		return pst_antiecn_on_arrive(&p->antiecn, &s->antiecn, q, k);
	case PST_DISCIPLINE_FAIR:
		return pst_fair_on_arrive(&p->fair, &s->fair, q, k);
	case PST_DISCIPLINE_XCP_TCP:
		return pst_xcp_tcp_on_arrive(&p->xcp_tcp, &s->xcp_tcp, q, k);
	default:
		break;
	}
	return PST_PASS;
}

PST_FN void pst_discipline_dispatch_on_accepted(u32 discipline,
						const union pst_discipline_params *p,
						union pst_discipline_state *s,
						const struct pst_queue *q,
						const struct pst_packet *k)
{
	switch (discipline) {
	case PST_DISCIPLINE_BLUE:
		pst_blue_on_accepted(&p->blue, &s->blue, q, k);
		break;
	case PST_DISCIPLINE_XCP_TCP:
		pst_xcp_tcp_on_accepted(&p->xcp_tcp, &s->xcp_tcp, q, k);
		break;
	default:
		break;
	}
}

PST_FN void pst_discipline_dispatch_on_overflow(u32 discipline,
						const union pst_discipline_params *p,
						union pst_discipline_state *s,
						const struct pst_queue *q,
						const struct pst_packet *k)
{
	switch (discipline) {
	case PST_DISCIPLINE_BLUE:
		pst_blue_on_overflow(&p->blue, &s->blue, q, k);
		break;
	case PST_DISCIPLINE_PIE:
		pst_pie_on_overflow(&p->pie, &s->pie, q, k);
		break;
	case PST_DISCIPLINE_CSFQ:
		pst_csfq_on_overflow(&p->csfq, &s->csfq, q, k);
		break;
	case PST_DISCIPLINE_XCP_TCP:
		pst_xcp_tcp_on_overflow(&p->xcp_tcp, &s->xcp_tcp, q, k);
		break;
	default:
		break;
	}
}

PST_FN enum pst_verdict pst_discipline_dispatch_on_leave(u32 discipline,
							 const union pst_discipline_params *p,
							 union pst_discipline_state *s,
							 const struct pst_queue *q,
							 const struct pst_packet *k)
{
	switch (discipline) {
	case PST_DISCIPLINE_CODEL:
		return pst_codel_on_leave(&p->codel, &s->codel, q, k);
	case PST_DISCIPLINE_XCP:
		return pst_xcp_on_leave(&p->xcp, &s->xcp, q, k);
	case PST_DISCIPLINE_FXCP:
		return pst_fxcp_on_leave(&p->fxcp, &s->fxcp, q, k);
	default:
		break;
	}
	return PST_PASS;
}

PST_FN void pst_discipline_dispatch_on_left(u32 discipline,
					    const union pst_discipline_params *p,
					    union pst_discipline_state *s,
					    const struct pst_queue *q,
					    const struct pst_packet *k)
{
	switch (discipline) {
	case PST_DISCIPLINE_RED:
		pst_red_on_left(&p->red, &s->red, q, k);
		break;
	case PST_DISCIPLINE_ARED:
		pst_ared_on_left(&p->ared, &s->ared, q, k);
		break;
	case PST_DISCIPLINE_BLUE:
		pst_blue_on_left(&p->blue, &s->blue, q, k);
		break;
	case PST_DISCIPLINE_PIE:
		pst_pie_on_left(&p->pie, &s->pie, q, k);
		break;
	case PST_DISCIPLINE_RED_BAND:
		pst_red_band_on_left(&p->red_band, &s->red_band, q, k);
		break;
	case PST_DISCIPLINE_XCP_TCP:
		pst_xcp_tcp_on_left(&p->xcp_tcp, &s->xcp_tcp, q, k);
		break;
	default:
		break;
	}
}

PST_FN u64 pst_discipline_dispatch_on_tick(u32 discipline, const union pst_discipline_params *p,
					   union pst_discipline_state *s,
					   const struct pst_queue *q)
{
	switch (discipline) {
	case PST_DISCIPLINE_ARED:
		return pst_ared_on_tick(&p->ared, &s->ared, q);
	case PST_DISCIPLINE_PIE:
		return pst_pie_on_tick(&p->pie, &s->pie, q);
	case PST_DISCIPLINE_XCP:
		return pst_xcp_on_tick(&p->xcp, &s->xcp, q);
	case PST_DISCIPLINE_FXCP:
		return pst_fxcp_on_tick(&p->fxcp, &s->fxcp, q);
	case PST_DISCIPLINE_QUICK_START:
		return pst_quick_start_on_tick(&p->quick_start, &s->quick_start, q);
	case PST_DISCIPLINE_DUALPI2:
		return pst_dualpi2_on_tick(&p->dualpi2, &s->dualpi2, q);
	case PST_DISCIPLINE_XCP_TCP:
		return pst_xcp_tcp_on_tick(&p->xcp_tcp, &s->xcp_tcp, q);
	default:
		break;
	}
	return 0;
}

PST_FN u64 pst_discipline_dispatch_interval_ns(u32 discipline,
					       const union pst_discipline_params *p)
{
	switch (discipline) {
	case PST_DISCIPLINE_ARED:
		return p->ared.interval_ns;
	case PST_DISCIPLINE_PIE:
		return p->pie.interval_ns;
	case PST_DISCIPLINE_XCP:
		return p->xcp.interval_ns;
	case PST_DISCIPLINE_FXCP:
		return p->fxcp.interval_ns;
	case PST_DISCIPLINE_QUICK_START:
		return p->quick_start.interval_ns;
	case PST_DISCIPLINE_DUALPI2:
		return p->dualpi2.interval_ns;
	case PST_DISCIPLINE_XCP_TCP:
		return p->xcp_tcp.interval_ns;
	default:
		break;
	}
	return 0;
}

PST_FN u32 pst_discipline_dispatch_feedback(u32 discipline)
{
	switch (discipline) {
	case PST_DISCIPLINE_XCP:
		return PST_XCP_FEEDBACK;
	case PST_DISCIPLINE_CSFQ:
		return PST_CSFQ_FEEDBACK;
	case PST_DISCIPLINE_FXCP:
		return PST_FXCP_FEEDBACK;
	case PST_DISCIPLINE_QUICK_START:
		return PST_QUICK_START_FEEDBACK;
	case PST_DISCIPLINE_ANTIECN:
		return PST_ANTIECN_FEEDBACK;
	case PST_DISCIPLINE_XCP_TCP:
		return PST_XCP_TCP_FEEDBACK;
	default:
		break;
	}
	return PST_FEEDBACK_NONE;
}

#endif /* PST_LINKED */

#endif
