// SPDX-License-Identifier: GPL-2.0-only
// Philox 4x64-10, a counter-based random number generator: each counter yields a block of four
// words. Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011,
// section 3.3.
#pragma once

#include <array>
#include <cstdint>

namespace penstock::engine {

class Philox {
 public:
  using Block = std::array<std::uint64_t, 4>;
  using Key = std::array<std::uint64_t, 2>;

  static constexpr Block block(Block counter, Key key) {
    for (int round = 0; round < kRounds; ++round) {
      counter = mix(counter, key);
      key[0] += 0x9e3779b97f4a7c15;  // the golden ratio
      key[1] += 0xbb67ae8584caa73b;  // sqrt(3) - 1
    }
    return counter;
  }

 private:
  static constexpr int kRounds = 10;
  __extension__ using Wide = unsigned __int128;

  static constexpr Block mix(const Block& c, const Key& key) {
    const Wide a = Wide{0xd2e7470ee14c6c93} * c[0];
    const Wide b = Wide{0xca5a826395121157} * c[2];
    return {static_cast<std::uint64_t>(b >> 64) ^ c[1] ^ key[0], static_cast<std::uint64_t>(b),
            static_cast<std::uint64_t>(a >> 64) ^ c[3] ^ key[1], static_cast<std::uint64_t>(a)};
  }
};

}  // namespace penstock::engine
