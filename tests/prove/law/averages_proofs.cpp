// SPDX-License-Identifier: GPL-2.0-only
// What facts.h takes as given of core/math/average.h.
#include "facts.h"

#include "../proof.h"

using namespace prove;

PROOF(a_ratio_of_a_number_is_no_more_than_it) {
  const u64 v = u64::any("v");
  const u64 ratio_q32 = u64::up_to("ratio_q32", PST_Q32_ONE);
  holds(pst_mul_q32_of_core(v, ratio_q32) <= v, "a part of it");
}

PROOF(an_average_is_between_the_last_and_the_sample) {
  const u64 avg_q16 = u64::up_to("avg_q16", 1ULL << 56);
  const u64 x = u64::up_to("x", PST_MAX_BYTES - 1);
  const u64 average = pst_average_q16_of_core(avg_q16, x, u64::up_to("weight", PST_Q32_ONE));
  holds(average >= pst_min(avg_q16, x << 16) && average <= pst_max(avg_q16, x << 16), "between");
}
