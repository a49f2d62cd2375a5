// SPDX-License-Identifier: GPL-2.0-only
// Integers that stand for all values, bit by bit.
#ifndef PENSTOCK_TESTS_PROVE_NUMBER_H
#define PENSTOCK_TESTS_PROVE_NUMBER_H

#include "types.h"

namespace prove {

// Gives a byte its value once it is read.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual void read(Int<8, false>& byte) = 0;
};

template <unsigned bits, bool is_signed>
class Int : public Assigns<Int<bits, is_signed>> {
 public:
  Int() = default;
  Int(const Int& other) { *this = other; }
  Int& operator=(const Int& other) {
    other.read();
    value_ = other.value_;
    term_ = other.term_;
    exponent_ = other.exponent_;
    memory_ = nullptr;
    return *this;
  }
  ~Int() = default;
  template <Native T>
  Int(T value) : value_(masked(static_cast<std::uint64_t>(value))) {}
  template <unsigned n, bool s>
  Int(const Int<n, s>& other) {
    if (!other.is_symbolic()) {
      value_ = masked(other.extended());
    } else if constexpr (bits == n) {
      set(other.term());
    } else if constexpr (bits < n) {
      set(other.term().extract(bits - 1, 0));
    } else {
      set(s ? z3::sext(other.term(), bits - n) : z3::zext(other.term(), bits - n));
    }
  }
  Int(const Bool& truth) : Int(Int::of(z3::ite(truth.term(), number(1), number(0)))) {}
  static Int any(const char* name) { return of(Explorer::now().fresh(name, bits)); }
  static Int of(const z3::expr& term) {
    Int made;
    made.set(term);
    return made;
  }

  Bool operator!() const { return *this == 0; }
  explicit operator bool() const { return static_cast<bool>(*this != 0); }

  // 2^exponent, so that products and quotients are shifts, which solvers like better.
  static Int power(const z3::expr& term, const z3::expr& exponent) {
    Int made = of(term);
    made.exponent_ = exponent;
    return made;
  }
  const std::optional<z3::expr>& exponent() const { return exponent_; }

  // Has no value before it is read.
  void lies_in(Memory& memory) { memory_ = &memory; }

  bool is_symbolic() const {
    read();
    return term_.has_value();
  }
  // The value in 64 bits, extended by its own sign.
  std::uint64_t extended() const {
    if constexpr (is_signed && bits < 64) {
      const std::uint64_t sign = 1ULL << (bits - 1);
      return (value_ ^ sign) - sign;
    }
    return value_;
  }
  z3::expr term() const { return is_symbolic() ? *term_ : number(value_); }

  Int& operator+=(const Bool& truth) { return *this += Int(truth); }
  template <Integer T>
  Int& operator+=(const T& other) {
    *this = Int(*this + other);
    if (term_) {
      term_ = Explorer::now().named(*term_);
    }
    return *this;
  }

 private:
  static z3::expr number(std::uint64_t value) {
    return Explorer::now().context().bv_val(static_cast<std::uint64_t>(value), bits);
  }
  static std::uint64_t masked(std::uint64_t value) {
    return bits == 64 ? value : value & ((1ULL << (bits % 64)) - 1);
  }
  void read() const {
    if constexpr (bits == 8 && !is_signed) {
      if (Memory* memory = std::exchange(memory_, nullptr)) {
        // Memory holds no constants.
        memory->read(const_cast<Int&>(*this));
      }
    }
  }
  void set(const z3::expr& term) {
    const z3::expr simple = term.simplify();
    if (simple.is_numeral()) {
      value_ = simple.get_numeral_uint64();
      term_.reset();
    } else {
      term_ = simple;
    }
  }

  std::uint64_t value_ = 0;
  std::optional<z3::expr> term_;
  std::optional<z3::expr> exponent_;
  mutable Memory* memory_ = nullptr;  // where a byte lies that was not read yet
};

}  // namespace prove

#endif
