/* SPDX-License-Identifier: GPL-2.0-only */
/* Written by tools/gen_dispatch.py from core/sharing/methods.toml. */
#ifndef PENSTOCK_CORE_SHARING_DISPATCH_H
#define PENSTOCK_CORE_SHARING_DISPATCH_H

#include "registry.h"
#ifndef PST_LINKED
#include "congestion_manager.h"
#include "efcm.h"
#include "ensemble_tcp.h"
#include "fs_tcbi.h"
#include "linux_efcm_1.h"
#include "linux_efcm_3.h"
#include "spand.h"
#include "tcbi_ensemble.h"
#include "tcbi_temporal.h"
#endif

#define PST_SHARINGS(METHOD, ...) \
	METHOD(tcbi_temporal, TCBI_TEMPORAL, __VA_ARGS__) \
	METHOD(tcbi_ensemble, TCBI_ENSEMBLE, __VA_ARGS__) \
	METHOD(fs_tcbi, FS_TCBI, __VA_ARGS__) \
	METHOD(efcm, EFCM, __VA_ARGS__) \
	METHOD(linux_efcm_1, LINUX_EFCM_1, __VA_ARGS__) \
	METHOD(linux_efcm_3, LINUX_EFCM_3, __VA_ARGS__) \
	METHOD(ensemble_tcp, ENSEMBLE_TCP, __VA_ARGS__) \
	METHOD(congestion_manager, CONGESTION_MANAGER, __VA_ARGS__) \
	METHOD(spand, SPAND, __VA_ARGS__)

/* Those that are offered as congestion controls of Linux, by PST_NAME_LINUX. */
#define PST_LINUX_SHARINGS(METHOD, ...) \
	METHOD(tcbi_temporal, TCBI_TEMPORAL, __VA_ARGS__) \
	METHOD(tcbi_ensemble, TCBI_ENSEMBLE, __VA_ARGS__) \
	METHOD(fs_tcbi, FS_TCBI, __VA_ARGS__) \
	METHOD(efcm, EFCM, __VA_ARGS__) \
	METHOD(linux_efcm_1, LINUX_EFCM_1, __VA_ARGS__) \
	METHOD(linux_efcm_3, LINUX_EFCM_3, __VA_ARGS__) \
	METHOD(ensemble_tcp, ENSEMBLE_TCP, __VA_ARGS__) \
	METHOD(congestion_manager, CONGESTION_MANAGER, __VA_ARGS__)

#ifndef PST_LINKED
#define PST_SPAND_LINUX ""
#endif

enum pst_sharing {
	PST_SHARING_TCBI_TEMPORAL,
	PST_SHARING_TCBI_ENSEMBLE,
	PST_SHARING_FS_TCBI,
	PST_SHARING_EFCM,
	PST_SHARING_LINUX_EFCM_1,
	PST_SHARING_LINUX_EFCM_3,
	PST_SHARING_ENSEMBLE_TCP,
	PST_SHARING_CONGESTION_MANAGER,
	PST_SHARING_SPAND,
	PST_SHARING_COUNT,
};

enum pst_sharing_bit {
	PST_SHARING_HAS_pull = 1 << 0,
	PST_SHARING_HAS_ask = 1 << 1,
	PST_SHARING_HAS_rejoins = 1 << 2,
	PST_SHARING_HAS_kernel = 1 << 3,
	PST_SHARING_HAS_caches = 1 << 4,
	PST_SHARING_HAS_at_once = 1 << 5,
	PST_SHARING_HAS_of_window = 1 << 6,
	PST_SHARING_HAS_paced_as_one = 1 << 7,
};

union pst_sharing_params {
	u64 words[PST_SHARING_PARAM_WORDS];
#ifndef PST_LINKED
	struct pst_tcbi_temporal_params tcbi_temporal;
	struct pst_tcbi_ensemble_params tcbi_ensemble;
	struct pst_fs_tcbi_params fs_tcbi;
	struct pst_efcm_params efcm;
	struct pst_linux_efcm_1_params linux_efcm_1;
	struct pst_linux_efcm_3_params linux_efcm_3;
	struct pst_ensemble_tcp_params ensemble_tcp;
	struct pst_congestion_manager_params congestion_manager;
	struct pst_spand_params spand;
#endif
};

#ifndef PST_LINKED

#define PST_SHARING_WITH_pull \
	(1ULL << PST_SHARING_FS_TCBI | 1ULL << PST_SHARING_EFCM | \
	 1ULL << PST_SHARING_LINUX_EFCM_1 | 1ULL << PST_SHARING_LINUX_EFCM_3 | \
	 1ULL << PST_SHARING_ENSEMBLE_TCP | 1ULL << PST_SHARING_CONGESTION_MANAGER)
#define PST_SHARING_WITH_ask \
	(1ULL << PST_SHARING_CONGESTION_MANAGER)
#define PST_SHARING_WITH_rejoins \
	(1ULL << PST_SHARING_LINUX_EFCM_3)
#define PST_SHARING_WITH_kernel \
	(1ULL << PST_SHARING_TCBI_TEMPORAL | 1ULL << PST_SHARING_TCBI_ENSEMBLE | \
	 1ULL << PST_SHARING_FS_TCBI | 1ULL << PST_SHARING_EFCM | \
	 1ULL << PST_SHARING_LINUX_EFCM_1 | 1ULL << PST_SHARING_LINUX_EFCM_3 | \
	 1ULL << PST_SHARING_ENSEMBLE_TCP | 1ULL << PST_SHARING_CONGESTION_MANAGER)
#define PST_SHARING_WITH_caches \
	(1ULL << PST_SHARING_TCBI_TEMPORAL | 1ULL << PST_SHARING_ENSEMBLE_TCP | \
	 1ULL << PST_SHARING_CONGESTION_MANAGER | 1ULL << PST_SHARING_SPAND)
#define PST_SHARING_WITH_at_once \
	(1ULL << PST_SHARING_EFCM)
#define PST_SHARING_WITH_of_window \
	(1ULL << PST_SHARING_EFCM)
#define PST_SHARING_WITH_paced_as_one \
	(1ULL << PST_SHARING_EFCM)

PST_FN bool pst_sharing_dispatch_has(u32 sharing, u32 bits)
{
	u64 with = 0;

	if (bits & PST_SHARING_HAS_pull)
		with |= PST_SHARING_WITH_pull;
	if (bits & PST_SHARING_HAS_ask)
		with |= PST_SHARING_WITH_ask;
	if (bits & PST_SHARING_HAS_rejoins)
		with |= PST_SHARING_WITH_rejoins;
	if (bits & PST_SHARING_HAS_kernel)
		with |= PST_SHARING_WITH_kernel;
	if (bits & PST_SHARING_HAS_caches)
		with |= PST_SHARING_WITH_caches;
	if (bits & PST_SHARING_HAS_at_once)
		with |= PST_SHARING_WITH_at_once;
	if (bits & PST_SHARING_HAS_of_window)
		with |= PST_SHARING_WITH_of_window;
	if (bits & PST_SHARING_HAS_paced_as_one)
		with |= PST_SHARING_WITH_paced_as_one;
	return with >> sharing & 1;
}

PST_FN void pst_sharing_dispatch_join(u32 sharing, const union pst_sharing_params *p,
				      struct pst_ensemble *e, struct pst_member *m,
				      struct pst_tcb *t)
{
	switch (sharing) {
	case PST_SHARING_TCBI_TEMPORAL:
		pst_tcbi_temporal_join(&p->tcbi_temporal, e, m, t);
		break;
	case PST_SHARING_TCBI_ENSEMBLE:
		pst_tcbi_ensemble_join(&p->tcbi_ensemble, e, m, t);
		break;
	case PST_SHARING_FS_TCBI:
		pst_fs_tcbi_join(&p->fs_tcbi, e, m, t);
		break;
	case PST_SHARING_EFCM:
		pst_efcm_join(&p->efcm, e, m, t);
		break;
	case PST_SHARING_LINUX_EFCM_1:
		pst_linux_efcm_1_join(&p->linux_efcm_1, e, m, t);
		break;
	case PST_SHARING_LINUX_EFCM_3:
		pst_linux_efcm_3_join(&p->linux_efcm_3, e, m, t);
		break;
	case PST_SHARING_ENSEMBLE_TCP:
		pst_ensemble_tcp_join(&p->ensemble_tcp, e, m, t);
		break;
	case PST_SHARING_CONGESTION_MANAGER:
		pst_congestion_manager_join(&p->congestion_manager, e, m, t);
		break;
	case PST_SHARING_SPAND:
		pst_spand_join(&p->spand, e, m, t);
		break;
	default:
		break;
	}
}

PST_FN void pst_sharing_dispatch_pull(u32 sharing, const union pst_sharing_params *p,
				      struct pst_ensemble *e, struct pst_member *m,
				      struct pst_tcb *t)
{
	switch (sharing) {
	case PST_SHARING_FS_TCBI:
		pst_fs_tcbi_pull(&p->fs_tcbi, e, m, t);
		break;
	case PST_SHARING_EFCM:
		pst_efcm_pull(&p->efcm, e, m, t);
		break;
	case PST_SHARING_LINUX_EFCM_1:
		pst_linux_efcm_1_pull(&p->linux_efcm_1, e, m, t);
		break;
	case PST_SHARING_LINUX_EFCM_3:
		pst_linux_efcm_3_pull(&p->linux_efcm_3, e, m, t);
		break;
	case PST_SHARING_ENSEMBLE_TCP:
		pst_ensemble_tcp_pull(&p->ensemble_tcp, e, m, t);
		break;
	case PST_SHARING_CONGESTION_MANAGER:
		pst_congestion_manager_pull(&p->congestion_manager, e, m, t);
		break;
	default:
		break;
	}
}

PST_FN void pst_sharing_dispatch_push(u32 sharing, const union pst_sharing_params *p,
				      struct pst_ensemble *e, struct pst_member *m,
				      struct pst_tcb *t)
{
	switch (sharing) {
	case PST_SHARING_TCBI_TEMPORAL:
		pst_tcbi_temporal_push(&p->tcbi_temporal, e, m, t);
		break;
	case PST_SHARING_TCBI_ENSEMBLE:
		pst_tcbi_ensemble_push(&p->tcbi_ensemble, e, m, t);
		break;
	case PST_SHARING_FS_TCBI:
		pst_fs_tcbi_push(&p->fs_tcbi, e, m, t);
		break;
	case PST_SHARING_EFCM:
		pst_efcm_push(&p->efcm, e, m, t);
		break;
	case PST_SHARING_LINUX_EFCM_1:
		pst_linux_efcm_1_push(&p->linux_efcm_1, e, m, t);
		break;
	case PST_SHARING_LINUX_EFCM_3:
		pst_linux_efcm_3_push(&p->linux_efcm_3, e, m, t);
		break;
	case PST_SHARING_ENSEMBLE_TCP:
		pst_ensemble_tcp_push(&p->ensemble_tcp, e, m, t);
		break;
	case PST_SHARING_CONGESTION_MANAGER:
		pst_congestion_manager_push(&p->congestion_manager, e, m, t);
		break;
	case PST_SHARING_SPAND:
		pst_spand_push(&p->spand, e, m, t);
		break;
	default:
		break;
	}
}

PST_FN void pst_sharing_dispatch_ask(u32 sharing, const union pst_sharing_params *p,
				     struct pst_ensemble *e, struct pst_member *m,
				     struct pst_tcb *t)
{
	switch (sharing) {
	case PST_SHARING_CONGESTION_MANAGER:
		pst_congestion_manager_ask(&p->congestion_manager, e, m, t);
		break;
	default:
		break;
	}
}

PST_FN void pst_sharing_dispatch_leave(u32 sharing, const union pst_sharing_params *p,
				       struct pst_ensemble *e, struct pst_member *m,
				       const struct pst_tcb *t)
{
	switch (sharing) {
	case PST_SHARING_TCBI_TEMPORAL:
		pst_tcbi_temporal_leave(&p->tcbi_temporal, e, m, t);
		break;
	case PST_SHARING_TCBI_ENSEMBLE:
		pst_tcbi_ensemble_leave(&p->tcbi_ensemble, e, m, t);
		break;
	case PST_SHARING_FS_TCBI:
		pst_fs_tcbi_leave(&p->fs_tcbi, e, m, t);
		break;
	case PST_SHARING_EFCM:
		pst_efcm_leave(&p->efcm, e, m, t);
		break;
	case PST_SHARING_LINUX_EFCM_1:
		pst_linux_efcm_1_leave(&p->linux_efcm_1, e, m, t);
		break;
	case PST_SHARING_LINUX_EFCM_3:
		pst_linux_efcm_3_leave(&p->linux_efcm_3, e, m, t);
		break;
	case PST_SHARING_ENSEMBLE_TCP:
		pst_ensemble_tcp_leave(&p->ensemble_tcp, e, m, t);
		break;
	case PST_SHARING_CONGESTION_MANAGER:
		pst_congestion_manager_leave(&p->congestion_manager, e, m, t);
		break;
	case PST_SHARING_SPAND:
		pst_spand_leave(&p->spand, e, m, t);
		break;
	default:
		break;
	}
}

PST_FN enum pst_sharing_scope pst_sharing_dispatch_scope(u32 sharing)
{
	switch (sharing) {
	case PST_SHARING_TCBI_TEMPORAL:
		return PST_TCBI_TEMPORAL_SCOPE;
	case PST_SHARING_TCBI_ENSEMBLE:
		return PST_TCBI_ENSEMBLE_SCOPE;
	case PST_SHARING_FS_TCBI:
		return PST_FS_TCBI_SCOPE;
	case PST_SHARING_EFCM:
		return PST_EFCM_SCOPE;
	case PST_SHARING_LINUX_EFCM_1:
		return PST_LINUX_EFCM_1_SCOPE;
	case PST_SHARING_LINUX_EFCM_3:
		return PST_LINUX_EFCM_3_SCOPE;
	case PST_SHARING_ENSEMBLE_TCP:
		return PST_ENSEMBLE_TCP_SCOPE;
	case PST_SHARING_CONGESTION_MANAGER:
		return PST_CONGESTION_MANAGER_SCOPE;
	case PST_SHARING_SPAND:
		return PST_SPAND_SCOPE;
	default:
		break;
	}
	return PST_SCOPE_HOST;
}

#endif /* PST_LINKED */

#endif
