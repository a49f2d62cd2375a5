// SPDX-License-Identifier: GPL-2.0-only
// R27, R8: more connections than the map holds, at its real size and all of them at work.
// Those that it has forgotten pass untouched and are counted; none is mistaken for another.
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

class Capacity : public GatewayTest {};

constexpr std::uint32_t kFlows = GW_MAX_FLOWS + GW_MAX_FLOWS / 4;
constexpr std::uint16_t kOffered = 2000;

Ends ends(std::uint32_t i) {
  return {.sender_port = static_cast<std::uint16_t>(i),
          .receiver_port = static_cast<std::uint16_t>(80 + (i >> 16))};
}

TEST_F(Capacity, R27FlowsBeyondItPassUntouchedAndAreCounted) {
  GatewayUnderTest g("ewt", "safe", false, true, {}, GW_MAX_FLOWS);
  g.fill_queue(90'000);
  for (std::uint32_t i = 0; i < kFlows; ++i) g.handshake(ends(i));
  EXPECT_EQ(g.count(GW_COUNT_flows_opened), kFlows);
  std::uint32_t passed = 0;
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    const bool known = g.knows(ends(i));
    const Seen out = g.ack(ends(i), 1000, kOffered);
    ASSERT_TRUE(out.checksum_right);
    ASSERT_EQ(out.window < kOffered, known) << i;
    passed += out.window == kOffered;
  }
  EXPECT_EQ(g.count(GW_PASS_unknown_flow), passed);
  EXPECT_EQ(g.count(GW_COUNT_acks_rewritten), kFlows - passed);
  EXPECT_GE(passed, kFlows - GW_MAX_FLOWS);
  EXPECT_LT(passed, kFlows / 2) << "an LRU map gives up some early, but not half of it";
}

}  // namespace
}  // namespace penstock::test
