// SPDX-License-Identifier: GPL-2.0-only
// PROOF(name) { body } registers a proof; main() runs all of them, or those whose names are given.
// LONG_PROOF: one that takes more than 10 s and is no rule of docs/rules.md, which `make test`
// leaves to `make nightly`.
#ifndef PENSTOCK_TESTS_PROVE_PROOF_H
#define PENSTOCK_TESTS_PROVE_PROOF_H

#include <functional>

#include "explorer.h"

namespace prove {

enum class Length { SHORT, LONG };

struct Registration {
  Registration(const char* name, Logic logic, Length length, std::function<void()> body);
};

}  // namespace prove

#define PST_REGISTER(name, length)                                                               \
  static void proof_##name();                                                                    \
  static const prove::Registration registered_##name(#name, prove::LOGIC, prove::Length::length, \
                                                     proof_##name);                              \
  static void proof_##name()
#define PROOF(name) PST_REGISTER(name, SHORT)
#define LONG_PROOF(name) PST_REGISTER(name, LONG)

#endif
