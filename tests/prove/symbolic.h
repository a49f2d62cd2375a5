// SPDX-License-Identifier: GPL-2.0-only
// Integers that stand for all values at once. The headers of core/ compile with them in place of
// u8 to s64 and bool, and so run on every input: a branch on a symbolic value forks the run.
//
// Each path is one execution. It follows a list of decisions, and a new branch asks the solver
// which sides its path condition leaves. Code without loops has finitely many paths, so what
// holds on each of them holds for all inputs.
//
// Arithmetic follows C11: promotion of 6.3.1.1, conversions of 6.3.1.8. It proves as it goes that
// no signed operation, no 64-bit sum or product overflows, no divisor is zero, and no shift is as
// wide as its operand. Sequence numbers wrap by design: 32 bits unsigned may.
#ifndef PENSTOCK_TESTS_PROVE_SYMBOLIC_H
#define PENSTOCK_TESTS_PROVE_SYMBOLIC_H

#include "number.h"

namespace prove {

constexpr Logic LOGIC = Logic::BITS;

// The exponent of a power of 2 of the result's width, if @value is one.
template <typename P, typename T>
std::optional<z3::expr> exponent_of(const T& value) {
  if constexpr (Traits<T>::bits == P::bits && !Native<T>) {
    return value.exponent();
  }
  return std::nullopt;
}

// A value of the result's type from both operands.
template <typename A, typename B>
struct Pair {
  using Type = Common<A, B>;
  static constexpr bool is_signed = Traits<Type>::is_signed;
  static constexpr unsigned bits = Traits<Type>::bits;
  z3::expr a, b;
  Pair(const A& left, const B& right)
      : a(Type(Promoted<A>(left)).term()), b(Type(Promoted<B>(right)).term()) {}
};

inline void never(const z3::expr& bad, const char* what) {
  if (!bad.simplify().is_false()) {
    Explorer::now().claim(!bad, what);
  }
}

// Whether an operation on @bits of this sign may wrap: see the top of this file.
template <typename P>
constexpr bool must_fit = P::is_signed || P::bits == 64;

template <typename A, typename B>
  requires Operands<A, B>
auto operator+(const A& left, const B& right) {
  const Pair<A, B> p(left, right);
  using P = Pair<A, B>;
  if constexpr (must_fit<P>) {
    never(!z3::bvadd_no_overflow(p.a, p.b, P::is_signed), "a sum overflows");
  }
  if constexpr (P::is_signed) {
    never(!z3::bvadd_no_underflow(p.a, p.b), "a sum underflows");
  }
  return P::Type::of(p.a + p.b);
}

template <typename A, typename B>
  requires Operands<A, B>
auto operator-(const A& left, const B& right) {
  const Pair<A, B> p(left, right);
  using P = Pair<A, B>;
  if constexpr (P::is_signed) {
    never(!z3::bvsub_no_overflow(p.a, p.b), "a difference overflows");
  }
  if constexpr (must_fit<P>) {
    never(!z3::bvsub_no_underflow(p.a, p.b, P::is_signed), "a difference underflows");
  }
  return P::Type::of(p.a - p.b);
}

template <typename A, typename B>
  requires Operands<A, B>
auto operator*(const A& left, const B& right) {
  const Pair<A, B> p(left, right);
  using P = Pair<A, B>;
  if (const auto by = exponent_of<P>(right)) {
    const z3::expr product = z3::shl(p.a, *by);
    never(z3::lshr(product, *by) != p.a, "a product overflows");
    return P::Type::of(product);
  }
  if constexpr (must_fit<P>) {
    never(!z3::bvmul_no_overflow(p.a, p.b, P::is_signed), "a product overflows");
  }
  if constexpr (P::is_signed) {
    never(!z3::bvmul_no_underflow(p.a, p.b), "a product underflows");
  }
  return P::Type::of(p.a * p.b);
}

template <typename A, typename B>
  requires Operands<A, B>
auto operator/(const A& left, const B& right) {
  const Pair<A, B> p(left, right);
  static_assert(!Pair<A, B>::is_signed, "core/ divides no signed numbers");
  if (const auto by = exponent_of<Pair<A, B>>(right)) {
    return Pair<A, B>::Type::of(z3::lshr(p.a, *by));
  }
  never(p.b == 0, "a divisor is zero");
  return Pair<A, B>::Type::of(z3::udiv(p.a, p.b));
}

template <typename A, typename B>
  requires Operands<A, B>
auto operator%(const A& left, const B& right) {
  const Pair<A, B> p(left, right);
  never(p.b == 0, "a divisor is zero");
  static_assert(!Pair<A, B>::is_signed, "core/ divides no signed numbers");
  return Pair<A, B>::Type::of(z3::urem(p.a, p.b));
}

#define PROVE_BITWISE(op)                           \
  template <typename A, typename B>                 \
    requires Operands<A, B>                         \
  auto operator op(const A& left, const B& right) { \
    const Pair<A, B> p(left, right);                \
    return Pair<A, B>::Type::of(p.a op p.b);        \
  }
PROVE_BITWISE(&)
PROVE_BITWISE(|)
PROVE_BITWISE(^)
#undef PROVE_BITWISE

template <unsigned bits, bool is_signed>
auto operator~(const Int<bits, is_signed>& value) {
  using Type = Promoted<Int<bits, is_signed>>;
  return Type::of(~Type(value).term());
}

// A shift has the type of its promoted left side (C11 6.5.7).
template <typename A, typename B>
struct Shift {
  using Type = Promoted<A>;
  z3::expr a, by;
  Shift(const A& left, const B& right) : a(Type(left).term()), by(Type(Promoted<B>(right)).term()) {
    never(z3::uge(by, static_cast<int>(Traits<Type>::bits)), "a shift is too wide");
  }
};

template <typename A, typename B>
  requires Operands<A, B>
auto operator<<(const A& left, const B& right) {
  const Shift<A, B> s(left, right);
  using Type = typename Shift<A, B>::Type;
  const z3::expr shifted = z3::shl(s.a, s.by);
  if constexpr (Traits<Type>::is_signed) {
    never(z3::ashr(shifted, s.by) != s.a, "a signed shift overflows");
  }
  if (s.a.simplify().is_numeral() && s.a.simplify().get_numeral_uint64() == 1) {
    return Type::power(shifted, s.by);
  }
  return Type::of(shifted);
}

template <typename A, typename B>
  requires Operands<A, B>
auto operator>>(const A& left, const B& right) {
  const Shift<A, B> s(left, right);
  using Type = typename Shift<A, B>::Type;
  return Type::of(Traits<Type>::is_signed ? z3::ashr(s.a, s.by) : z3::lshr(s.a, s.by));
}

#define PROVE_ORDER(op, unsigned_form)                                             \
  template <typename A, typename B>                                                \
    requires Operands<A, B>                                                        \
  Bool operator op(const A& left, const B& right) {                                \
    const Pair<A, B> p(left, right);                                               \
    return Bool(Pair<A, B>::is_signed ? p.a op p.b : z3::unsigned_form(p.a, p.b)); \
  }
PROVE_ORDER(<, ult)
PROVE_ORDER(<=, ule)
PROVE_ORDER(>, ugt)
PROVE_ORDER(>=, uge)
#undef PROVE_ORDER

template <typename A, typename B>
  requires Operands<A, B>
Bool operator==(const A& left, const B& right) {
  const Pair<A, B> p(left, right);
  return Bool(p.a == p.b);
}

template <typename A, typename B>
  requires Operands<A, B>
Bool operator!=(const A& left, const B& right) {
  const Pair<A, B> p(left, right);
  return Bool(p.a != p.b);
}

// What a proof says of its inputs and results.
inline Bool implies(const Bool& a, const Bool& b) { return !a || b; }

// One of both, without a fork: what PST_CHOOSE is for proofs.
template <typename A, typename B>
  requires Operands<A, B>
auto choose(const Bool& truth, const A& left, const B& right) {
  const Pair<A, B> p(left, right);
  return Pair<A, B>::Type::of(z3::ite(truth.term(), p.a, p.b));
}

inline void assume(const Bool& claim) { Explorer::now().assume(claim.term()); }
inline void holds(const Bool& claim, const char* what) {
  Explorer::now().claim(claim.term(), what);
}

}  // namespace prove

#endif
