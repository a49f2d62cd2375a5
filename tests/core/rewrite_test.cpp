// SPDX-License-Identifier: GPL-2.0-only
// The checksum after a changed window, against a full computation (RFC 1071).
#include "core/rewrite/checksum.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>

namespace {

std::uint16_t full_checksum(const std::array<std::uint16_t, 20>& words) {
  std::uint32_t sum = 0;
  for (const std::uint16_t w : words) sum += w;
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

TEST(Checksum, EqualsTheFullOneForEveryNewWord) {
  std::mt19937 bits(1);
  for (int packet = 0; packet < 20; ++packet) {
    std::array<std::uint16_t, 20> words{};
    for (auto& w : words) w = static_cast<std::uint16_t>(bits());
    const std::uint16_t before = full_checksum(words);
    const std::uint16_t old_word = words[7];
    for (std::uint32_t word = 0; word <= 0xffff; ++word) {
      words[7] = static_cast<std::uint16_t>(word);
      ASSERT_EQ(pst_checksum_update(before, old_word, words[7]), full_checksum(words));
    }
  }
}

// The other words sum to `rest`, so that checksums of 0x0000 and 0xfffe occur.
TEST(Checksum, EqualsTheFullOneAtTheEndsOfOnesComplement) {
  constexpr std::array<std::uint16_t, 6> kEnds{0x0000, 0x0001, 0x7fff, 0x8000, 0xfffe, 0xffff};
  for (std::uint32_t rest = 1; rest <= 0xffff; ++rest) {
    for (const std::uint16_t from : kEnds) {
      for (const std::uint16_t to : kEnds) {
        std::array<std::uint16_t, 20> words{static_cast<std::uint16_t>(rest), from};
        const std::uint16_t before = full_checksum(words);
        words[1] = to;
        ASSERT_EQ(pst_checksum_update(before, from, to), full_checksum(words));
      }
    }
  }
}

// RFC 1624 section 4: RFC 1141's equation gives 0xffff here.
TEST(Checksum, GivesTheResultOfTheRfcsExample) {
  EXPECT_EQ(pst_checksum_update(0xdd2f, 0x5555, 0x3285), 0x0000);
}

}  // namespace
