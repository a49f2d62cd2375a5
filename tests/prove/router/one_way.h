// SPDX-License-Identifier: GPL-2.0-only
// What one flow says is any wait up to 10 s; that it is no longer, tests/core/one_way_test.cpp
// shows.
#ifndef PENSTOCK_TESTS_PROVE_ROUTER_ONE_WAY_H
#define PENSTOCK_TESTS_PROVE_ROUTER_ONE_WAY_H

#include "../law/inputs.h"

#define PENSTOCK_CORE_FLOW_ONE_WAY_H
#define PST_ONE_WAY_MOST_NS (10 * PST_NS_PER_S)
struct pst_one_way {
  u64 base_ns;
  u32 base_val;
  u8 round, tick, judged;
};

namespace prove {
inline Bool any_take(pst_one_way* o, u32, u32, u64, u64 now_ns, u64*) {
  o->base_ns = u64::up_to("o.base_ns", MOST_NOW_NS);
  assume(o->base_ns <= now_ns);
  assume(now_ns - o->base_ns <= PST_ONE_WAY_MOST_NS);
  return Bool::any("taken");
}
inline u32 any_place(const pst_one_way*) { return u32::any("place"); }
inline u64 any_tick_ns(u32) { return u64::up_to("tick_ns", 10'000'000); }
}  // namespace prove

#define pst_one_way_take prove::any_take
#define pst_one_way_place prove::any_place
#define pst_tick_ns prove::any_tick_ns

#endif
