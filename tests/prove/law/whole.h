// SPDX-License-Identifier: GPL-2.0-only
// Numbers for proofs about laws, which multiply and divide 64-bit numbers: too much for a solver
// that knows bits. These are whole numbers in linear arithmetic, each with a range.
//
// A product or quotient of two unknowns is any number that satisfies linear facts about it
// (McCormick's inequalities, bounds by ranges, and ratios of powers of 2). All true values satisfy
// these, and others as well: what is proved holds, but a true claim may be refuted.
#ifndef PENSTOCK_TESTS_PROVE_LAW_WHOLE_H
#define PENSTOCK_TESTS_PROVE_LAW_WHOLE_H

#include <algorithm>
#include <array>
#include <memory>

#include "../explorer.h"

namespace prove {

using Wide = __int128;
constexpr Wide WIDEST = Wide(1) << 126;

inline std::string decimal(Wide value) {
  if (value < 0) {
    return "-" + decimal(-value);
  }
  const std::string last(1, static_cast<char>('0' + static_cast<int>(value % 10)));
  return value < 10 ? last : decimal(value / 10) + last;
}

inline z3::expr literal(Wide value) {
  return Explorer::now().context().int_val(decimal(value).c_str());
}

// Of a quotient: what was divided, by what, and what was added since.
struct Division;

struct Whole {
  std::optional<z3::expr> unknown;
  Wide low = 0, high = 0;
  std::shared_ptr<const Division> division = nullptr;

  bool is_constant() const { return low == high; }
  z3::expr term() const { return is_constant() ? literal(low) : *unknown; }
};

struct Division {
  Whole dividend, divisor;
  Wide added;
};

inline Whole constant(Wide value) { return {std::nullopt, value, value}; }

// Any number in a range.
inline Whole between(Wide low, Wide high, const char* name = nullptr) {
  if (low >= high) {
    return constant(low);
  }
  Explorer& now = Explorer::now();
  const z3::expr term = now.fresh_number(name);
  now.given(term >= literal(low) && term <= literal(high));
  return {term, low, high};
}

inline void given(const z3::expr& fact) { Explorer::now().given(fact); }
inline bool surely(const z3::expr& claim) { return Explorer::now().surely(claim); }

inline Wide times(Wide a, Wide b) {
  Wide product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > WIDEST || product < -WIDEST) {
    throw Refuted("a product is too large to speak of");
  }
  return product;
}

inline Whole plus(const Whole& a, const Whole& b) {
  Whole sum = {a.term() + b.term(), a.low + b.low, a.high + b.high};
  if (a.division && b.is_constant()) {
    sum.division = std::make_shared<const Division>(
        Division{a.division->dividend, a.division->divisor, a.division->added + b.low});
  }
  return sum;
}

// Of two quotients by the same number, that of more is no less.
inline Whole minus(const Whole& a, const Whole& b) {
  if (a.division && b.division && a.division->added == b.division->added &&
      z3::eq(a.division->divisor.term(), b.division->divisor.term())) {
    given(z3::implies(a.division->dividend.term() >= b.division->dividend.term(),
                      a.term() >= b.term()));
  }
  return {a.term() - b.term(), a.low - b.high, a.high - b.low};
}

// @value, known to be 1 or more if that follows.
inline Whole above_zero(Whole value) {
  if (value.low == 0 && value.high > 1 && surely(value.term() >= 1)) {
    value.low = 1;
  }
  return value;
}

// (floor(n / d) + k) * d lies above n - d + k * d, and not above n + k * d.
inline Whole multiplied_back(const Division& by) {
  const Wide most = by.added * by.divisor.high;
  const Whole p = between(0, by.dividend.high + most);
  const z3::expr added = literal(by.added) * by.divisor.term();
  given(p.term() <= by.dividend.term() + added);
  given(p.term() > by.dividend.term() + added - by.divisor.term());
  return p;
}

// McCormick (1976): the corners of both ranges bound the product.
inline Whole product(const Whole& left, const Whole& right) {
  if (left.division && z3::eq(left.division->divisor.term(), right.term())) {
    return multiplied_back(*left.division);
  }
  const Whole a = above_zero(left);
  const Whole b = above_zero(right);
  const std::array corners = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                              times(a.high, b.high)};
  const auto [low, high] = std::ranges::minmax(corners);
  if (a.is_constant() || b.is_constant()) {
    return {a.term() * b.term(), low, high};
  }
  const Whole p = between(low, high);
  const auto plane = [&](Wide x, Wide y) {
    return literal(x) * b.term() + literal(y) * a.term() - literal(times(x, y));
  };
  given(p.term() >= plane(a.low, b.low) && p.term() >= plane(a.high, b.high));
  given(p.term() <= plane(a.high, b.low) && p.term() <= plane(a.low, b.high));
  return p;
}

// The least power of 2 that @a / @b surely does not exceed.
inline Wide ratio(const Whole& a, const Whole& b) {
  int low = 0;
  int high = 64;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (surely(a.term() <= literal(Wide(1) << middle) * b.term())) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return Wide(1) << low;
}

// @a / @b of numbers that are not negative, @b > 0.
inline Whole quotient(const Whole& a, const Whole& b) {
  const Wide least = std::max<Wide>(b.low, 1);
  Wide high = a.high / least;
  if (!b.is_constant() && high > 1) {
    high = std::min(high, ratio(a, b));
  }
  Whole q = between(a.low / b.high, high);
  given(literal(least) * q.term() <= a.term());
  given(a.term() <= literal(b.high) * q.term() + literal(b.high - 1));
  if (!b.is_constant()) {
    q.division = std::make_shared<const Division>(Division{a, b, 0});
  }
  return q;
}

// @a / @by, rounded down as an arithmetic shift does.
inline Whole rounded_down(const Whole& a, Wide by) {
  const Whole q = between(a.low / by - 1, a.high / by + 1);
  given(literal(by) * q.term() <= a.term());
  given(a.term() <= literal(by) * q.term() + literal(by - 1));
  return q;
}

inline Whole remainder(const Whole& a, Wide by) {
  if (a.low >= 0 && a.high < by) {
    return a;
  }
  const Whole q = between(a.low / by, a.high / by);
  const Whole r = between(0, by - 1);
  given(a.term() == literal(by) * q.term() + r.term());
  return r;
}

// One of both, with the range that the choice leaves: a minimum is at most either.
inline Whole one_of(const z3::expr& truth, const Whole& a, const Whole& b) {
  Whole r = between(std::min(a.low, b.low), std::max(a.high, b.high));
  if (r.is_constant()) {
    return r;
  }
  given(r.term() == z3::ite(truth, a.term(), b.term()));
  const Wide high = std::min(a.high, b.high);
  const Wide low = std::max(a.low, b.low);
  if (high < r.high && surely(r.term() <= literal(high))) {
    r.high = high;
  }
  if (low > r.low && low <= r.high && surely(r.term() >= literal(low))) {
    r.low = low;
  }
  return r;
}

}  // namespace prove

#endif
