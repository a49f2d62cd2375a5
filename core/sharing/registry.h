/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry of ways of sharing between the connections from one host to another: one
 * line each. A way of sharing is a header with TITLE, SOURCE and SCOPE macros, a table of
 * parameters, and these functions on the ensemble e, the connection's member m and its
 * block t, each with the prefix pst_NAME_:
 *
 *   void join(p, e, m, t)   the connection is established; t is its own
 *   void push(p, e, m, t)   its own law has changed t
 *   void leave(p, e, m, t)  the connection is over
 *
 * PST_NAME_HAS lists what else it has. Of functions:
 *
 *   void pull(p, e, m, t)   before it uses t: others may have changed its part
 *   void ask(p, e, m, t)    t->idle is no longer m->idle
 *
 * Of properties:
 *
 *   caches   an ensemble without members is remembered, as its cached_... fields and round trip
 *   rejoins  push takes members out of the ensemble and back into it
 *   kernel   it is also offered as a congestion control of Linux, called PST_NAME_LINUX
 */
#ifndef PENSTOCK_CORE_SHARING_REGISTRY_H
#define PENSTOCK_CORE_SHARING_REGISTRY_H

#include "../dispatch.h"
#include "ensemble.h"

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

#define PST_SHARINGS(H, ...)                                    \
	H(tcbi_temporal, TCBI_TEMPORAL, __VA_ARGS__)            \
	H(tcbi_ensemble, TCBI_ENSEMBLE, __VA_ARGS__)            \
	H(fs_tcbi, FS_TCBI, __VA_ARGS__)                        \
	H(efcm, EFCM, __VA_ARGS__)                              \
	H(linux_efcm_1, LINUX_EFCM_1, __VA_ARGS__)              \
	H(linux_efcm_3, LINUX_EFCM_3, __VA_ARGS__)              \
	H(ensemble_tcp, ENSEMBLE_TCP, __VA_ARGS__)              \
	H(congestion_manager, CONGESTION_MANAGER, __VA_ARGS__)  \
	H(spand, SPAND, __VA_ARGS__)

#define PST_ENUM(name, NAME, ...) PST_SHARING_##NAME,
enum pst_sharing {
	PST_SHARINGS(PST_ENUM) PST_SHARING_COUNT, /* none */
};
#undef PST_ENUM

#define PST_SHARING_PARAM_WORDS 2 /* the most that one has, as core.c demands */

#define PST_MEMBER(name, NAME, ...) struct pst_##name##_params name;
union pst_sharing_params {
	u64 words[PST_SHARING_PARAM_WORDS];
#ifndef PST_LINKED
	PST_SHARINGS(PST_MEMBER)
#endif
};
#undef PST_MEMBER

#endif
