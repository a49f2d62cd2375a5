/* SPDX-License-Identifier: GPL-2.0-only */
/* What connections can share in Linux: H(name, NAME, name of the congestion control). */
#ifndef PENSTOCK_CORE_SHARING_LINUX_H
#define PENSTOCK_CORE_SHARING_LINUX_H

#define PST_LINUX_SHARINGS(H)                           \
	H(fs_tcbi, FS_TCBI, "pst_fs_tcbi")              \
	H(efcm, EFCM, "pst_efcm")                       \
	H(linux_efcm_1, LINUX_EFCM_1, "pst_lin_efcm_1") \
	H(linux_efcm_3, LINUX_EFCM_3, "pst_lin_efcm_3")

#endif
