// SPDX-License-Identifier: GPL-2.0-only
// Independent streams of random numbers, one per purpose. The engine's output is
// fixed by the C++ standard, so a seed means the same on every machine.
#pragma once

#include <cstdint>
#include <random>

namespace penstock::engine {

enum class Purpose : std::uint32_t {  // numbers are part of the results: never reuse one
  kInitialSequence = 1,
  kLinkLoss = 2,
  kQueueDecision = 3,
  kTraffic = 4,         // of sources: sizes, pauses
  kTrafficSequence = 5,  // initial sequence numbers of their connections
  kTrace = 6,            // of synthetic links
  kBackoff = 7,          // of stations after a collision
  kMobility = 8,         // of mobile hosts: times in a cell and without one, the next cell
  kUdpPattern = 9,      // of UDP whose rate varies: scenes
};

class Stream {
 public:
  Stream(std::uint64_t seed, Purpose purpose, std::uint32_t index) {
    std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                           static_cast<std::uint32_t>(purpose), index};
    engine_.seed(sequence);
  }

  std::uint32_t bits32() { return static_cast<std::uint32_t>(engine_() >> 32); }

  // Uniform in [0, 1), 53 bits.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace penstock::engine
