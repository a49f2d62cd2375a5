/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry of sender methods: one line a method, M(name, NAME). Each header
 * has tables and structs as a gateway method has, and two functions:
 *
 *   pst_NAME_on_ack         new data acknowledged outside of recovery
 *   pst_NAME_on_congestion  returns the new ssthresh, bytes
 */
#ifndef PENSTOCK_CORE_SENDER_REGISTRY_H
#define PENSTOCK_CORE_SENDER_REGISTRY_H

#include "cubic.h"
#include "newreno.h"

#define PST_SENDERS(M) \
	M(newreno, NEWRENO) \
	M(cubic, CUBIC)

#define PST_ENUM(name, NAME) PST_SENDER_##NAME,
enum pst_sender_method {
	PST_SENDERS(PST_ENUM)
	PST_SENDER_COUNT,
};
#undef PST_ENUM

#define PST_MEMBER(name, NAME) struct pst_##name##_params name;
union pst_sender_params {
	PST_SENDERS(PST_MEMBER)
};
#undef PST_MEMBER

#define PST_MEMBER(name, NAME) struct pst_##name##_state name;
union pst_sender_state {
	PST_SENDERS(PST_MEMBER)
};
#undef PST_MEMBER

PST_FN void pst_sender_ack(u32 method, const union pst_sender_params *p,
			   union pst_sender_state *s,
			   const struct pst_sender_view *v, struct pst_cwnd *w)
{
	switch (method) {
#define PST_CASE(name, NAME)                                   \
	case PST_SENDER_##NAME:                                \
		pst_##name##_on_ack(&p->name, &s->name, v, w); \
		break;
		PST_SENDERS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN u64 pst_sender_congestion(u32 method, const union pst_sender_params *p,
				 union pst_sender_state *s,
				 const struct pst_sender_view *v,
				 const struct pst_cwnd *w,
				 enum pst_congestion why)
{
	switch (method) {
#define PST_CASE(name, NAME)                                                  \
	case PST_SENDER_##NAME:                                               \
		return pst_##name##_on_congestion(&p->name, &s->name, v, w, why);
		PST_SENDERS(PST_CASE)
#undef PST_CASE
	default:
		return w->ssthresh_bytes;
	}
}

#endif
