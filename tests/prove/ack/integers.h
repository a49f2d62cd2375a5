// SPDX-License-Identifier: GPL-2.0-only
// The integer types of core/base.h, as for gateways.
#ifndef PENSTOCK_TESTS_PROVE_ACK_INTEGERS_H
#define PENSTOCK_TESTS_PROVE_ACK_INTEGERS_H

#include "../gateway/integers.h"

#endif
