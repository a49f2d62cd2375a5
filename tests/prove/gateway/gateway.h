// SPDX-License-Identifier: GPL-2.0-only
// Any gateway, and any of its flows: what core/gateway/ composes stands here as anything that
// satisfies what is proved of it elsewhere.
#ifndef PENSTOCK_TESTS_PROVE_GATEWAY_GATEWAY_H
#define PENSTOCK_TESTS_PROVE_GATEWAY_GATEWAY_H

#include "integers.h"

#define pst_mul_div pst_mul_div_of_core
#define pst_bytes_in pst_bytes_in_of_core
#include "base.h"
#undef pst_mul_div
#undef pst_bytes_in

static inline u64 pst_mul_div(u64, u64, u64) { return u64::any("a quotient"); }
static inline u64 pst_bytes_in(u64, u64) { return u64::any("bytes"); }

#include "../flow.h"

// Memory that is cleared begins again as values.
namespace prove {
template <typename T>
void clear(T* object, int, unsigned long) {
  *object = T{};
}
}  // namespace prove
#define __builtin_memset prove::clear

// Of its cells, core/queue/queue.h has a pointer alone.
#define PENSTOCK_CORE_FLOW_FAIR_TABLE_H
struct pst_fair_table;
#include "queue/queue.h"

#include "methods.h"

#define PST_STAGES "../gateway/stages.h"
#include "gateway/state.h"

#endif
