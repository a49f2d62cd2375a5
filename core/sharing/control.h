/* SPDX-License-Identifier: GPL-2.0-only */
/* Dispatch to a way of sharing, expanded from registry.h. */
#ifndef PENSTOCK_CORE_SHARING_CONTROL_H
#define PENSTOCK_CORE_SHARING_CONTROL_H

#include "registry.h"

/* What a way of sharing may have, as bits: registry.h. */
enum pst_sharing_bit {
	PST_SHARING_HAS_pull = 1 << 0,
	PST_SHARING_HAS_ask = 1 << 1,
	PST_SHARING_HAS_rejoins = 1 << 2,
	PST_SHARING_HAS_kernel = 1 << 3,
	PST_SHARING_HAS_caches = 1 << 4,
};

/* True if members leave the ensemble and rejoin it while their connections are open. */
PST_CALL bool pst_sharing_rejoins(u32 sharing);
/* True if members without anything to send have no share. */
PST_CALL bool pst_sharing_asks(u32 sharing);
/* True if a new member finds the state of ended connections. */
PST_CALL bool pst_sharing_caches(u32 sharing);
PST_CALL enum pst_sharing_scope pst_sharing_scope(u32 sharing);
PST_CALL void pst_sharing_join(u32 sharing, const union pst_sharing_params *p,
			       struct pst_ensemble *e, struct pst_member *m,
			       struct pst_tcb *t);
PST_CALL void pst_sharing_pull(u32 sharing, const union pst_sharing_params *p,
			       struct pst_ensemble *e, struct pst_member *m,
			       struct pst_tcb *t);
PST_CALL void pst_sharing_push(u32 sharing, const union pst_sharing_params *p,
			       struct pst_ensemble *e, struct pst_member *m,
			       struct pst_tcb *t);
PST_CALL void pst_sharing_ask(u32 sharing, const union pst_sharing_params *p,
			      struct pst_ensemble *e, struct pst_member *m,
			      struct pst_tcb *t);
PST_CALL void pst_sharing_leave(u32 sharing, const union pst_sharing_params *p,
				struct pst_ensemble *e, struct pst_member *m,
				const struct pst_tcb *t);

#ifndef PST_LINKED

#define PST_BIT(has) | PST_SHARING_HAS_##has
#define PST_MASK(name, NAME, SHARING, bit)                    \
	| (u64)(((0U PST_##NAME##_HAS(PST_BIT)) & (bit)) != 0) \
		<< SHARING##NAME

PST_CALL bool pst_sharing_rejoins(u32 sharing)
{
	return (0ULL PST_SHARINGS(PST_MASK, PST_SHARING_, PST_SHARING_HAS_rejoins)) >>
		       sharing & 1;
}

PST_CALL bool pst_sharing_asks(u32 sharing)
{
	return (0ULL PST_SHARINGS(PST_MASK, PST_SHARING_, PST_SHARING_HAS_ask)) >> sharing &
	       1;
}

PST_CALL bool pst_sharing_caches(u32 sharing)
{
	return (0ULL PST_SHARINGS(PST_MASK, PST_SHARING_, PST_SHARING_HAS_caches)) >>
		       sharing & 1;
}

#undef PST_MASK
#undef PST_BIT

PST_CALL enum pst_sharing_scope pst_sharing_scope(u32 sharing)
{
#define PST_CASE(name, NAME, SHARING, ...) \
	case SHARING##NAME: return PST_##NAME##_SCOPE;
	PST_SWITCH(PST_SHARINGS, PST_SHARING_, PST_CASE, sharing)
#undef PST_CASE
	return PST_SCOPE_HOST;
}

/* Calls pst_NAME_word(); of those that have it, and of all. */
#define PST_ANY(name, NAME, SHARING, word) \
	PST_CASE_OF(NAME, SHARING, word, pst_##name##_##word(&p->name, e, m, t); break;)
#define PST_EVERY(name, NAME, SHARING, word) \
	case SHARING##NAME: pst_##name##_##word(&p->name, e, m, t); break;

PST_CALL void pst_sharing_join(u32 sharing, const union pst_sharing_params *p,
			       struct pst_ensemble *e, struct pst_member *m,
			       struct pst_tcb *t)
{
	PST_REQUIRE(sharing < PST_SHARING_COUNT && t->mss_bytes > 0);
	PST_SWITCH(PST_SHARINGS, PST_SHARING_, PST_EVERY, sharing, join)
}

PST_CALL void pst_sharing_pull(u32 sharing, const union pst_sharing_params *p,
			       struct pst_ensemble *e, struct pst_member *m,
			       struct pst_tcb *t)
{
	PST_REQUIRE(sharing < PST_SHARING_COUNT && t->mss_bytes > 0);
	PST_SWITCH(PST_SHARINGS, PST_SHARING_, PST_ANY, sharing, pull)
}

PST_CALL void pst_sharing_push(u32 sharing, const union pst_sharing_params *p,
			       struct pst_ensemble *e, struct pst_member *m,
			       struct pst_tcb *t)
{
	PST_REQUIRE(sharing < PST_SHARING_COUNT && t->mss_bytes > 0);
	PST_SWITCH(PST_SHARINGS, PST_SHARING_, PST_EVERY, sharing, push)
}

PST_CALL void pst_sharing_ask(u32 sharing, const union pst_sharing_params *p,
			      struct pst_ensemble *e, struct pst_member *m,
			      struct pst_tcb *t)
{
	PST_REQUIRE(sharing < PST_SHARING_COUNT && t->mss_bytes > 0);
	PST_SWITCH(PST_SHARINGS, PST_SHARING_, PST_ANY, sharing, ask)
}

PST_CALL void pst_sharing_leave(u32 sharing, const union pst_sharing_params *p,
				struct pst_ensemble *e, struct pst_member *m,
				const struct pst_tcb *t)
{
	PST_REQUIRE(sharing < PST_SHARING_COUNT);
	PST_SWITCH(PST_SHARINGS, PST_SHARING_, PST_EVERY, sharing, leave)
}

#undef PST_ANY
#undef PST_EVERY

#endif /* PST_LINKED */

#endif
