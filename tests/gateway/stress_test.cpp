// SPDX-License-Identifier: GPL-2.0-only
// R28: several CPUs at one flow at once. No window may grow, no edge may fall behind
// data that was sent before the ACK came, and no packet may wait for the lock and not get it.
#include <atomic>
#include <thread>

#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

class Stress : public GatewayTest {};

TEST_F(Stress, R28InvariantsHoldUnderConcurrency) {
  GatewayUnderTest g;
  const Ends e;
  g.handshake(e, 7, 0);
  g.fill_queue(96'900);
  constexpr std::uint32_t kSegments = 20'000;
  // So much is on its way that no ACK has the number of one before: those are frozen (R9).
  constexpr std::uint32_t kBehind = 3000;
  g.data(e, 1000, kBehind);
  std::atomic<std::uint32_t> sent{1000 + kBehind};
  std::atomic<bool> wrong{false};
  const std::uint64_t before = g.count(GW_COUNT_acks_seen);
  std::thread sender([&] {
    for (std::uint32_t i = 0; i < kSegments; ++i) {
      g.data(e, sent, 100);
      sent += 100;
    }
  });
  const auto acknowledge = [&] {
    for (std::uint32_t i = 0; i < kSegments; ++i) {
      const std::uint32_t certain = sent;
      const std::uint32_t number = certain - kBehind;
      const Seen out = g.ack(e, number, 60'000);
      // The edge covers what was sent before this ACK; scale 0 leaves no slack.
      if (out.window > 60'000 || number + out.window < certain || !out.checksum_right) wrong = true;
    }
  };
  std::thread first(acknowledge);
  std::thread second(acknowledge);
  sender.join();
  first.join();
  second.join();
  EXPECT_FALSE(wrong);
  const std::uint64_t decided = g.count(GW_COUNT_acks_seen) - before + g.count(GW_PASS_busy);
  EXPECT_EQ(decided, 2 * kSegments);
  EXPECT_EQ(g.flow(e).lock, 0U);
}

// Whose lock is never released, as of a CPU that was stopped while it held it.
TEST_F(Stress, R28AFlowThatIsHeldIsLeftAsItIs) {
  GatewayUnderTest g;
  const Ends e;
  g.handshake(e, 7, 0);
  g.fill_queue(96'900);
  g.data(e, 1000, 3000);
  gw_flow held = g.flow(e);
  held.lock = 1;
  g.set_flow(e, held);
  g.data(e, 4000, 100);
  EXPECT_EQ(g.ack(e, 2000, 60'000).window, 60'000);
  EXPECT_EQ(g.count(GW_PASS_busy), 1U);
  gw_flow after = g.flow(e);
  EXPECT_EQ(after.gateway.flow.sent, 4000U);
  EXPECT_EQ(after.missed_end, 4100U);
  after.lock = 0;
  g.set_flow(e, after);
  EXPECT_LT(g.ack(e, 2000, 60'000).window, 60'000);
  EXPECT_EQ(g.flow(e).gateway.flow.sent, 4100U) << "the next holder records it (R2)";
}

}  // namespace
}  // namespace penstock::test
