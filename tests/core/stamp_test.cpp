// SPDX-License-Identifier: GPL-2.0-only
// The timestamp among a segment's options, against a plain reading of RFC 9293 section 3.1.
#include "core/packet/stamp.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace penstock::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::optional<std::uint32_t> plainly(const Bytes& options) {
  for (std::size_t i = 0; i < options.size() && options[i] != 0;) {
    if (options[i] == 1) {
      ++i;
      continue;
    }
    if (i + 1 >= options.size() || options[i + 1] < 2 || i + options[i + 1] > options.size())
      return std::nullopt;
    if (options[i] == 8 && options[i + 1] == 10)
      return std::uint32_t{options[i + 2]} << 24 | std::uint32_t{options[i + 3]} << 16 |
             std::uint32_t{options[i + 4]} << 8 | options[i + 5];
    i += options[i + 1];
  }
  return std::nullopt;
}

std::optional<std::uint32_t> scanned(const Bytes& options) {
  std::array<std::uint8_t, PST_OPTION_ROOM> room;
  room.fill(8);  // what lies behind must not count
  std::copy(options.begin(), options.end(), room.begin());
  pst_stamp_scan s;
  pst_stamp_parse(room.data(), static_cast<u32>(options.size()), &s);
  if (!s.found) return std::nullopt;
  return s.val;
}

TEST(Stamp, OfUsualHosts) {
  EXPECT_EQ(scanned({1, 1, 8, 10, 0x12, 0x34, 0x56, 0x78, 0, 0, 0, 9}), 0x12345678U);
  EXPECT_EQ(scanned({2, 4, 5, 180, 4, 2, 8, 10, 0xff, 0, 0, 1, 0, 0, 0, 0, 1, 3, 3, 7}),
            0xff000001U)
      << "a SYN of Linux";
  EXPECT_EQ(scanned({}), std::nullopt);
  EXPECT_EQ(scanned({1, 1, 5, 10, 1, 2, 3, 4, 5, 6, 7, 8}), std::nullopt) << "SACK alone";
}

TEST(Stamp, EchoesAnother) {
  const Bytes options{1, 1, 8, 10, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0};
  std::array<std::uint8_t, PST_OPTION_ROOM> room{};
  std::copy(options.begin(), options.end(), room.begin());
  pst_stamp_scan s;
  pst_stamp_parse(room.data(), static_cast<u32>(options.size()), &s);
  EXPECT_EQ(s.echo, 0x9abcdef0U);
}

TEST(Stamp, OfNothingThatIsCutOff) {
  EXPECT_EQ(scanned({1, 1, 8, 10, 1, 2, 3, 4, 0, 0, 0}), std::nullopt);
  EXPECT_EQ(scanned({8, 10}), std::nullopt);
  EXPECT_EQ(scanned({8}), std::nullopt) << "the length would lie behind the header";
  EXPECT_EQ(scanned({0, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0}), std::nullopt) << "behind the end";
  EXPECT_EQ(scanned({8, 9, 1, 2, 3, 4, 0, 0, 0, 1, 1}), std::nullopt) << "of another length";
}

TEST(Stamp, IsFoundAsAPlainReadingFindsIt) {
  std::mt19937 random(43);
  const std::array<std::uint8_t, 8> usual{0, 1, 2, 3, 4, 8, 10, 5};
  int found = 0;
  for (int round = 0; round < 200'000; ++round) {
    Bytes options(random() % (PST_OPTION_BYTES + 1));
    for (auto& byte : options)
      byte = random() % 4 ? usual[random() % usual.size()] : static_cast<std::uint8_t>(random());
    ASSERT_EQ(scanned(options), plainly(options));
    found += scanned(options).has_value();
  }
  EXPECT_GT(found, 1000);
}

}  // namespace
}  // namespace penstock::test
