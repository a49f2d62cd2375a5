/* SPDX-License-Identifier: GPL-2.0-only */
/* Written by tools/gen_dispatch.py from core/law/methods.toml. */
#ifndef PENSTOCK_CORE_LAW_DISPATCH_H
#define PENSTOCK_CORE_LAW_DISPATCH_H

#include "registry.h"
#ifndef PST_LINKED
#include "awm.h"
#include "ewa.h"
#include "ewt.h"
#include "ewt_iot.h"
#include "fewa.h"
#include "integral.h"
#include "none.h"
#include "penstock.h"
#include "pink.h"
#include "rwndq.h"
#include "sap_law.h"
#include "share.h"
#include "smart_red.h"
#include "voap.h"
#endif

#define PST_LAWS(METHOD, ...) \
	METHOD(none, NONE, __VA_ARGS__) \
	METHOD(ewa, EWA, __VA_ARGS__) \
	METHOD(awm, AWM, __VA_ARGS__) \
	METHOD(ewt, EWT, __VA_ARGS__) \
	METHOD(ewt_iot, EWT_IOT, __VA_ARGS__) \
	METHOD(share, SHARE, __VA_ARGS__) \
	METHOD(integral, INTEGRAL, __VA_ARGS__) \
	METHOD(penstock, PENSTOCK, __VA_ARGS__) \
	METHOD(fewa, FEWA, __VA_ARGS__) \
	METHOD(sap_law, SAP_LAW, __VA_ARGS__) \
	METHOD(voap, VOAP, __VA_ARGS__) \
	METHOD(smart_red, SMART_RED, __VA_ARGS__) \
	METHOD(pink, PINK, __VA_ARGS__) \
	METHOD(rwndq, RWNDQ, __VA_ARGS__)

enum pst_law {
	PST_LAW_NONE,
	PST_LAW_EWA,
	PST_LAW_AWM,
	PST_LAW_EWT,
	PST_LAW_EWT_IOT,
	PST_LAW_SHARE,
	PST_LAW_INTEGRAL,
	PST_LAW_PENSTOCK,
	PST_LAW_FEWA,
	PST_LAW_SAP_LAW,
	PST_LAW_VOAP,
	PST_LAW_SMART_RED,
	PST_LAW_PINK,
	PST_LAW_RWNDQ,
	PST_LAW_COUNT,
};

enum pst_law_bit {
	PST_LAW_HAS_init = 1 << 0,
	PST_LAW_HAS_on_accepted = 1 << 1,
	PST_LAW_HAS_on_left = 1 << 2,
	PST_LAW_HAS_on_data = 1 << 3,
	PST_LAW_HAS_on_tick = 1 << 4,
	PST_LAW_HAS_on_ack = 1 << 5,
	PST_LAW_HAS_pace_ns = 1 << 6,
	PST_LAW_HAS_floor = 1 << 7,
	PST_LAW_HAS_pause_ns = 1 << 8,
	PST_LAW_HAS_flow = 1 << 9,
	PST_LAW_HAS_opens = 1 << 10,
	PST_LAW_HAS_divides = 1 << 11,
};

union pst_law_params {
	u64 words[PST_LAW_PARAM_WORDS];
#ifndef PST_LINKED
	struct pst_none_params none;
	struct pst_ewa_params ewa;
	struct pst_awm_params awm;
	struct pst_ewt_params ewt;
	struct pst_ewt_iot_params ewt_iot;
	struct pst_share_params share;
	struct pst_integral_params integral;
	struct pst_penstock_params penstock;
	struct pst_fewa_params fewa;
	struct pst_sap_law_params sap_law;
	struct pst_voap_params voap;
	struct pst_smart_red_params smart_red;
	struct pst_pink_params pink;
	struct pst_rwndq_params rwndq;
#endif
};

union pst_law_state {
	u64 words[PST_LAW_STATE_WORDS];
#ifndef PST_LINKED
	struct pst_none_state none;
	struct pst_ewa_state ewa;
	struct pst_awm_state awm;
	struct pst_ewt_state ewt;
	struct pst_ewt_iot_state ewt_iot;
	struct pst_share_state share;
	struct pst_integral_state integral;
	struct pst_penstock_state penstock;
	struct pst_fewa_state fewa;
	struct pst_sap_law_state sap_law;
	struct pst_voap_state voap;
	struct pst_smart_red_state smart_red;
	struct pst_pink_state pink;
	struct pst_rwndq_state rwndq;
#endif
};

union pst_law_flow {
	u64 words[PST_LAW_FLOW_WORDS];
#ifndef PST_LINKED
	struct pst_penstock_flow penstock;
	struct pst_voap_flow voap;
#endif
};

#ifndef PST_LINKED

#define PST_LAW_WITH_init \
	(1ULL << PST_LAW_EWA | 1ULL << PST_LAW_AWM | 1ULL << PST_LAW_EWT_IOT | \
	 1ULL << PST_LAW_INTEGRAL | 1ULL << PST_LAW_PENSTOCK | 1ULL << PST_LAW_FEWA | \
	 1ULL << PST_LAW_RWNDQ)
#define PST_LAW_WITH_on_accepted \
	(1ULL << PST_LAW_AWM | 1ULL << PST_LAW_SAP_LAW | 1ULL << PST_LAW_VOAP | \
	 1ULL << PST_LAW_SMART_RED)
#define PST_LAW_WITH_on_left \
	(1ULL << PST_LAW_AWM)
#define PST_LAW_WITH_on_data \
	(1ULL << PST_LAW_PENSTOCK)
#define PST_LAW_WITH_on_tick \
	(1ULL << PST_LAW_EWA | 1ULL << PST_LAW_INTEGRAL | 1ULL << PST_LAW_PENSTOCK | \
	 1ULL << PST_LAW_FEWA | 1ULL << PST_LAW_SAP_LAW | 1ULL << PST_LAW_VOAP | \
	 1ULL << PST_LAW_SMART_RED | 1ULL << PST_LAW_RWNDQ)
#define PST_LAW_WITH_on_ack \
	(1ULL << PST_LAW_EWA | 1ULL << PST_LAW_AWM | 1ULL << PST_LAW_EWT | \
	 1ULL << PST_LAW_EWT_IOT | 1ULL << PST_LAW_SHARE | 1ULL << PST_LAW_INTEGRAL | \
	 1ULL << PST_LAW_PENSTOCK | 1ULL << PST_LAW_FEWA | 1ULL << PST_LAW_SAP_LAW | \
	 1ULL << PST_LAW_VOAP | 1ULL << PST_LAW_SMART_RED | 1ULL << PST_LAW_PINK | \
	 1ULL << PST_LAW_RWNDQ)
#define PST_LAW_WITH_pace_ns \
	(1ULL << PST_LAW_PENSTOCK)
#define PST_LAW_WITH_floor \
	(1ULL << PST_LAW_INTEGRAL | 1ULL << PST_LAW_PENSTOCK)
#define PST_LAW_WITH_pause_ns \
	(1ULL << PST_LAW_PENSTOCK)
#define PST_LAW_WITH_flow \
	(1ULL << PST_LAW_PENSTOCK | 1ULL << PST_LAW_VOAP)
#define PST_LAW_WITH_opens \
	(1ULL << PST_LAW_PENSTOCK)
#define PST_LAW_WITH_divides \
	(1ULL << PST_LAW_SHARE | 1ULL << PST_LAW_INTEGRAL | 1ULL << PST_LAW_PENSTOCK | \
	 1ULL << PST_LAW_SAP_LAW | 1ULL << PST_LAW_VOAP | 1ULL << PST_LAW_SMART_RED | \
	 1ULL << PST_LAW_PINK | 1ULL << PST_LAW_RWNDQ)

PST_FN bool pst_law_dispatch_has(u32 law, u32 bits)
{
	u64 with = 0;

	if (bits & PST_LAW_HAS_init)
		with |= PST_LAW_WITH_init;
	if (bits & PST_LAW_HAS_on_accepted)
		with |= PST_LAW_WITH_on_accepted;
	if (bits & PST_LAW_HAS_on_left)
		with |= PST_LAW_WITH_on_left;
	if (bits & PST_LAW_HAS_on_data)
		with |= PST_LAW_WITH_on_data;
	if (bits & PST_LAW_HAS_on_tick)
		with |= PST_LAW_WITH_on_tick;
	if (bits & PST_LAW_HAS_on_ack)
		with |= PST_LAW_WITH_on_ack;
	if (bits & PST_LAW_HAS_pace_ns)
		with |= PST_LAW_WITH_pace_ns;
	if (bits & PST_LAW_HAS_floor)
		with |= PST_LAW_WITH_floor;
	if (bits & PST_LAW_HAS_pause_ns)
		with |= PST_LAW_WITH_pause_ns;
	if (bits & PST_LAW_HAS_flow)
		with |= PST_LAW_WITH_flow;
	if (bits & PST_LAW_HAS_opens)
		with |= PST_LAW_WITH_opens;
	if (bits & PST_LAW_HAS_divides)
		with |= PST_LAW_WITH_divides;
	return with >> law & 1;
}

PST_FN void pst_law_dispatch_init(u32 law, const union pst_law_params *p,
				  union pst_law_state *s, const struct pst_queue *q)
{
	switch (law) {
	case PST_LAW_EWA:
		pst_ewa_init(&p->ewa, &s->ewa, q);
		break;
	case PST_LAW_AWM:
		pst_awm_init(&p->awm, &s->awm, q);
		break;
	case PST_LAW_EWT_IOT:
		pst_ewt_iot_init(&p->ewt_iot, &s->ewt_iot, q);
		break;
	case PST_LAW_INTEGRAL:
		pst_integral_init(&p->integral, &s->integral, q);
		break;
	case PST_LAW_PENSTOCK:
		pst_penstock_init(&p->penstock, &s->penstock, q);
		break;
	case PST_LAW_FEWA:
		pst_fewa_init(&p->fewa, &s->fewa, q);
		break;
	case PST_LAW_RWNDQ:
		pst_rwndq_init(&p->rwndq, &s->rwndq, q);
		break;
	default:
		break;
	}
}

PST_FN void pst_law_dispatch_on_accepted(u32 law, const union pst_law_params *p,
					 union pst_law_state *s, const struct pst_queue *q,
					 const struct pst_packet *k)
{
	switch (law) {
	case PST_LAW_AWM:
		pst_awm_on_accepted(&p->awm, &s->awm, q, k);
		break;
	case PST_LAW_SAP_LAW:
		pst_sap_law_on_accepted(&p->sap_law, &s->sap_law, q, k);
		break;
	case PST_LAW_VOAP:
		pst_voap_on_accepted(&p->voap, &s->voap, q, k);
		break;
	case PST_LAW_SMART_RED:
		pst_smart_red_on_accepted(&p->smart_red, &s->smart_red, q, k);
		break;
	default:
		break;
	}
}

PST_FN void pst_law_dispatch_on_left(u32 law, const union pst_law_params *p,
				     union pst_law_state *s, const struct pst_queue *q,
				     const struct pst_packet *k)
{
	switch (law) {
	case PST_LAW_AWM:
		pst_awm_on_left(&p->awm, &s->awm, q, k);
		break;
	default:
		break;
	}
}

PST_FN void pst_law_dispatch_on_data(u32 law, const union pst_law_params *p,
				     union pst_law_state *s, union pst_law_flow *f,
				     const struct pst_queue *q, u32 bytes)
{
	switch (law) {
	case PST_LAW_PENSTOCK:
		pst_penstock_on_data(&p->penstock, &s->penstock, &f->penstock, q, bytes);
		break;
	default:
		break;
	}
}

PST_FN u64 pst_law_dispatch_on_tick(u32 law, const union pst_law_params *p,
				    union pst_law_state *s, const struct pst_queue *q)
{
	switch (law) {
	case PST_LAW_EWA:
		return pst_ewa_on_tick(&p->ewa, &s->ewa, q);
	case PST_LAW_INTEGRAL:
		return pst_integral_on_tick(&p->integral, &s->integral, q);
	case PST_LAW_PENSTOCK:
		return pst_penstock_on_tick(&p->penstock, &s->penstock, q);
	case PST_LAW_FEWA:
		return pst_fewa_on_tick(&p->fewa, &s->fewa, q);
	case PST_LAW_SAP_LAW:
		return pst_sap_law_on_tick(&p->sap_law, &s->sap_law, q);
	case PST_LAW_VOAP:
		return pst_voap_on_tick(&p->voap, &s->voap, q);
	case PST_LAW_SMART_RED:
		return pst_smart_red_on_tick(&p->smart_red, &s->smart_red, q);
	case PST_LAW_RWNDQ:
		return pst_rwndq_on_tick(&p->rwndq, &s->rwndq, q);
	default:
		break;
	}
	return 0;
}

PST_FN u64 pst_law_dispatch_on_ack(u32 law, const union pst_law_params *p,
				   union pst_law_state *s, union pst_law_flow *f,
				   const struct pst_queue *q, const struct pst_ack *a)
{
	switch (law) {
	case PST_LAW_EWA:
		return pst_ewa_on_ack(&p->ewa, &s->ewa, q, a);
	case PST_LAW_AWM:
		return pst_awm_on_ack(&p->awm, &s->awm, q, a);
	case PST_LAW_EWT:
		return pst_ewt_on_ack(&p->ewt, &s->ewt, q, a);
	case PST_LAW_EWT_IOT:
		return pst_ewt_iot_on_ack(&p->ewt_iot, &s->ewt_iot, q, a);
	case PST_LAW_SHARE:
		return pst_share_on_ack(&p->share, &s->share, q, a);
	case PST_LAW_INTEGRAL:
		return pst_integral_on_ack(&p->integral, &s->integral, q, a);
	case PST_LAW_PENSTOCK:
		return pst_penstock_on_ack(&p->penstock, &s->penstock, &f->penstock, q, a);
	case PST_LAW_FEWA:
		return pst_fewa_on_ack(&p->fewa, &s->fewa, q, a);
	case PST_LAW_SAP_LAW:
		return pst_sap_law_on_ack(&p->sap_law, &s->sap_law, q, a);
	case PST_LAW_VOAP:
		return pst_voap_on_ack(&p->voap, &s->voap, &f->voap, q, a);
	case PST_LAW_SMART_RED:
		return pst_smart_red_on_ack(&p->smart_red, &s->smart_red, q, a);
	case PST_LAW_PINK:
		return pst_pink_on_ack(&p->pink, &s->pink, q, a);
	case PST_LAW_RWNDQ:
		return pst_rwndq_on_ack(&p->rwndq, &s->rwndq, q, a);
	default:
		break;
	}
	return a->window_bytes;
}

PST_FN u64 pst_law_dispatch_pace_ns(u32 law, const union pst_law_params *p,
				    union pst_law_state *s, const struct pst_queue *q,
				    const struct pst_ack *a, u64 let_out_bytes, u64 booked_ns,
				    bool *waits)
{
	switch (law) {
	case PST_LAW_PENSTOCK:
		return pst_penstock_pace_ns(&p->penstock, &s->penstock, q, a, let_out_bytes,
					    booked_ns, waits);
	default:
		break;
	}
	return 0;
}

PST_FN enum pst_floor pst_law_dispatch_floor(u32 law, const union pst_law_params *p,
					     const union pst_law_state *s,
					     const struct pst_queue *q)
{
	switch (law) {
	case PST_LAW_INTEGRAL:
		return pst_integral_floor(&p->integral, &s->integral, q);
	case PST_LAW_PENSTOCK:
		return pst_penstock_floor(&p->penstock, &s->penstock, q);
	default:
		break;
	}
	return PST_FLOOR_NONE;
}

PST_FN u64 pst_law_dispatch_pause_ns(u32 law, const union pst_law_state *s)
{
	switch (law) {
	case PST_LAW_PENSTOCK:
		return pst_penstock_pause_ns(&s->penstock);
	default:
		break;
	}
	return 0;
}

PST_FN u64 pst_law_dispatch_interval_ns(u32 law, const union pst_law_params *p)
{
	switch (law) {
	case PST_LAW_EWA:
		return p->ewa.interval_ns;
	case PST_LAW_INTEGRAL:
		return p->integral.interval_ns;
	case PST_LAW_PENSTOCK:
		return p->penstock.interval_ns;
	case PST_LAW_FEWA:
		return p->fewa.interval_ns;
	case PST_LAW_SAP_LAW:
		return p->sap_law.interval_ns;
	case PST_LAW_VOAP:
		return p->voap.interval_ns;
	case PST_LAW_SMART_RED:
		return p->smart_red.interval_ns;
	case PST_LAW_RWNDQ:
		return p->rwndq.interval_ns;
	default:
		break;
	}
	return 0;
}

#endif /* PST_LINKED */

#endif
