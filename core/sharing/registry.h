/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry of ways of sharing between the connections from one host to another. One
 * line each,
 *
 *   H(name, NAME, pull, rejoin, ask, kernel)
 *
 * A way of sharing is a header with TITLE, SOURCE and SCOPE macros, a table of
 * parameters, and these functions on the ensemble e, the connection's member m and its block t:
 *
 *   void pst_NAME_join(p, e, m, t)   the connection is established; t is its own
 *   void pst_NAME_pull(p, e, m, t)   if pull is HAS; before it uses t: others may have
 *                                    changed its part
 *   void pst_NAME_push(p, e, m, t)   its own law has changed t
 *   void pst_NAME_ask(p, e, m, t)    if ask is HAS; t->idle is no longer m->idle
 *   void pst_NAME_leave(p, e, m, t)  the connection is over
 *
 * rejoin is HAS if push takes members out of the ensemble and back into it. kernel is HAS
 * if it is also offered as a congestion control of Linux, called PST_NAME_LINUX.
 */
#ifndef PENSTOCK_CORE_SHARING_REGISTRY_H
#define PENSTOCK_CORE_SHARING_REGISTRY_H

#include "congestion_manager.h"
#include "efcm.h"
#include "ensemble_tcp.h"
#include "fs_tcbi.h"
#include "linux_efcm_1.h"
#include "linux_efcm_3.h"
#include "spand.h"
#include "tcbi_ensemble.h"
#include "tcbi_temporal.h"

#define PST_SHARINGS(H)                                                \
	H(tcbi_temporal, TCBI_TEMPORAL, NO, NO, NO, NO)                \
	H(tcbi_ensemble, TCBI_ENSEMBLE, NO, NO, NO, NO)                \
	H(fs_tcbi, FS_TCBI, HAS, NO, NO, HAS)                          \
	H(efcm, EFCM, HAS, NO, NO, HAS)                                \
	H(linux_efcm_1, LINUX_EFCM_1, HAS, NO, NO, HAS)                \
	H(linux_efcm_3, LINUX_EFCM_3, HAS, HAS, NO, HAS)               \
	H(ensemble_tcp, ENSEMBLE_TCP, HAS, NO, NO, NO)                 \
	H(congestion_manager, CONGESTION_MANAGER, HAS, NO, HAS, NO)    \
	H(spand, SPAND, NO, NO, NO, NO)

#define PST_ENUM(name, NAME, ...) PST_SHARING_##NAME,
enum pst_sharing {
	PST_SHARINGS(PST_ENUM) PST_SHARING_COUNT, /* none */
};
#undef PST_ENUM

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_params name;
union pst_sharing_params {
	PST_SHARINGS(PST_MEMBER)
};
#undef PST_MEMBER

#endif
