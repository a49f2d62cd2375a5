// SPDX-License-Identifier: GPL-2.0-only
// PROOF(name) { body } registers a proof; main() runs all of them, or those whose names are given.
#ifndef PENSTOCK_TESTS_PROVE_PROOF_H
#define PENSTOCK_TESTS_PROVE_PROOF_H

#include <functional>

#include "explorer.h"

namespace prove {

struct Registration {
  Registration(const char* name, Logic logic, std::function<void()> body);
};

}  // namespace prove

#define PROOF(name)                                                                      \
  static void proof_##name();                                                            \
  static const prove::Registration registered_##name(#name, prove::LOGIC, proof_##name); \
  static void proof_##name()

#endif
