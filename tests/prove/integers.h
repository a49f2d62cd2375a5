// SPDX-License-Identifier: GPL-2.0-only
// The integers of core/ for proofs, bit by bit, and its loads from packets.
#ifndef PENSTOCK_TESTS_PROVE_INTEGERS_H
#define PENSTOCK_TESTS_PROVE_INTEGERS_H

#include "memory.h"

#include "c_types.h"

#define PST_LOAD(v, p) prove::load(v, p)
#define PST_BE16(v) prove::swapped<16>(v)
#define PST_BE32(v) prove::swapped<32>(v)

#endif
