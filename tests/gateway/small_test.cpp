// SPDX-License-Identifier: GPL-2.0-only
// What carries no data, and ICMP, in the kernel: some of it passes in `fair`, and more counts as
// flows. And a packet of many segments, in a queue that is a model.
#include <gtest/gtest.h>

#include <functional>

#include "core/packet/protocol.h"
#include "tests/gateway/datagram.h"
#include "tests/gateway/long_queue.h"

namespace penstock::test {

namespace {

constexpr int kFew = 50;  // without data, less than a sixteenth of what the link sends

class Small : public LongQueueTest {};

Bytes arp() {
  Bytes b(60, 0);
  b[12] = 0x08;
  b[13] = 0x06;
  return b;
}

// IPv6 from a neighbour, or ICMPv6 of another sort.
Bytes icmp_v6(std::uint8_t type, std::uint8_t hops) {
  Bytes b(14 + 40 + 1200, 0);
  b[12] = 0x86;
  b[13] = 0xdd;
  b[14] = 0x60;
  b[14 + 4] = 1200 >> 8;
  b[14 + 5] = 1200 & 255;
  b[14 + 6] = PST_IP_ICMPV6;
  b[14 + 7] = hops;
  b[14 + 40] = type;
  return b;
}

}  // namespace

TEST_F(Small, SparesWhatALinkIsRunBy) {
  GatewayUnderTest g(fair_link());
  dropped(g, kMany, datagram({}));
  EXPECT_EQ(dropped(g, kMany, arp()), 0);
  EXPECT_EQ(dropped(g, kMany, icmp_v6(PST_ICMPV6_FIRST_OF_LINK, PST_HOPS_OF_LINK)), 0);
  EXPECT_EQ(dropped(g, kMany, icmp_v6(PST_ICMPV6_LAST_OF_LINK, PST_HOPS_OF_LINK)), 0);
}

// A sixteenth of the link passes, and a share.
TEST_F(Small, CountsIcmpAsAFlowWhoeverSendsIt) {
  const auto ping = [](int i) {
    return datagram({.host = static_cast<std::uint8_t>(i)}, true, PST_IP_ICMP);
  };
  const std::function<Bytes(int)> floods[] = {
      ping,
      [](int) { return icmp_v6(128, 64); },
      [](int) { return icmp_v6(PST_ICMPV6_FIRST_OF_LINK, 254); },
      [](int) { return icmp_v6(128, PST_HOPS_OF_LINK); },
  };
  for (const auto& flood : floods) {
    GatewayUnderTest g(fair_link());
    EXPECT_EQ(dropped(g, 5, flood), 0);
    EXPECT_GT(dropped(g, kMany, flood), kMany / 2);
    // Others lose nothing by it.
    g.reverse(datagram({}, false));
    EXPECT_EQ(dropped(g, 5, datagram({})), 0);
    EXPECT_EQ(dropped(g, 5, packet({}, {.seq = 999, .flags = PST_TCP_SYN})), 0);
  }
}

TEST_F(Small, CountsSegmentsWithoutDataAsFlows) {
  const Tcp syn{.seq = 999, .flags = PST_TCP_SYN, .options = mss_and_scale(1460, 7)};
  const Tcp syn_ack{.seq = 999, .ack = 1, .flags = PST_TCP_SYN | PST_TCP_ACK};
  const std::pair<const char*, Bytes> small[] = {
      {"SYN", packet({}, syn)},
      {"SYN-ACK", packet({}, syn_ack)},
      {"ACK of an unknown flow", packet({.sender_port = 7}, {.seq = 5, .ack = 6})},
      {"RST", packet({}, {.seq = 5, .flags = PST_TCP_RST})},
  };
  for (const auto& [what, bytes] : small) {
    GatewayUnderTest g(fair_link());
    EXPECT_EQ(dropped(g, kFew, bytes), 0) << what;
    EXPECT_GT(dropped(g, 20 * kMany, bytes), 10 * kMany) << what;
    // Of a flow that is known, they have a place of their own.
    g.handshake({.sender_port = 9});
    EXPECT_EQ(dropped(g, kFew, packet({.sender_port = 9}, {.seq = 1000, .ack = 5001})), 0) << what;
  }
}

// The modem's queue takes what is sent on; it would else seem to be empty.
TEST_F(Small, APacketOfManySegmentsIsCountedWhereThereIsRoomForItsFirst) {
  gw::Settings s = fair_link();
  s.buffer = "2kB";
  GatewayUnderTest g(s);
  constexpr std::uint16_t kSegment = 1400, kAll = 2 * kSegment;
  const Bytes burst = packet({}, {.seq = 1000, .ack = 5000, .payload_bytes = kAll});
  const auto left_bytes = [&g] {
    const std::uint64_t drained_ns = g.shared().drained_q4 >> 4, now_ns = g.now_ns();
    return drained_ns > now_ns ? (drained_ns - now_ns) / 1000 : 0;  // 1 MB/s
  };
  g.fill_queue(0);
  ASSERT_FALSE(g.forward(burst, kSegment, kAll).empty());
  EXPECT_GT(left_bytes(), kAll);
  EXPECT_EQ(g.count(GW_COUNT_virtual_drops), 0U);
  // There is none for the next one, which is sent on all the same.
  const std::uint64_t before = left_bytes();
  ASSERT_FALSE(g.forward(burst, kSegment, kAll).empty());
  EXPECT_LE(left_bytes(), before);
  EXPECT_EQ(g.count(GW_COUNT_virtual_drops), 1U);
}

}  // namespace penstock::test
