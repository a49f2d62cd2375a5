// SPDX-License-Identifier: GPL-2.0-only
// What the laws' proofs take as given of core/base.h and core/math/, in place of its bit
// arithmetic: the exact result as a number. A call outside of what the function allows is refuted.
#ifndef PENSTOCK_TESTS_PROVE_LAW_FACTS_H
#define PENSTOCK_TESTS_PROVE_LAW_FACTS_H

#include "integers.h"

#define pst_sub_floor pst_sub_floor_of_core
#define pst_mul_div pst_mul_div_of_core
#define pst_bytes_in pst_bytes_in_of_core
#define pst_wrapping_add pst_wrapping_add_of_core
#define pst_wrapping_sub pst_wrapping_sub_of_core
#include "base.h"
#undef pst_sub_floor
#undef pst_mul_div
#undef pst_bytes_in
#undef pst_wrapping_add
#undef pst_wrapping_sub

namespace prove {

constexpr unsigned long long MOST_PACKET_BYTES = 65575;  // an IPv6 packet with its header

inline u64 max_of_difference(const u64& a, const u64& b) {
  Whole difference = one_of((a > b).term(), minus(a.whole(), b.whole()), constant(0));
  difference.low = std::max<Wide>(difference.low, 0);
  difference.high = std::min(difference.high, a.whole().high);
  return u64::exactly(difference);
}

// @value, less than a turn of 2^64 outside of 64 bits, as they hold it.
inline u64 modulo(const Whole& value) {
  const Wide turn = Wide(1) << 64;
  const Whole over = one_of(value.term() >= literal(turn), minus(value, constant(turn)), value);
  Whole r = one_of(over.term() < 0, plus(over, constant(turn)), over);
  r.low = std::max<Wide>(r.low, 0);
  r.high = std::min<Wide>(r.high, turn - 1);
  return u64::exactly(r);
}

}  // namespace prove

// Modulo 2^64, exactly.
static inline u64 pst_wrapping_add(u64 a, u64 b) {
  return prove::modulo(prove::plus(a.whole(), b.whole()));
}

static inline u64 pst_wrapping_sub(u64 a, u64 b) {
  return prove::modulo(prove::minus(a.whole(), b.whole()));
}

static inline u64 pst_sub_floor(u64 a, u64 b) { return prove::max_of_difference(a, b); }

// floor(a * b / c), which disciplines may ask for with no divisor, c = 0. By hand, of base.h: with
// a = h * 2^20 + l, h * b = w * c + r and r * 2^20 + l * b = v * c + t, a * b = (w * 2^20 + v) * c
// + t, where r, t < c. With these bounds h * b and r * 2^20 + l * b are below 2^64.
static inline u64 pst_mul_div(u64 a, u64 b, u64 c) {
  using namespace prove;
  holds((a <= PST_MAX_BYTES && b <= 2 * PST_MAX_BYTES) ||
            (a < PST_MAX_BYTES << 4 && b <= PST_MAX_BYTES),
        "pst_mul_div() fits its factors");
#ifdef PENSTOCK_PROVE_ZERO_DIVISOR
  if (c == 0) {
    return 0;
  }
#endif
  holds(c >= 1 && c <= 4 * PST_MAX_BYTES, "pst_mul_div() fits its divisor");
  const Whole q = quotient(product(a.whole(), b.whole()), c.whole());
  given(z3::implies((b <= c).term(), q.term() <= a.whole().term()));
  given(z3::implies((b <= 2 * c).term(), q.term() <= 2 * a.whole().term()));
  given(z3::implies((a <= c).term(), q.term() <= b.whole().term()));
  given(z3::implies((a < c && b >= 1).term(), q.term() < b.whole().term()));
  given(z3::implies((b >= c).term(), q.term() >= a.whole().term()));
  const Wide half = Wide(1) << 63;
  if (q.high < half) {
    return u64::exactly(q);
  }
  return u64::exactly(one_of(q.term() >= literal(half), between(half, 2 * half - 1), q));
}

static inline u64 pst_bytes_in(u64 bytes_per_s, u64 ns) {
  using namespace prove;
  holds(bytes_per_s <= PST_MAX_BYTES && ns <= PST_MAX_BYTES, "pst_bytes_in() fits its factors");
  return u64::exactly(quotient(product(bytes_per_s.whole(), ns.whole()), constant(PST_NS_PER_S)));
}

#define pst_mul_q32 pst_mul_q32_of_core
#define pst_average_q16 pst_average_q16_of_core
#define pst_power_q32 pst_power_q32_of_core
#include "math/average.h"
#undef pst_mul_q32
#undef pst_average_q16
#undef pst_power_q32

static inline u64 pst_mul_q32(u64 v, u64 ratio_q32) {
  using namespace prove;
  holds(ratio_q32 <= PST_Q32_ONE, "pst_mul_q32() has a ratio of at most 1");
  return u64::exactly(quotient(product(v.whole(), ratio_q32.whole()), constant(PST_Q32_ONE)));
}

// Any number between the average and the sample: averages_proofs.cpp proves it.
static inline u64 pst_average_q16(u64 avg_q16, u64 x, u64 weight_q32) {
  using namespace prove;
  holds(weight_q32 <= PST_Q32_ONE && x <= PST_MAX_BYTES, "a weight, and a sample that fits");
  const Whole low = pst_min(avg_q16, x << 16).whole();
  const Whole high = pst_max(avg_q16, x << 16).whole();
  const Whole r = between(low.low, high.high);
  given(r.term() >= low.term() && r.term() <= high.term());
  return u64::exactly(r);
}

// A product of ratios: averages_proofs.cpp proves each step.
static inline u64 pst_power_q32(u64 ratio_q32, u64 n) {
  prove::holds(ratio_q32 <= PST_Q32_ONE && n <= ~0U, "a ratio and an exponent");
  return u64::up_to("power_q32", PST_Q32_ONE);
}

#define pst_sqrt pst_sqrt_of_core
#define pst_sqrt_newton pst_sqrt_newton_of_core
#include "math/sqrt.h"
#undef pst_sqrt
#undef pst_sqrt_newton

// floor(sqrt(v)): a root rises with its number.
static inline u64 pst_sqrt(u64 v) {
  using namespace prove;
  return u64::exactly(between(surely((v >= PST_Q32_ONE).term()) ? PST_Q16_ONE : 0, ~0U));
}

static inline u64 pst_sqrt_newton(u64 v) {
  prove::holds(v >= 1 && v <= PST_MAX_BYTES, "a number that has a root");
  return u64::exactly(prove::between(1, (1 << 20) + 1));
}

#define pst_log2_q16 pst_log2_q16_of_core
#define pst_log2_q32 pst_log2_q32_of_core
#include "math/log2.h"
#undef pst_log2_q16
#undef pst_log2_q32

static inline u64 pst_log2_q16(u64 v) {
  using namespace prove;
  holds(v <= ~0U, "a number that has a logarithm");
  const Whole r = between(0, (32ULL << 16) - 1);
  given(z3::implies((v <= PST_Q16_ONE).term(), r.term() <= literal(16ULL << 16)));
  return u64::exactly(r);
}

static inline u64 pst_log2_q32(u64 v) {
  using namespace prove;
  holds(v < 1ULL << 63, "a number that has a logarithm");
  return u64::exactly(between(0, (63ULL << 32) - 1));
}

#endif
