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
  const u64 x = u64::up_to("x", PST_MAX_BYTES);
  const u64 average = pst_average_q16_of_core(avg_q16, x, u64::up_to("weight", PST_Q32_ONE));
  holds(average >= pst_min(avg_q16, x << 16) && average <= pst_max(avg_q16, x << 16), "between");
}

// A step of pst_power_q32(): the result times the ratio or 1, and the ratio's square.
PROOF(a_step_of_a_power_keeps_ratios_at_most_1) {
  const u64 ratio_q32 = u64::up_to("ratio_q32", PST_Q32_ONE);
  const u64 result_q32 = u64::up_to("result_q32", PST_Q32_ONE);
  const u64 bit = u64::up_to("bit", 1);
  const u64 factor_q32 = bit * ratio_q32 + (1 - bit) * PST_Q32_ONE;
  holds(pst_mul_q32(result_q32, factor_q32) <= PST_Q32_ONE, "the result");
  holds(pst_mul_q32(ratio_q32, ratio_q32) <= PST_Q32_ONE, "the ratio");
}
