// SPDX-License-Identifier: GPL-2.0-only
// In the kernel, streams that nobody answers: one that lasts does not suffer from a forged flood.
#include <gtest/gtest.h>

#include "core/packet/protocol.h"
#include "tests/gateway/datagram.h"
#include "tests/gateway/long_queue.h"

namespace penstock::test {

namespace {

constexpr std::uint64_t kStepNs = 1'000'000;
constexpr int kSteps = 12'000, kLastsFrom = 10'000;

class Streams : public GatewayTest {
 protected:
  // Of a stream of 50 packets in a second beside a forged flood at the rate of the link: how many
  // of the last 100 are dropped.
  static int dropped(const std::string& spare) {
    gw::Settings s = fair_link();
    s.spare = {spare};
    GatewayUnderTest g(s);
    const Bytes stream = datagram({.sender_port = 5004});
    int drops = 0;
    for (int i = 0; i < kSteps; ++i) {
      g.pass_time(kStepNs);
      g.fill_queue(kLongQueueBytes);
      const auto port = static_cast<std::uint16_t>(i % 50'000 + 6'000);
      g.forward(datagram({.sender_port = port}));
      if (i % 20) continue;
      const bool lost = g.forward(stream).empty();
      drops += i >= kLastsFrom && lost;
    }
    return drops;
  }
};

}  // namespace

TEST_F(Streams, OneThatLastsLosesNothingBesideAForgedFlood) { EXPECT_EQ(dropped("50%"), 0); }

TEST_F(Streams, IsOneOfAllThatNobodyAnswersWhereNothingIsSpared) { EXPECT_GT(dropped("0"), 5); }

}  // namespace penstock::test
