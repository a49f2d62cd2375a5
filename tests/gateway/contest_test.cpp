// SPDX-License-Identifier: GPL-2.0-only
// Connections with the same ends, on packets through the program in the kernel: those that
// somebody forges (R7, R8, R35), and those of other tenants of a link.
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

constexpr std::uint16_t kSyn = 0x02, kPsh = 0x08, kAck = 0x10, kSynAck = 0x12, kRst = 0x04;
constexpr std::uint16_t kOffer = 4000;
constexpr std::uint16_t kData = 1460;

// A connection whose ends count from `isn` and `answer_isn`, on a link of a tenant.
struct Connection {
  Ends ends;
  std::uint32_t isn, answer_isn;
  int scale;
  Link link = Link::kEthernet;
  std::uint8_t tenant = 0;

  Bytes of_sender(std::uint32_t at, std::uint16_t flags, std::uint16_t payload_bytes = 0) const {
    return packet(ends, {.seq = isn + at,
                         .ack = flags & kAck ? answer_isn + 1 : 0,
                         .flags = flags,
                         .window = 502,
                         .options = flags & kSyn ? mss_and_scale(1460, scale) : Bytes{},
                         .payload_bytes = payload_bytes,
                         .link = link,
                         .tenant = tenant});
  }
  Tcp of_receiver(std::uint32_t number, std::uint16_t flags, std::uint16_t window) const {
    return {.from_sender = false,
            .seq = answer_isn + !(flags & kSyn),
            .ack = isn + number,
            .flags = flags,
            .window = window,
            .options = flags & kSyn ? mss_and_scale(1460, scale) : Bytes{},
            .link = link,
            .tenant = tenant};
  }
  void open(GatewayUnderTest& g) const {
    g.forward(of_sender(0, kSyn));
    g.reverse(packet(ends, of_receiver(1, kSynAck, 65'535)));
    g.forward(of_sender(1, kAck));
  }
  void data(GatewayUnderTest& g, std::uint32_t at, std::uint16_t bytes = kData) const {
    g.forward(of_sender(at, kAck, bytes));
  }
  // The window that its sender reads.
  std::uint64_t window_bytes(GatewayUnderTest& g, std::uint32_t number) const {
    const Tcp t = of_receiver(number, kAck, kOffer);
    return std::uint64_t{look(ends, t, g.reverse(packet(ends, t))).window} << scale;
  }
};

class Contest : public GatewayTest, public testing::WithParamInterface<bool> {
 protected:
  Ends ends() const { return {.ipv6 = GetParam()}; }
  Connection own() const { return {ends(), 999, 4999, 7}; }
  Connection forged(int scale, std::uint32_t isn = 3'000'000'000) const {
    return {ends(), isn, 2'000'000'000, scale};
  }
  static void expect_controlled(std::uint64_t bytes, int scale) {
    EXPECT_GE(bytes, 1460U);
    EXPECT_LT(bytes, std::uint64_t{kOffer} << scale);
  }
};
INSTANTIATE_TEST_SUITE_P(Families, Contest, testing::Bool(),
                         [](const auto& one) { return one.param ? "IPv6" : "IPv4"; });

TEST_P(Contest, R35AHandshakeAloneReplacesNoFlow) {
  for (const int scale : {0, 2, 14}) {
    GatewayUnderTest g;
    own().open(g);
    own().data(g, 1);
    g.fill_queue(90'000);
    expect_controlled(own().window_bytes(g, 1 + kData), own().scale);
    for (std::uint32_t i = 0; i < 2 * PST_CONTENDERS; ++i)
      forged(scale, 3'000'000'000 + i * 100'000'000).open(g);
    own().data(g, 1 + kData);
    expect_controlled(own().window_bytes(g, 1 + 2 * kData), own().scale);
    EXPECT_EQ(g.flow(ends()).gateway.flow.scale, own().scale);
    EXPECT_EQ(g.flow(ends()).beyond_bytes, 0U);
    EXPECT_EQ(g.flow(ends()).sent_bytes, 2U * kData);
  }
}

// Each keeps its numbers and its scale, whichever of them is the genuine one.
TEST_P(Contest, R7BothGoOnWhereDataOfBothIsAcknowledged) {
  GatewayUnderTest g;
  const Connection first = own(), second = forged(2);
  first.open(g);
  first.data(g, 1);
  g.fill_queue(90'000);
  expect_controlled(first.window_bytes(g, 1 + kData), first.scale);
  second.open(g);
  for (std::uint32_t i = 0; i < 8; ++i) {
    second.data(g, 1 + i * kData);
    expect_controlled(second.window_bytes(g, 1 + (i + 1) * kData), second.scale);
    first.data(g, 1 + (i + 1) * kData);
    expect_controlled(first.window_bytes(g, 1 + (i + 2) * kData), first.scale);
  }
  EXPECT_EQ(g.flow(ends()).beyond_bytes, 0U);
  EXPECT_EQ(g.decided_by(PST_BY_UNSEEN), 0U);
  EXPECT_EQ(g.decided_by(PST_BY_OLD_ACK), 0U);
}

// Of as many forged connections as there is room for, with data, the idle ones give way.
TEST_P(Contest, R35AFlowThatIsUsedKeepsItsPlace) {
  GatewayUnderTest g;
  own().open(g);
  for (std::uint32_t i = 0; i < 4 * PST_CONTENDERS; ++i) {
    own().data(g, 1 + i * kData);
    g.fill_queue(90'000);
    expect_controlled(own().window_bytes(g, 1 + (i + 1) * kData), own().scale);
    const Connection c = forged(14, 3'000'000'000 + i * 100'000'000);
    c.open(g);
    c.data(g, 1);
    c.window_bytes(g, 1 + kData);
    c.data(g, 1 + kData);
    c.window_bytes(g, 1 + 2 * kData);
  }
  EXPECT_EQ(g.flow(ends()).gateway.flow.scale, own().scale);
}

TEST_P(Contest, R35AResetEndsTheFlowWhoseNumberItHas) {
  GatewayUnderTest g;
  own().open(g);
  forged(14).open(g);
  Tcp reset = forged(14).of_receiver(1, kRst, 0);
  g.reverse(packet(ends(), reset));
  EXPECT_FALSE(g.flow(ends()).ends.over);
  reset = own().of_receiver(1, kRst, 0);
  g.reverse(packet(ends(), reset));
  EXPECT_TRUE(g.flow(ends()).ends.over);
}

// Nothing forged is left after a while, and the flow costs no further look-up.
TEST_P(Contest, R27WhatProvesNothingIsForgotten) {
  GatewayUnderTest g;
  own().open(g);
  forged(14).open(g);
  g.forward(forged(14, 77).of_sender(0, kSyn));
  EXPECT_TRUE(g.flow(ends()).contested);
  g.age_contenders(ends(), GW_OVER_NS + PST_NS_PER_S, GW_HALF_OPEN_NS + PST_NS_PER_S);
  g.sweep();
  own().data(g, 1);
  EXPECT_FALSE(g.flow(ends()).contested);
  EXPECT_EQ(g.waiting(), 0U);
}

// The handshake came first, and was forged: its sender reads 128 bytes for each 16,384.
TEST_P(Contest, R8ASenderThatNeverUsesItsWindowReadsAnotherScale) {
  GatewayUnderTest g;
  const Connection truth = own();
  Connection forged_before = own();
  forged_before.scale = 14;
  forged_before.open(g);
  forged(14).open(g);  // it contests, as the genuine one does
  std::uint32_t at = 1;
  std::uint64_t bytes = 0;
  int turns = 0;
  for (; turns < 4 * int{PST_UNUSED_TURNS}; ++turns) {
    truth.data(g, at, 128);
    at += 128;
    g.fill_queue(96'000);
    g.pass_time(3'000'000);  // longer than a unit of the marks
    bytes = truth.window_bytes(g, at);
    if (bytes == std::uint64_t{kOffer} << truth.scale) break;
  }
  EXPECT_EQ(bytes, std::uint64_t{kOffer} << truth.scale) << "it passes";
  EXPECT_GE(turns, int{PST_UNUSED_TURNS});
  EXPECT_GE(g.count(GW_PASS_misread) + g.decided_by(PST_BY_UNKNOWN_SCALE), 1U);
}

// Chats of a segment and answers of two: all windows are reduced, and never half of one used.
TEST_P(Contest, R8AnApplicationThatSendsLittleIsNotMisread) {
  for (const std::uint32_t segments : {1U, 2U}) {
    GatewayUnderTest g;
    own().open(g);
    forged(14).open(g);
    std::uint32_t at = 1;
    for (int turn = 0; turn < 4 * int{PST_UNUSED_TURNS}; ++turn) {
      for (std::uint32_t i = 1; i <= segments; ++i, at += 100)
        g.forward(own().of_sender(at, i == segments ? kAck | kPsh : kAck, 100));
      g.fill_queue(96'000);
      g.pass_time(3'000'000);  // longer than a unit of the marks
      expect_controlled(own().window_bytes(g, at), own().scale);
    }
    EXPECT_TRUE(g.flow(ends()).gateway.flow.contested);
    EXPECT_FALSE(g.flow(ends()).gateway.flow.scale_proved);
    EXPECT_EQ(g.count(GW_PASS_misread) + g.decided_by(PST_BY_UNKNOWN_SCALE), 0U);
  }
}

TEST_P(Contest, R15TenantsWithTheSameAddressesAreKeptApart) {
  for (const Link link : {Link::kVlan, Link::kQinq, Link::kPppoe}) {
    GatewayUnderTest g;
    const Connection one{ends(), 999, 4999, 7, link, 0}, other{ends(), 999, 4999, 2, link, 1};
    one.open(g);
    other.open(g);
    for (const Connection& c : {one, other}) {
      c.data(g, 1);
      g.fill_queue(90'000);
      expect_controlled(c.window_bytes(g, 1 + kData), c.scale);
    }
    EXPECT_EQ(g.known(), 2U) << static_cast<int>(link);
    EXPECT_EQ(g.decided_by(PST_BY_UNSEEN), 0U);
  }
}

// An IPv6 packet whose addresses have the form that the gateway gives IPv4's.
TEST_F(GatewayTest, AnAddressOfIpv6IsNoneOfIpv4) {
  GatewayUnderTest g;
  const Ends e;
  g.handshake(e);
  Bytes mapped = link_header(Link::kEthernet, true);
  const Bytes segment = tcp_segment(e, {.from_sender = false, .seq = 5000, .ack = 1000});
  put32(mapped, 6U << 28);
  put16(mapped, static_cast<std::uint32_t>(segment.size()));
  append(mapped, {6, 64});
  for (const bool sender : {false, true}) {
    append(mapped, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff});
    append(mapped, address(e, sender));
  }
  append(mapped, segment);
  g.reverse(mapped);
  EXPECT_EQ(g.count(GW_PASS_unknown_flow) + g.count(GW_PASS_damaged), 1U);
  EXPECT_EQ(g.flow(e).acks, 0U);
}

}  // namespace
}  // namespace penstock::test
