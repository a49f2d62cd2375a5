// SPDX-License-Identifier: GPL-2.0-only
// Truth values that stand for both, and what type an operation on integers has.
#ifndef PENSTOCK_TESTS_PROVE_TYPES_H
#define PENSTOCK_TESTS_PROVE_TYPES_H

#include <cstdint>
#include <type_traits>
#include <utility>

#include "explorer.h"

namespace prove {

template <unsigned bits, bool is_signed>
class Int;

// A truth value; as a condition it forks.
class Bool {
 public:
  Bool() = default;
  Bool(bool value) : value_(value) {}
  template <unsigned bits, bool is_signed>
  Bool(const Int<bits, is_signed>& value) : Bool(value != 0) {}
  explicit Bool(const z3::expr& term) {
    const z3::expr simple = term.simplify();
    if (simple.is_true() || simple.is_false()) {
      value_ = simple.is_true();
    } else {
      term_ = simple;
    }
  }
  static Bool any(const char* name) { return Bool(Explorer::now().fresh_truth(name)); }

  explicit operator bool() const { return term_ ? Explorer::now().decide(*term_) : value_; }

  z3::expr term() const { return term_ ? *term_ : Explorer::now().context().bool_val(value_); }

  // Both sides are evaluated, as no condition of core/ has an effect: that saves a fork.
  friend Bool operator&&(const Bool& a, const Bool& b) { return Bool(a.term() && b.term()); }
  friend Bool operator||(const Bool& a, const Bool& b) { return Bool(a.term() || b.term()); }
  friend Bool operator&&(const Bool& a, bool b) { return a && Bool(b); }
  friend Bool operator&&(bool a, const Bool& b) { return Bool(a) && b; }
  friend Bool operator||(const Bool& a, bool b) { return a || Bool(b); }
  friend Bool operator||(bool a, const Bool& b) { return Bool(a) || b; }
  Bool& operator|=(const Bool& other) { return *this = *this || other; }
  friend Bool operator!(const Bool& a) { return Bool(!a.term()); }
  friend Bool operator==(const Bool& a, const Bool& b) { return Bool(a.term() == b.term()); }
  friend Bool operator!=(const Bool& a, const Bool& b) { return Bool(a.term() != b.term()); }

 private:
  bool value_ = false;
  std::optional<z3::expr> term_;
};

template <typename T>
struct Traits {
  static constexpr bool is_int = std::is_integral_v<T> || std::is_enum_v<T>;
  static constexpr unsigned bits = sizeof(T) * 8;
  static constexpr bool is_signed = [] {
    if constexpr (std::is_enum_v<T>) {
      return std::is_signed_v<std::underlying_type_t<T>>;
    } else {
      return std::is_signed_v<T>;
    }
  }();
  static constexpr bool is_native = true;
};
template <unsigned n, bool s>
struct Traits<Int<n, s>> {
  static constexpr bool is_int = true;
  static constexpr unsigned bits = n;
  static constexpr bool is_signed = s;
  static constexpr bool is_native = false;
};

template <typename T>
concept Integer = Traits<T>::is_int;
template <typename T>
concept Native = Integer<T> && Traits<T>::is_native;

template <typename T>
using Promoted = std::conditional_t<(Traits<T>::bits < 32), Int<32, true>,
                                    Int<Traits<T>::bits, Traits<T>::is_signed>>;
template <typename A, typename B>
using Common =
    Int<(Traits<Promoted<A>>::bits > Traits<Promoted<B>>::bits ? Traits<Promoted<A>>::bits
                                                               : Traits<Promoted<B>>::bits),
        (Traits<Promoted<A>>::bits == Traits<Promoted<B>>::bits
             ? Traits<Promoted<A>>::is_signed && Traits<Promoted<B>>::is_signed
             : (Traits<Promoted<A>>::bits > Traits<Promoted<B>>::bits
                    ? Traits<Promoted<A>>::is_signed
                    : Traits<Promoted<B>>::is_signed))>;
// An operator of core/: at least one side is symbolic.
template <typename A, typename B>
concept Operands = Integer<A> && Integer<B> && !(Native<A> && Native<B>);

// Assignments of an integer: the operation, whose result is brought back to its own type.
template <typename Self>
class Assigns {
 public:
  template <Integer T>
  Self& operator-=(const T& other) {
    return self() = Self(self() - other);
  }
  template <Integer T>
  Self& operator*=(const T& other) {
    return self() = Self(self() * other);
  }
  template <Integer T>
  Self& operator/=(const T& other) {
    return self() = Self(self() / other);
  }
  template <Integer T>
  Self& operator|=(const T& other) {
    return self() = Self(self() | other);
  }
  template <Integer T>
  Self& operator&=(const T& other) {
    return self() = Self(self() & other);
  }
  template <Integer T>
  Self& operator^=(const T& other) {
    return self() = Self(self() ^ other);
  }
  template <Integer T>
  Self& operator>>=(const T& other) {
    return self() = Self(self() >> other);
  }
  Self& operator++() { return self() += 1; }
  Self operator++(int) { return std::exchange(self(), Self(self() + 1)); }
  Self operator--(int) { return std::exchange(self(), Self(self() - 1)); }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace prove

#endif
