// SPDX-License-Identifier: GPL-2.0-only
// Philox against the known answers that its authors publish (kat_vectors of Random123).
#include "sim/engine/philox.h"

#include <gtest/gtest.h>

#include "sim/engine/draws.h"

namespace penstock::engine {
namespace {

constexpr std::uint64_t kOnes = ~0ULL;

TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(Philox::block({0, 0, 0, 0}, {0, 0}),
            (Philox::Block{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b,
                           0x7e68b68aec7ba23b}));
  EXPECT_EQ(Philox::block({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Philox::Block{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6,
                           0xa09caebf594f0ba0}));
  EXPECT_EQ(Philox::block(
                {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
                {0x452821e638d01377, 0xbe5466cf34e90c6c}),
            (Philox::Block{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5,
                           0x57bd43b5e52b7fe6}));
}

TEST(Draws, AreTheWordsOfTheirBlocksInTurn) {
  Draws draws(7, Purpose::kTraffic, 3, 5);
  for (std::uint64_t block = 0; block < 3; ++block)
    for (const std::uint64_t word : Philox::block({block, 3, 5, 0}, {7, 4}))
      EXPECT_EQ(draws.bits64(), word);
}

TEST(Draws, OfOneTurnDoNotDependOnHowManyAnotherTook) {
  Draws first(1, Purpose::kTraffic, 0, 0);
  for (int i = 0; i < 100; ++i) first.bits64();
  Draws second(1, Purpose::kTraffic, 0, 1);
  EXPECT_EQ(second.bits64(), Philox::block({0, 0, 1, 0}, {1, 4})[0]);
}

}  // namespace
}  // namespace penstock::engine
