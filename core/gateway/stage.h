/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one seam between core/gateway/ and its hosts. A stage is a part of a packet's passage
 * that needs much stack, or has many branches:
 *
 *   PST_STAGE(type, name)(parameters)   begins its definition
 *   PST_GIVEN(claim, otherwise)         its pointers are none of them null; the first statement
 *   PST_CONFIG(port)                    the configuration
 *
 * In user space a stage is inline, and a port has its configuration. In the kernel a stage is a
 * global function, which the verifier checks once and on its own, knowing no more of a pointer
 * than its type; the configuration is the program's constants. In a proof a stage's callers
 * meet its contract. Kernel and proofs name their header in PST_STAGES.
 */
#ifndef PENSTOCK_CORE_GATEWAY_STAGE_H
#define PENSTOCK_CORE_GATEWAY_STAGE_H

#ifdef PST_STAGES
#include PST_STAGES
#else
#define PST_STAGE(type, name) PST_FN type name
#define PST_GIVEN(claim, otherwise) PST_REQUIRE(claim)
#define PST_CONFIG(port) (&(port)->config)
#endif

#endif
