// SPDX-License-Identifier: GPL-2.0-only
// In place of the fuzzy controller of core/math/fuzzy.h, what fewa_proofs.cpp proves of it. The
// controller itself is pst_fuzzy_..._of_core().
#pragma once

#include "inputs.h"

#define pst_fuzzy_fuzzify pst_fuzzy_fuzzify_of_core
#define pst_fuzzy_infer pst_fuzzy_infer_of_core
#include "math/fuzzy.h"
#undef pst_fuzzy_fuzzify
#undef pst_fuzzy_infer

#include "../proof.h"

// Queue over target and growth over limit, in hundredths.
inline constexpr unsigned long long MOST_QUEUE_Q16 = (200ULL << 16) * PST_MAX_PKTS;
inline constexpr unsigned long long MOST_WEIGHT_Q16 = 10 * PST_Q16_ONE;

inline void pst_fuzzy_fuzzify(pst_fuzzy*, u64 queue_q16, u64 growth_q16) {
  prove::holds(queue_q16 <= MOST_QUEUE_Q16 && growth_q16 <= MOST_QUEUE_Q16,
               "inputs that are proved");
}

inline void pst_fuzzy_infer(pst_fuzzy* f) {
#define ANY_WEIGHT(k) f->weights_##k##_q16 = u64::up_to("weights_" #k "_q16", MOST_WEIGHT_Q16);
  ANY_WEIGHT(1) ANY_WEIGHT(2) ANY_WEIGHT(3) ANY_WEIGHT(4) ANY_WEIGHT(5) ANY_WEIGHT(6)
#undef ANY_WEIGHT
}
