// SPDX-License-Identifier: GPL-2.0-only
// The same draws give the same bits, whatever compiler made the library. That they
// are the right ones is for test_distributions.py.
#include "sim/traffic/distribution.h"

#include <gtest/gtest.h>

#include <bit>

namespace penstock::traffic {
namespace {

std::uint64_t digest(const Distribution& distribution) {
  std::uint64_t hash = 0;
  for (std::uint64_t turn = 0; turn < 1000; ++turn) {
    engine::Draws draws(1, engine::Purpose::kTraffic, 2, turn);
    hash = (hash ^ std::bit_cast<std::uint64_t>(distribution.draw(draws))) * 0x9e3779b97f4a7c15;
  }
  return hash;
}

TEST(Distribution, GivesTheSameBitsAnywhere) {
  EXPECT_EQ(digest(Distribution::uniform(2, 7)), 0xb9a52316ec323335);
  EXPECT_EQ(digest(Distribution::exponential(5e9)), 0x4b068d2a97aad14e);
  EXPECT_EQ(digest(Distribution::lognormal(25.807, 78.752)), 0x3d4cc832d850e87d);
  EXPECT_EQ(digest(Distribution::gamma(35.286, 147.39)), 0xca3b9ec20caec3a6);
  EXPECT_EQ(digest(Distribution::gamma(12, 3)), 0x81755ba5d76f24c7);
  EXPECT_EQ(digest(Distribution::pareto(1.7584, 30458, 1e6)), 0xc5139b2892404851);
  EXPECT_EQ(digest(Distribution::weibull(0.6, 3)), 0x47034011ad1b7b98);
}

TEST(Distribution, RoundsToWholeNumbersWithinBounds) {
  engine::Draws draws(1, engine::Purpose::kTraffic, 0, 0);
  EXPECT_EQ(Distribution::constant(2.5).whole(draws, 1), 3U);
  EXPECT_EQ(Distribution::constant(0.4).whole(draws, 1), 1U);
  EXPECT_EQ(Distribution::constant(0.4).whole(draws, 0), 0U);
  EXPECT_EQ(Distribution::constant(1e30).whole(draws, 1), 1ULL << 60);
  EXPECT_EQ(Distribution::constant(3).whole_of(7, draws, 1), 21U);
}

}  // namespace
}  // namespace penstock::traffic
