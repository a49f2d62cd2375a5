// SPDX-License-Identifier: GPL-2.0-only
// Flows that pass by wish: L4S senders where the queue marks (R20), and exemptions (R34).
#include <array>

#include "linux/gateway/tool/attach/shaper.h"
#include "linux/gateway/tool/settings/exempt.h"
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

constexpr std::uint16_t kSyn = 0x02, kSynAck = 0x12, kAck = 0x10;
constexpr std::uint16_t kEce = 0x40, kCwr = 0x80, kAe = 0x100;

class Bypass : public GatewayTest, public testing::WithParamInterface<bool> {
 protected:
  Ends ends() const { return {.ipv6 = GetParam()}; }

  // A handshake with these flags, some data with these ECN bits, and a full queue.
  static void open(GatewayUnderTest& g, const Ends& e, std::uint16_t asks, std::uint16_t answers,
                   std::uint8_t ecn) {
    const Bytes options = mss_and_scale(1460, 7);
    g.forward(packet(e, {.seq = 999,
                         .flags = static_cast<std::uint16_t>(kSyn | asks),
                         .window = 64240,
                         .options = options}));
    g.reverse(packet(e, {.from_sender = false,
                         .seq = 4999,
                         .ack = 1000,
                         .flags = static_cast<std::uint16_t>(kSynAck | answers),
                         .window = 65535,
                         .options = options}));
    g.forward(packet(e, {.seq = 1000, .ack = 5000, .flags = kAck, .window = 500}));
    g.forward(packet(e, {.seq = 1000,
                         .ack = 5000,
                         .flags = kAck,
                         .ecn = ecn,
                         .window = 500,
                         .payload_bytes = 1000}));
    g.fill_queue(96'500);
  }
};
INSTANTIATE_TEST_SUITE_P(Families, Bypass, testing::Bool(),
                         [](const auto& one) { return one.param ? "IPv6" : "IPv4"; });

TEST_P(Bypass, R20Ect1PassesWhereTheQueueMarks) {
  GatewayUnderTest g(slow_link("ewt"), true);
  open(g, ends(), 0, 0, 1);
  EXPECT_EQ(g.ack(ends(), 2000, 2000).window, 2000);
  EXPECT_EQ(g.count(GW_PASS_scalable), 1U);
}

TEST_P(Bypass, R20Ect0AndNoEctAreControlled) {
  for (const std::uint8_t ecn : std::array<std::uint8_t, 2>{0, 2}) {
    GatewayUnderTest g(slow_link("ewt"), true);
    open(g, ends(), kEce | kCwr, kEce, ecn);
    EXPECT_LT(g.ack(ends(), 2000, 2000).window, 2000);
    EXPECT_EQ(g.count(GW_PASS_scalable), 0U);
  }
}

// AccECN (RFC 9768) says nothing of the sender's congestion control: Linux' CUBIC speaks it too.
TEST_P(Bypass, R20AccEcnAloneIsControlled) {
  constexpr std::uint16_t kAsks = kAe | kCwr | kEce;
  for (const std::uint8_t ecn : std::array<std::uint8_t, 2>{0, 2}) {
    GatewayUnderTest g(slow_link("ewt"), true);
    open(g, ends(), kAsks, kCwr, ecn);
    EXPECT_LT(g.ack(ends(), 2000, 2000).window, 2000);
    EXPECT_EQ(g.count(GW_PASS_scalable), 0U);
  }
}

TEST_P(Bypass, R20WithoutMarksTheFloorIsTwoSegments) {
  GatewayUnderTest g(slow_link("ewt"), false);
  open(g, ends(), 0, 0, 1);
  EXPECT_EQ(g.ack(ends(), 2000, 2000).window, (2 * 1460 + 127) / 128);
}

TEST_P(Bypass, R34ExemptFlowsPass) {
  const char* const kExempt[] = {"10.0.0.0/8", "fd00::/8", "port 80", "10.0.0.1 port 40000",
                                 "fd00::1 port 40000"};
  for (const std::string rule : kExempt) {
    gw::Settings s = slow_link("ewt");
    s.exempt = {"192.0.2.0/24", rule};
    GatewayUnderTest g(s);
    open(g, ends(), 0, 0, 0);
    const bool matches = rule == "port 80" || (rule.find(':') != std::string::npos) == GetParam();
    EXPECT_EQ(g.ack(ends(), 2000, 2000).window == 2000, matches) << rule;
    EXPECT_EQ(g.count(GW_PASS_exempt), matches ? 1U : 0U) << rule;
  }
}

TEST_P(Bypass, R6R34TheSynAckOfExemptFlowsPasses) {
  gw::Settings s = slow_link("penstock");
  s.exempt = {"port 81"};
  GatewayUnderTest g(s);
  const Bytes options = mss_and_scale(1460, 7);
  for (const std::uint16_t port : {std::uint16_t{80}, std::uint16_t{81}}) {
    const Ends e{.ipv6 = GetParam(), .receiver_port = port};
    const Bytes answer = packet(e, {.from_sender = false,
                                    .seq = 4999,
                                    .ack = 1000,
                                    .flags = kSynAck,
                                    .window = 65'535,
                                    .options = options});
    g.forward(packet(e, {.seq = 999, .flags = kSyn, .options = options}));
    EXPECT_EQ(g.reverse(answer) == answer, port == 81);
  }
}

TEST_P(Bypass, R34OthersAreControlled) {
  gw::Settings s = slow_link("ewt");
  s.exempt = {"11.0.0.0/8", "fe00::/8", "port 443", "10.0.0.1 port 80", "fd00::1 port 80"};
  GatewayUnderTest g(s);
  open(g, ends(), 0, 0, 0);
  EXPECT_LT(g.ack(ends(), 2000, 2000).window, 2000);
}

// Not even the outer header is part of a key: what tunnels carry belongs to no flow.
TEST_P(Bypass, R18WhatGreAndVxlanCarryPassesAndIsLoad) {
  for (const auto wrapped : {in_gre, in_vxlan}) {
    GatewayUnderTest g;
    const Bytes options = mss_and_scale(1460, 7);
    const auto passes = [&](const Tcp& t) {
      const Bytes bytes = wrapped(ends(), t);
      EXPECT_EQ(t.from_sender ? g.forward(bytes) : g.reverse(bytes), bytes);
    };
    passes({.seq = 999, .flags = kSyn, .options = options});
    passes({.from_sender = false, .seq = 4999, .ack = 1000, .flags = kSynAck, .options = options});
    passes({.seq = 1000, .ack = 5000});
    const std::uint64_t load = g.other_bytes();
    passes({.seq = 1000, .ack = 5000, .payload_bytes = 1000});
    EXPECT_GT(g.other_bytes(), load + 1000);
    g.fill_queue(96'500);
    passes({.from_sender = false, .seq = 5000, .ack = 2000, .window = 2000});
    EXPECT_EQ(g.known(), 0U);
    EXPECT_EQ(g.count(GW_PASS_not_tcp), 2U);
  }
}

TEST(Marking, IsTheAqmsAndNotTheFifosWay) {
  EXPECT_TRUE(gw::may_mark({{.kind = "htb"}, {.kind = "fq_codel"}}));
  EXPECT_TRUE(gw::may_mark({{.kind = "dualpi2"}}));
  EXPECT_FALSE(gw::may_mark({{.kind = "htb"}, {.kind = "bfifo"}, {.kind = "clsact"}}));
}

TEST(Exempt, IsShownAsItWasSaid) {
  gw_config c{};
  const std::vector<std::string> rules = {"10.0.0.0/8", "192.0.2.1/32",          "2001:db8::/32",
                                          "port 22",    "192.0.2.0/24 port 443", "0.0.0.0/0",
                                          "::/0"};
  gw::set_exemptions(rules, c);
  EXPECT_EQ(gw::exemption_texts(c), rules);
  gw::set_exemptions({"none"}, c);
  EXPECT_TRUE(gw::exemption_texts(c).empty());
}

TEST(Exempt, WhatIsWrongIsNamed) {
  gw_config c{};
  for (const char* rule : {"10.0.0.1/8", "10.0.0.0/33", "::/129", "port", "port 0", "port 65536",
                           "port 22 x", "10.0.0.0/8 22", "", "ten", "none none"})
    EXPECT_THROW(gw::set_exemptions({rule}, c), std::invalid_argument) << rule;
  EXPECT_THROW(gw::set_exemptions(std::vector<std::string>(33, "port 1"), c),
               std::invalid_argument);
}

}  // namespace
}  // namespace penstock::test
