// SPDX-License-Identifier: GPL-2.0-only
// The integer types of core/base.h for proofs about laws; as ../integers.h, over whole numbers.
#ifndef PENSTOCK_TESTS_PROVE_LAW_INTEGERS_H
#define PENSTOCK_TESTS_PROVE_LAW_INTEGERS_H

#include "number.h"

#include "../c_types.h"

#endif
