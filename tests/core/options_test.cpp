// SPDX-License-Identifier: GPL-2.0-only
// The options of random SYNs, against a reference that is written from the rules of Linux'
// tcp_parse_options() (net/ipv4/tcp_input.c). tests/gateway/test_syn_options.py asks the kernel
// itself. PENSTOCK_FUZZ_SYNS sets how many are compared.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "core/packet/options.h"

namespace {

constexpr std::uint64_t kUsualSyns = 500'000;
using Bytes = std::array<u8, PST_OPTION_ROOM>;

std::uint64_t syns() {
  const char* text = std::getenv("PENSTOCK_FUZZ_SYNS");
  return text ? std::strtoull(text, nullptr, 10) : kUsualSyns;
}

// What a host takes from a SYN.
struct Taken {
  u32 mss = 0;
  int scale = -1;
  bool timestamps = false, md5 = false, ao = false, mptcp = false;
  bool operator==(const Taken&) const = default;
};

// Option by option, with the remaining length, as the kernel counts.
Taken reference(const u8* at, u32 left) {
  Taken t;
  while (left > 0) {
    const u8 kind = *at++;
    if (kind == 0) break;  // end of options
    if (kind == 1) {       // no operation
      --left;
      continue;
    }
    if (left < 2) break;
    const u8 size = *at++;
    if (size < 2) break;    // "silly options"
    if (size > left) break;  // "don't parse partial options"
    if (kind == 2 && size == 4 && (at[0] || at[1])) t.mss = at[0] * 256U + at[1];
    if (kind == 3 && size == 3) t.scale = at[0] > 14 ? 14 : at[0];
    if (kind == 8 && size == 10) t.timestamps = true;
    if (kind == 19 && size == 18) t.md5 = true;
    if (kind == 29 && size > 4) t.ao = true;
    if (kind == 30) t.mptcp = true;
    at += size - 2;
    left -= size;
  }
  return t;
}

bool agree(const Taken& t, const pst_options& o) {
  return o.mss_bytes == t.mss && o.scale == (t.scale < 0 ? PST_NO_SCALE : t.scale) &&
         o.timestamps == t.timestamps && o.authenticated == (t.md5 || t.ao) &&
         o.multipath == t.mptcp;
}

// Mostly whole options, some with another length than theirs, some bytes of any value.
u32 fill(std::mt19937_64& random, Bytes& bytes) {
  constexpr std::array<std::array<u8, 2>, 9> kUsual = {
      {{2, 4}, {3, 3}, {4, 2}, {8, 10}, {19, 18}, {29, 16}, {30, 4}, {34, 2}, {1, 1}}};
  const u32 length = 4 * static_cast<u32>(random() % 11);
  for (u8& byte : bytes) byte = static_cast<u8>(random());
  for (u32 at = 0; at < length;) {
    const auto [kind, size] = kUsual[random() % kUsual.size()];
    const u64 odd = random() % 16;
    if (odd == 0) {
      at += 1 + static_cast<u32>(random() % 4);  // bytes of any value
      continue;
    }
    bytes[at] = odd == 1 ? static_cast<u8>(random() % 4) : kind;
    if (kind == 1 || at + 1 >= length) {
      ++at;
      continue;
    }
    bytes[at + 1] = odd == 2 ? static_cast<u8>(random() % 44) : size;
    at += size;
  }
  return length;
}

TEST(Options, R7AreTakenAsLinuxTakesThem) {
  std::mt19937_64 random(1);
  std::uint64_t scaled = 0;
  for (std::uint64_t i = 0; i < syns(); ++i) {
    Bytes bytes{};
    const u32 length = fill(random, bytes);
    const Taken expected = reference(bytes.data(), length);
    pst_options o{};
    pst_options_parse(bytes.data(), length, &o);
    std::string hex;
    for (u32 k = 0; k < length; ++k) hex += std::to_string(bytes[k]) + " ";
    ASSERT_TRUE(agree(expected, o)) << "SYN " << i << ": " << hex;
    scaled += expected.scale >= 0;
  }
  EXPECT_GT(scaled, syns() / 8) << "the SYNs say too little";
}

// The last one claims more bytes than there are: what came before it counts.
TEST(Options, R7WhatComesBeforeAMalformedOneCounts) {
  for (const u8 size : {u8{0}, u8{1}, u8{3}, u8{255}}) {
    const Bytes bytes = {2, 4, 5, 180, 3, 3, 7, 1, 1, 1, 77, size};
    pst_options o{};
    pst_options_parse(bytes.data(), 12, &o);
    EXPECT_EQ(o.scale, 7) << int{size};
    EXPECT_EQ(o.mss_bytes, 1460) << int{size};
  }
}

TEST(Options, AnMssOfZeroIsNone) {
  const Bytes bytes = {2, 4, 5, 180, 2, 4, 0, 0};
  pst_options o{};
  pst_options_parse(bytes.data(), 8, &o);
  EXPECT_EQ(o.mss_bytes, 1460);
}

}  // namespace
