// SPDX-License-Identifier: GPL-2.0-only
// The integer types of core/base.h, bit by bit, as for the window rules.
#ifndef PENSTOCK_TESTS_PROVE_GATEWAY_INTEGERS_H
#define PENSTOCK_TESTS_PROVE_GATEWAY_INTEGERS_H

#include "../memory.h"

#include "../c_types.h"

#endif
