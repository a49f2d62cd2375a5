// SPDX-License-Identifier: GPL-2.0-only
// Random numbers indexed by seed, purpose, consumer and turn. Draws are independent of each
// other, and no state is kept between turns.
#pragma once

#include <cstdint>

#include "sim/engine/philox.h"
#include "sim/engine/random.h"

namespace penstock::engine {

class Draws {
 public:
  Draws(std::uint64_t seed, Purpose purpose, std::uint64_t who, std::uint64_t turn)
      : key_{seed, static_cast<std::uint64_t>(purpose)}, who_(who), turn_(turn) {}

  std::uint64_t bits64() {
    if (next_ % kWords == 0) block_ = Philox::block({next_ / kWords, who_, turn_, 0}, key_);
    return block_[next_++ % kWords];
  }
  std::uint32_t bits32() { return static_cast<std::uint32_t>(bits64() >> 32); }

  // Uniform in (0, 1), without its ends: 52 bits, in the middle of their intervals.
  double unit() { return (static_cast<double>(bits64() >> 12) + 0.5) * 0x1.0p-52; }

 private:
  static constexpr std::uint64_t kWords = 4;

  Philox::Key key_;
  std::uint64_t who_;
  std::uint64_t turn_;
  std::uint64_t next_ = 0;
  Philox::Block block_{};
};

}  // namespace penstock::engine
