// SPDX-License-Identifier: GPL-2.0-only
// Runs proofs. A line for each: its name, the paths that it took, or the input that breaks it.
// --list prints their names, and --list-short those of all that are not long.
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "proof.h"

namespace {

struct Proof {
  const char* name;
  prove::Logic logic;
  prove::Length length;
  std::function<void()> body;
};

std::vector<Proof>& proofs() {
  static std::vector<Proof> all;
  return all;
}

bool prove_one(const Proof& proof) {
  try {
    // Never destroyed: numbers of static storage outlive it, and hold terms of its context.
    auto& explorer = *new prove::Explorer(proof.logic);
    const unsigned paths = explorer.explore(proof.body);
    std::printf("proved   %s (%u paths)\n", proof.name, paths);
    return true;
  } catch (const prove::Refuted& why) {
    std::printf("FAILED   %s: %s\n", proof.name, why.what());
    return false;
  }
}

}  // namespace

prove::Registration::Registration(const char* name, Logic logic, Length length,
                                  std::function<void()> body) {
  proofs().push_back({name, logic, length, std::move(body)});
}

int main(int argc, char** argv) {
  const std::vector<std::string_view> wanted(argv + 1, argv + argc);
  if (wanted.size() == 1 && wanted[0].starts_with("--list")) {
    for (const Proof& proof : proofs()) {
      if (wanted[0] == "--list" || proof.length == prove::Length::SHORT) {
        std::puts(proof.name);
      }
    }
    return 0;
  }
  unsigned passed = 0;
  unsigned failed = 0;
  for (const Proof& proof : proofs()) {
    if (!wanted.empty() && std::ranges::find(wanted, proof.name) == wanted.end()) {
      continue;
    }
    ++(prove_one(proof) ? passed : failed);
    std::fflush(stdout);
  }
  std::printf("%u passed, %u failed\n", passed, failed);
  return failed != 0 || passed == 0;
}
