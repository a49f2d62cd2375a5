/* SPDX-License-Identifier: GPL-2.0-only */
/* Dispatch to a way of sharing. */
#ifndef PENSTOCK_CORE_SHARING_CONTROL_H
#define PENSTOCK_CORE_SHARING_CONTROL_H

#include "registry.h"

/* True if members leave the ensemble and rejoin it while their connections are open. */
PST_CALL bool pst_sharing_rejoins(u32 sharing);
/* True if members without anything to send have no share. */
PST_CALL bool pst_sharing_asks(u32 sharing);
/* True if a new member finds the state of ended connections. */
PST_CALL bool pst_sharing_caches(u32 sharing);
/* True if others use what an event of one gives them when it happens. */
PST_CALL bool pst_sharing_is_at_once(u32 sharing);
/* True if a loss takes its part of the member's window. */
PST_CALL bool pst_sharing_is_of_window(u32 sharing);
/* True if members that pace spread the window of all. */
PST_CALL bool pst_sharing_is_paced_as_one(u32 sharing);
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

PST_CALL bool pst_sharing_rejoins(u32 sharing)
{
	return pst_sharing_dispatch_has(sharing, PST_SHARING_HAS_rejoins);
}

PST_CALL bool pst_sharing_asks(u32 sharing)
{
	return pst_sharing_dispatch_has(sharing, PST_SHARING_HAS_ask);
}

PST_CALL bool pst_sharing_caches(u32 sharing)
{
	return pst_sharing_dispatch_has(sharing, PST_SHARING_HAS_caches);
}

PST_CALL bool pst_sharing_is_at_once(u32 sharing)
{
	return pst_sharing_dispatch_has(sharing, PST_SHARING_HAS_at_once);
}

PST_CALL bool pst_sharing_is_of_window(u32 sharing)
{
	return pst_sharing_dispatch_has(sharing, PST_SHARING_HAS_of_window);
}

PST_CALL bool pst_sharing_is_paced_as_one(u32 sharing)
{
	return pst_sharing_dispatch_has(sharing, PST_SHARING_HAS_paced_as_one);
}

PST_CALL enum pst_sharing_scope pst_sharing_scope(u32 sharing)
{
	return pst_sharing_dispatch_scope(sharing);
}

PST_CALL void pst_sharing_join(u32 sharing, const union pst_sharing_params *p,
			       struct pst_ensemble *e, struct pst_member *m,
			       struct pst_tcb *t)
{
	PST_REQUIRE(sharing < PST_SHARING_COUNT && t->mss_bytes > 0);
	pst_sharing_dispatch_join(sharing, p, e, m, t);
}

PST_CALL void pst_sharing_pull(u32 sharing, const union pst_sharing_params *p,
			       struct pst_ensemble *e, struct pst_member *m,
			       struct pst_tcb *t)
{
	PST_REQUIRE(sharing < PST_SHARING_COUNT && t->mss_bytes > 0);
	pst_sharing_dispatch_pull(sharing, p, e, m, t);
}

PST_CALL void pst_sharing_push(u32 sharing, const union pst_sharing_params *p,
			       struct pst_ensemble *e, struct pst_member *m,
			       struct pst_tcb *t)
{
	PST_REQUIRE(sharing < PST_SHARING_COUNT && t->mss_bytes > 0);
	pst_sharing_dispatch_push(sharing, p, e, m, t);
}

PST_CALL void pst_sharing_ask(u32 sharing, const union pst_sharing_params *p,
			      struct pst_ensemble *e, struct pst_member *m,
			      struct pst_tcb *t)
{
	PST_REQUIRE(sharing < PST_SHARING_COUNT && t->mss_bytes > 0);
	pst_sharing_dispatch_ask(sharing, p, e, m, t);
}

PST_CALL void pst_sharing_leave(u32 sharing, const union pst_sharing_params *p,
				struct pst_ensemble *e, struct pst_member *m,
				const struct pst_tcb *t)
{
	PST_REQUIRE(sharing < PST_SHARING_COUNT);
	pst_sharing_dispatch_leave(sharing, p, e, m, t);
}

#endif /* PST_LINKED */

#endif
