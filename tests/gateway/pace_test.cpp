// SPDX-License-Identifier: GPL-2.0-only
// R12 where ACKs are to be delayed: which of them the kernel's program holds, and for how long.
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

// A segment takes 12 ms on the line, and the queue holds two of them.
gw::Settings settings(bool observe = false) {
  gw::Settings s;
  s.rate = "1mbit";
  s.buffer = "3kB";
  s.acks = "wan0";
  s.beyond = "pace-acks";
  s.observe = observe;
  return s;
}

// One more segment of each of `flows` is acknowledged; when the last of these ACKs goes.
std::uint64_t round(GatewayUnderTest& g, std::uint16_t flows, std::uint32_t number) {
  std::uint64_t last_ns = 0;
  for (std::uint16_t port = 1; port <= flows; ++port) {
    g.data({.sender_port = port}, 1000 + number * 1460, 1460);
    g.ack({.sender_port = port}, 1000 + (number + 1) * 1460, 65535);
    last_ns = g.release_ns();
  }
  return last_ns;
}

std::uint64_t last_release_ns(GatewayUnderTest& g, std::uint16_t flows) {
  for (std::uint16_t port = 1; port <= flows; ++port) g.handshake({.sender_port = port});
  std::uint64_t last_ns = 0;
  for (std::uint32_t number = 0; number < 4; ++number) {
    const std::uint64_t next_ns = round(g, flows, number);
    EXPECT_GE(next_ns, last_ns) << "ACKs of a flow go in the order in which they came";
    last_ns = next_ns;
  }
  return last_ns;
}

class Pace : public GatewayTest {};

TEST_F(Pace, ManyFlowsWaitForTheirTurn) {
  GatewayUnderTest g(settings());
  const std::uint64_t release_ns = last_release_ns(g, 40);
  EXPECT_GT(g.count(GW_COUNT_acks_held), 80U);
  const pst_pace_flow p = g.flow({.sender_port = 40}).pace;
  EXPECT_EQ(release_ns, p.release_ns);
  EXPECT_GT(p.hold_ns, 50 * kMs);
  EXPECT_LE(p.hold_ns, PST_PACE_MOST_NS);
}

TEST_F(Pace, OneFlowWaitsForNothing) {
  gw::Settings roomy = settings();
  roomy.buffer = "97kB";
  GatewayUnderTest g(roomy);
  EXPECT_EQ(last_release_ns(g, 1), 0U);
  EXPECT_EQ(g.count(GW_COUNT_acks_held), 0U);
}

TEST_F(Pace, AnObserverHoldsNothing) {
  GatewayUnderTest g(settings(true));
  EXPECT_EQ(last_release_ns(g, 40), 0U);
  EXPECT_EQ(g.count(GW_COUNT_acks_held), 0U);
  EXPECT_EQ(g.shared().port.pace.turn_ns, 0U) << "nothing is booked either";
}

TEST_F(Pace, NobodyHoldsUnlessAsked) {
  gw::Settings plain = settings();
  plain.beyond = "none";
  GatewayUnderTest g(plain);
  EXPECT_EQ(last_release_ns(g, 40), 0U);
}

}  // namespace
}  // namespace penstock::test
