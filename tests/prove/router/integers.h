// SPDX-License-Identifier: GPL-2.0-only
// The integer types of core/base.h, as for laws.
#ifndef PENSTOCK_TESTS_PROVE_ROUTER_INTEGERS_H
#define PENSTOCK_TESTS_PROVE_ROUTER_INTEGERS_H

#include "../law/integers.h"

#endif
