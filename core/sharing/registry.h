/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry of ways of sharing between the connections from one host to another. One
 * line each,
 *
 *   H(name, NAME)
 *
 * A way of sharing is a header with TITLE, SOURCE and SCOPE macros, a table of
 * parameters, and these functions on the ensemble e, the connection's member m and its block t:
 *
 *   void pst_NAME_join(p, e, m, t)   the connection is established; t is its own
 *   void pst_NAME_pull(p, e, m, t)   before it uses t: others may have changed its part
 *   void pst_NAME_push(p, e, m, t)   its own law has changed t
 *   void pst_NAME_leave(p, e, m, t)  the connection is over
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

#define PST_SHARINGS(H)                           \
	H(tcbi_temporal, TCBI_TEMPORAL)           \
	H(tcbi_ensemble, TCBI_ENSEMBLE)           \
	H(fs_tcbi, FS_TCBI)                       \
	H(efcm, EFCM)                             \
	H(linux_efcm_1, LINUX_EFCM_1)             \
	H(linux_efcm_3, LINUX_EFCM_3)             \
	H(ensemble_tcp, ENSEMBLE_TCP)             \
	H(congestion_manager, CONGESTION_MANAGER) \
	H(spand, SPAND)

#define PST_ENUM(name, NAME) PST_SHARING_##NAME,
enum pst_sharing {
	PST_SHARINGS(PST_ENUM) PST_SHARING_COUNT, /* none */
};
#undef PST_ENUM

#define PST_MEMBER(name, NAME) struct pst_##name##_params name;
union pst_sharing_params {
	PST_SHARINGS(PST_MEMBER)
};
#undef PST_MEMBER

#endif
