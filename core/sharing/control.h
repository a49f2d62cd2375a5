/* SPDX-License-Identifier: GPL-2.0-only */
/* Dispatch to a way of sharing, expanded from registry.h. */
#ifndef PENSTOCK_CORE_SHARING_CONTROL_H
#define PENSTOCK_CORE_SHARING_CONTROL_H

#include "registry.h"

PST_FN enum pst_sharing_scope pst_sharing_scope(u32 sharing)
{
	switch (sharing) {
#define PST_CASE(name, NAME, ...) \
	case PST_SHARING_##NAME:  \
		return PST_##NAME##_SCOPE;
		PST_SHARINGS(PST_CASE)
#undef PST_CASE
	default:
		return PST_SCOPE_HOST;
	}
}

/* True if members leave the ensemble and rejoin it while their connections are open. */
PST_FN bool pst_sharing_rejoins(u32 sharing)
{
#define PST_BIT(name, NAME, pull, rejoin, ...) PST_IF_##rejoin(| 1ULL << PST_SHARING_##NAME)
	return (0ULL PST_SHARINGS(PST_BIT)) >> sharing & 1;
#undef PST_BIT
}

PST_FN void pst_sharing_join(u32 sharing, const union pst_sharing_params *p,
			     struct pst_ensemble *e, struct pst_member *m,
			     struct pst_tcb *t)
{
	switch (sharing) {
#define PST_CASE(name, NAME, ...)                     \
	case PST_SHARING_##NAME:                      \
		pst_##name##_join(&p->name, e, m, t); \
		break;
		PST_SHARINGS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN void pst_sharing_pull(u32 sharing, const union pst_sharing_params *p,
			     struct pst_ensemble *e, struct pst_member *m,
			     struct pst_tcb *t)
{
	switch (sharing) {
#define PST_CASE(name, NAME, pull, ...)                              \
	case PST_SHARING_##NAME:                                     \
		PST_IF_##pull(pst_##name##_pull(&p->name, e, m, t);) \
		break;
		PST_SHARINGS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN void pst_sharing_push(u32 sharing, const union pst_sharing_params *p,
			     struct pst_ensemble *e, struct pst_member *m,
			     struct pst_tcb *t)
{
	switch (sharing) {
#define PST_CASE(name, NAME, ...)                     \
	case PST_SHARING_##NAME:                      \
		pst_##name##_push(&p->name, e, m, t); \
		break;
		PST_SHARINGS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN void pst_sharing_ask(u32 sharing, const union pst_sharing_params *p,
			    struct pst_ensemble *e, struct pst_member *m,
			    struct pst_tcb *t)
{
	switch (sharing) {
#define PST_CASE(name, NAME, pull, rejoin, ask, ...)                 \
	case PST_SHARING_##NAME:                                   \
		PST_IF_##ask(pst_##name##_ask(&p->name, e, m, t);) \
		break;
		PST_SHARINGS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN void pst_sharing_leave(u32 sharing, const union pst_sharing_params *p,
			      struct pst_ensemble *e, struct pst_member *m,
			      const struct pst_tcb *t)
{
	switch (sharing) {
#define PST_CASE(name, NAME, ...)                      \
	case PST_SHARING_##NAME:                       \
		pst_##name##_leave(&p->name, e, m, t); \
		break;
		PST_SHARINGS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

#endif
