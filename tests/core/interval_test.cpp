// SPDX-License-Identifier: GPL-2.0-only
// The interval between packets of a rate against real numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/math/interval.h"

TEST(Interval, IsTheTimeOfThePacketRoundedDown) {
  std::mt19937_64 bits(1);
  for (int i = 0; i < 100'000; ++i) {
    const u64 bytes = 1 + bits() % 65535;
    const u64 rate_bps = 1 + (bits() & (PST_INTERVAL_MOST_BPS - 1)) % (1ULL << (1 + bits() % 44));
    const long double exact =
        8e9L * static_cast<long double>(bytes) * 0x1p20L / static_cast<long double>(rate_bps);
    if (exact >= 0x1p63L) continue;
    ASSERT_LE(std::abs(static_cast<long double>(pst_interval_q20_ns(bytes, rate_bps)) -
                       std::floor(exact)),
              1 + exact * 0x1p-62L)
        << bytes << " at " << rate_bps;
  }
}

TEST(Interval, HasNoDriftAtHighRates) {
  // 64 bytes at 72 Gbit/s: 7 1/9 ns.
  EXPECT_EQ(pst_interval_q20_ns(64, 72'000'000'000), (7ULL << 20) + (1ULL << 20) / 9);
  EXPECT_EQ(pst_interval_q20_ns(1, PST_INTERVAL_MOST_BPS), 476U);  // 0.00045 ns
}
