// SPDX-License-Identifier: GPL-2.0-only
// The integer types of core/ over whole.h. As in ../symbolic.h, every operation claims that no
// signed operation and no 64-bit sum, difference or product overflows, and no divisor is zero.
#ifndef PENSTOCK_TESTS_PROVE_LAW_NUMBER_H
#define PENSTOCK_TESTS_PROVE_LAW_NUMBER_H

#include "../types.h"
#include "whole.h"

namespace prove {

constexpr Logic LOGIC = Logic::WHOLE_NUMBERS;

template <unsigned bits, bool is_signed>
constexpr Wide LEAST = is_signed ? -(Wide(1) << (bits - 1)) : Wide(0);
template <unsigned bits, bool is_signed>
constexpr Wide MOST = (Wide(1) << (is_signed ? bits - 1 : bits)) - 1;

inline void no_wrap(const Whole& value, Wide low, Wide high, const char* what) {
  if (value.low < low || value.high > high) {
    Explorer::now().claim(value.term() >= literal(low) && value.term() <= literal(high), what);
  }
}

template <unsigned bits, bool is_signed>
class Int : public Assigns<Int<bits, is_signed>> {
 public:
  Int() = default;
  template <Native T>
  Int(T value) : Int(Int::wrapped(constant(static_cast<Wide>(value)))) {}
  template <unsigned n, bool s>
  Int(const Int<n, s>& other) : Int(Int::wrapped(other.whole())) {}
  Int(const Bool& truth) : Int(Int::exactly(one_of(truth.term(), constant(1), constant(0)))) {}

  static Int any(const char* name) { return exactly(between(LOW, HIGH, name)); }
  static Int up_to(const char* name, Wide high) { return exactly(between(LOW, high, name)); }
  static Int exactly(const Whole& value) {
    Int made;
    made.value_ = value;
    return made;
  }
  // The result of an operation that must fit.
  static Int fitting(Whole value, const char* what) {
    no_wrap(value, LOW, HIGH, what);
    value.low = std::max(value.low, LOW);
    value.high = std::min(value.high, HIGH);
    return exactly(value);
  }
  // Of one that may wrap: then it is any number.
  static Int wrapped(const Whole& value) {
    if (value.is_constant()) {
      const Wide turn = Wide(1) << bits;
      const Wide rest = ((value.low - LOW) % turn + turn) % turn;
      return exactly(constant(rest + LOW));
    }
    if (value.low >= LOW && value.high <= HIGH) {
      return exactly(value);
    }
    if (surely(value.term() >= literal(LOW) && value.term() <= literal(HIGH))) {
      return fitting(value, "");
    }
    return any("wrapped");
  }

  const Whole& whole() const { return value_; }
  Bool operator!() const { return *this == 0; }
  explicit operator bool() const { return static_cast<bool>(*this != 0); }
  // Forks into all values that it has.
  template <typename E>
    requires std::is_enum_v<E>
  explicit operator E() const {
    int value = static_cast<int>(value_.low);
    while (value < value_.high && !static_cast<bool>(*this == value)) {
      ++value;
    }
    return static_cast<E>(value);
  }

  template <Integer T>
  Int& operator+=(const T& other) {
    return *this = Int(*this + other);
  }

 private:
  static constexpr Wide LOW = LEAST<bits, is_signed>;
  static constexpr Wide HIGH = MOST<bits, is_signed>;
  Whole value_;
};

template <typename A, typename B>
struct Pair {
  using Type = Common<A, B>;
  Whole a, b;
  Pair(const A& left, const B& right)
      : a(Type(Promoted<A>(left)).whole()), b(Type(Promoted<B>(right)).whole()) {}
  static Type result(const Whole& value, const char* what) {
    if constexpr (Traits<Type>::is_signed || Traits<Type>::bits == 64) {
      return Type::fitting(value, what);
    } else {
      return Type::wrapped(value);
    }
  }
};

#define PROVE_ARITHMETIC(op, function, what)        \
  template <typename A, typename B>                 \
    requires Operands<A, B>                         \
  auto operator op(const A& left, const B& right) { \
    const Pair<A, B> p(left, right);                \
    return p.result(function(p.a, p.b), what);      \
  }
PROVE_ARITHMETIC(+, plus, "a sum overflows")
PROVE_ARITHMETIC(-, minus, "a difference overflows")
PROVE_ARITHMETIC(*, product, "a product overflows")
#undef PROVE_ARITHMETIC

template <unsigned bits, bool is_signed>
auto operator+(const Int<bits, is_signed>& number, const Bool& truth) {
  return number + Int<32, true>(truth);
}

template <typename A, typename B>
  requires Operands<A, B>
auto operator/(const A& left, const B& right) {
  const Pair<A, B> p(left, right);
  static_assert(!Traits<Common<A, B>>::is_signed, "core/ divides no signed numbers");
  no_wrap(p.b, 1, MOST<64, false>, "a divisor is zero");
  return Common<A, B>::exactly(quotient(p.a, p.b));
}

template <typename A, typename B>
  requires Operands<A, B>
auto operator%(const A& left, const B& right) {
  const Pair<A, B> p(left, right);
  no_wrap(p.b, 1, MOST<64, false>, "a divisor is zero");
  if (p.b.is_constant()) {
    return Common<A, B>::exactly(remainder(p.a, p.b.low));
  }
  const Whole r = between(0, std::min(p.a.high, p.b.high - 1));
  given(r.term() < p.b.term() && r.term() <= p.a.term());
  return Common<A, B>::exactly(r);
}

template <typename A, typename B>
  requires Operands<A, B>
auto operator&(const A& left, const B& right) {
  const Pair<A, B> p(left, right);
  using Type = Common<A, B>;
  const Whole& mask = p.b;
  if (mask.is_constant() && ((mask.low + 1) & mask.low) == 0) {
    return Type::exactly(remainder(p.a, mask.low + 1));
  }
  const Whole r = between(0, std::min(p.a.high, p.b.high));
  if (p.a.low >= 0 && p.b.low >= 0) {
    given(r.term() <= p.a.term() && r.term() <= p.b.term());
  }
  return Type::exactly(r);
}

template <typename A, typename B>
  requires Operands<A, B>
auto operator|(const A& left, const B& right) {
  const Pair<A, B> p(left, right);
  const Whole r = between(std::max(p.a.low, p.b.low), p.a.high + p.b.high);
  given(r.term() >= p.a.term() && r.term() >= p.b.term());
  given(r.term() <= p.a.term() + p.b.term());
  return Common<A, B>::wrapped(r);
}

template <typename A, typename B>
  requires Operands<A, B>
auto operator^(const A&, const B&) {
  return Common<A, B>::any("xor");
}

// Forks into the few values that @value has.
inline Wide known(const Whole& value, const char* what) {
  constexpr Wide MOST = 16;
  if (value.high - value.low > MOST) {
    throw Refuted(what);
  }
  Wide known = value.low;
  while (known < value.high && !static_cast<bool>(Bool(value.term() == literal(known)))) {
    ++known;
  }
  return known;
}

inline Wide power(const Whole& by) {
  const Wide places = known(by, "a shift by an unknown number");
  if (places < 0 || places > 63) {
    throw Refuted("a shift is too wide");
  }
  return Wide(1) << static_cast<int>(places);
}

template <typename A, typename B>
  requires Operands<A, B>
auto operator<<(const A& left, const B& right) {
  using Type = Promoted<A>;
  const Whole by = constant(power(Promoted<B>(right).whole()));
  return Pair<Type, Type>::result(product(Type(left).whole(), by), "a shift overflows");
}

template <typename A, typename B>
  requires Operands<A, B>
auto operator>>(const A& left, const B& right) {
  using Type = Promoted<A>;
  const Whole a = Type(left).whole();
  const Wide by = power(Promoted<B>(right).whole());
  return Type::exactly(a.low < 0 ? rounded_down(a, by) : quotient(a, constant(by)));
}

#define PROVE_ORDER(op)                             \
  template <typename A, typename B>                 \
    requires Operands<A, B>                         \
  Bool operator op(const A& left, const B& right) { \
    const Pair<A, B> p(left, right);                \
    return Bool(p.a.term() op p.b.term());          \
  }
PROVE_ORDER(<)
PROVE_ORDER(<=)
PROVE_ORDER(>)
PROVE_ORDER(>=)
PROVE_ORDER(==)
PROVE_ORDER(!=)
#undef PROVE_ORDER

// A place in an array, which has to be one of few.
template <typename T, unsigned bits>
T* operator+(T* array, const Int<bits, false>& place) {
  return array + static_cast<std::ptrdiff_t>(known(place.whole(), "an unknown place in an array"));
}

inline Bool implies(const Bool& a, const Bool& b) { return !a || b; }

template <typename A, typename B>
  requires Operands<A, B>
auto choose(const Bool& truth, const A& left, const B& right) {
  const Pair<A, B> p(left, right);
  return Pair<A, B>::Type::exactly(one_of(truth.term(), p.a, p.b));
}

inline void assume(const Bool& claim) { Explorer::now().assume(claim.term()); }
inline void holds(const Bool& claim, const char* what) {
  Explorer::now().claim(claim.term(), what);
}

}  // namespace prove

#endif
