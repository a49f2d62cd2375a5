// SPDX-License-Identifier: GPL-2.0-only
// What the kernel's program counts as load that no window controls (R18, R30, R36).
#include <algorithm>

#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

class Load : public GatewayTest {
 protected:
  static gw::Settings settings() {
    gw::Settings s = slow_link("integral");
    s.exempt = {"port 443"};
    return s;
  }
  static std::uint64_t controlled_q16(const GatewayUnderTest& g) {
    const pst_flow_count c = g.shared().port.state.count;
    return c.running_q16 + c.last_q16;
  }
};

TEST_F(Load, R18IsUdpAndTcpThatPassesAsItIs) {
  GatewayUnderTest g(settings());
  const Ends older{.sender_port = 7}, exempt{.receiver_port = 443}, controlled{.sender_port = 8};
  std::uint64_t bytes = 0;
  Bytes udp = packet(older, {.payload_bytes = 500});
  udp[14 + 9] = 17;
  for (const Bytes& each : {udp, packet(older, {.seq = 1000, .ack = 5000, .payload_bytes = 600})}) {
    g.forward(each);
    bytes += each.size();
    EXPECT_EQ(g.other_bytes(), bytes);
  }
  g.handshake(exempt);
  g.handshake(controlled);
  bytes = g.other_bytes();
  const Bytes data = packet(exempt, {.seq = 1000, .ack = 5000, .payload_bytes = 700});
  g.forward(data);
  EXPECT_EQ(g.other_bytes(), bytes + data.size());
  g.data(controlled, 1000, 800);
  EXPECT_EQ(g.other_bytes(), bytes + data.size());
}

TEST_F(Load, R36IsDataBeyondEveryWindow) {
  GatewayUnderTest g(settings());
  const Ends cheat{.sender_port = 8};
  g.handshake(cheat);
  g.data(cheat, 1000, 800);
  const std::uint64_t before = g.other_bytes();
  g.data(cheat, 1000 + (1U << 28), 900);
  EXPECT_EQ(g.other_bytes(), before + 900);
}

// None has sent data within a window before. By the kernel's hash, some may share a bucket.
TEST_F(Load, R36CountsEachCheatAsAFlow) {
  GatewayUnderTest g(settings());
  const auto flows = [&] {
    const pst_flow_count c = g.shared().port.state.count;
    return std::max(c.others_last_q16, c.others_running_q16);
  };
  const auto buckets = [&] {
    const pst_flow_count c = g.shared().port.state.count;
    return PST_OTHERS - static_cast<std::uint64_t>(std::ranges::count(c.others, 0U));
  };
  for (std::uint16_t port = 8; port < 16; ++port) {
    const Ends cheat{.sender_port = port};
    g.handshake(cheat);
    for (std::uint32_t i = 0; i < 8; ++i) g.data(cheat, (1U << 28) + i * 1400, 1400);
    EXPECT_GE(flows(), buckets() * PST_Q16_ONE);
  }
  EXPECT_GE(buckets(), 4U);
}

TEST_F(Load, R35AFlowLeavesWithTheFinThatItsReceiverExpects) {
  GatewayUnderTest g(settings());
  const Ends bulk{.sender_port = 9};
  g.handshake(bulk);
  for (std::uint32_t i = 0; i < 8; ++i) g.data(bulk, 1000 + i * 1400, 1400);
  for (const std::uint32_t seq : {900U, 12'199U, 1U << 28})
    g.forward(packet(bulk, {.seq = seq, .ack = 5000, .flags = PST_TCP_FIN | PST_TCP_ACK}));
  EXPECT_GE(controlled_q16(g), PST_Q16_ONE);
  g.forward(packet(bulk, {.seq = 12'200, .ack = 5000, .flags = PST_TCP_FIN | PST_TCP_ACK}));
  EXPECT_EQ(controlled_q16(g), 0U);
}

TEST_F(Load, R30AMessageIsLessThanAFlow) {
  GatewayUnderTest g(settings());
  const auto count = [&] { return controlled_q16(g); };
  const Ends chat{.sender_port = 8}, bulk{.sender_port = 9};
  g.handshake(chat);
  g.handshake(bulk);
  g.data(chat, 1000, 58);
  EXPECT_GT(count(), 0U);
  EXPECT_LT(count(), PST_Q16_ONE / 50);
  for (std::uint32_t i = 0; i < 8; ++i) g.data(bulk, 1000 + i * 1400, 1400);
  EXPECT_GE(count(), PST_Q16_ONE);
}

}  // namespace
}  // namespace penstock::test
