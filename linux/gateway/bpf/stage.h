/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stages of core/gateway/ in the kernel: global functions, which the verifier checks once and on
 * their own, not for each path that leads to the call. The configuration is a constant.
 */
#ifndef PENSTOCK_GATEWAY_STAGE_H
#define PENSTOCK_GATEWAY_STAGE_H

struct pst_gateway_config;

#define PST_STAGE(type, name) __attribute__((noinline)) type name
#define PST_GIVEN(claim, otherwise) \
	do {                        \
		if (!(claim))       \
			return otherwise; \
	} while (0)
#define PST_CONFIG(port) gw_gateway_config()

PST_FN const struct pst_gateway_config *gw_gateway_config(void);

#endif
