// SPDX-License-Identifier: GPL-2.0-only
// The time on the wire against whole numbers: n packets back to back take n times as long as one.
#include "sim/net/link.h"

#include <gtest/gtest.h>

#include <random>

namespace penstock::net {
namespace {

__extension__ using Wide = unsigned __int128;

Link link_of(std::uint64_t rate_bps, std::uint16_t overhead_bytes = 0) {
  Link link;
  link.set_rate(rate_bps);
  link.overhead_bytes = overhead_bytes;
  return link;
}

std::uint64_t exact_ns(std::uint64_t bytes, std::uint64_t rate_bps) {
  return static_cast<std::uint64_t>(Wide{bytes} * 8'000'000'000 / rate_bps);
}

TEST(Link, TakesExactlyItsTimeForSmallPacketsAtHighRates) {
  constexpr std::uint64_t kGbit = 1'000'000'000;
  for (const std::uint64_t rate : {5 * kGbit, 100 * kGbit, 400 * kGbit, 800 * kGbit})
    for (const std::uint32_t bytes : {40U, 64U, 1028U, 1500U}) {
      Link link = link_of(rate);
      for (std::uint64_t n = 1; n <= 10'000; ++n) {
        ASSERT_EQ(link.transmit(bytes, 0), exact_ns((n - 1) * bytes, rate));
        ASSERT_EQ(link.busy_until_ns, exact_ns(n * bytes, rate)) << rate << ' ' << bytes;
      }
    }
}

TEST(Link, TakesExactlyItsTimeAtAnyRate) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t least = Link::kLeastRateBps;
    const std::uint64_t rate = least + (random() >> random() % 60) % (Link::kMostRateBps - least);
    Link link = link_of(rate, static_cast<std::uint16_t>(random() % 256));
    std::uint64_t sum_bytes = 0;
    for (int n = 0; n < 100; ++n) {
      const auto bytes = static_cast<std::uint32_t>(1 + random() % 65'535);
      sum_bytes += bytes + link.overhead_bytes;
      link.transmit(bytes, 0);
      ASSERT_EQ(link.busy_until_ns, exact_ns(sum_bytes, rate)) << rate;
    }
  }
  Link slowest = link_of(Link::kLeastRateBps), fastest = link_of(Link::kMostRateBps);
  slowest.transmit(65'535, 0);
  fastest.transmit(65'535, 0);
  EXPECT_EQ(slowest.busy_until_ns, 65'535ULL * 125'000'000);
  EXPECT_EQ(fastest.busy_until_ns, 0U);
}

TEST(Link, CarriesNothingOverAPause) {
  Link link = link_of(3'000'000'000);  // 40 bytes take 106 2/3 ns
  link.transmit(40, 0);
  EXPECT_EQ(link.busy_until_ns, 106U);
  EXPECT_EQ(link.transmit(40, 106), 106U);  // while the last part of a nanosecond is on the wire
  EXPECT_EQ(link.busy_until_ns, 213U);      // 213 1/3
  EXPECT_EQ(link.transmit(40, 214), 214U);
  EXPECT_EQ(link.busy_until_ns, 320U);  // 320 2/3
}

TEST(Link, CarriesThePartOfANanosecondIntoAnotherRate) {
  Link link = link_of(3'000'000'000);
  link.transmit(40, 0);  // 2/3 ns are left
  link.set_rate(6'000'000'000);
  link.transmit(40, 0);  // 53 1/3 ns more
  EXPECT_EQ(link.busy_until_ns, 160U);
  EXPECT_LT(link.rest_q64, 1ULL << 16);
}

}  // namespace
}  // namespace penstock::net
