// SPDX-License-Identifier: GPL-2.0-only
// What rules spare in the kernel, packet by packet, and what they do not.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/gateway/datagram.h"
#include "tests/gateway/long_queue.h"

namespace penstock::test {

namespace {

constexpr std::uint8_t kEf = 46 << 2, kCs1 = 8 << 2;

gw::Settings settings(const std::vector<std::string>& spare) {
  gw::Settings s = fair_link();
  if (!spare.empty()) s.spare = spare;
  return s;
}

class Spare : public LongQueueTest {
 protected:
  static int dropped(GatewayUnderTest& g, const Bytes& bytes, int count = kMany) {
    return LongQueueTest::dropped(g, count, bytes);
  }
};

}  // namespace

// What a rule names is in rule_test.cpp; here are the packets as the programs find them.
TEST_F(Spare, WhatTheFirstRuleThatNamesItSparesAndNothingElse) {
  GatewayUnderTest g(settings({"udp port 5004", "10.0.0.77 port 1", "mark 0x10/0xf0", "dscp=ef,cs7",
                               "fd00::c8 port 443", "sctp", "10.0.0.0/8 tcp"}));
  const auto udp = [](std::uint16_t port, std::uint8_t host = 1, std::uint8_t tos = 0) {
    return datagram({.receiver_port = port, .host = host}, true, PST_IP_UDP, tos);
  };
  const Tcp data{.seq = 5, .ack = 6, .ecn = kEf, .payload_bytes = 1000};
  constexpr std::uint32_t kNone = PST_MAX_RULES;
  const struct {
    Bytes bytes;
    std::uint32_t mark, rule;
  } all[] = {
      {udp(5004, 1, kEf), 0, 0},
      {udp(1, 77), 0, kNone},  // the port of the other end
      {datagram({.sender_port = 1, .host = 77}), 0, 1},
      {udp(9), 0x1317, 2},
      {udp(9), 0x1327, kNone},
      {udp(9, 1, kEf | PST_ECT0), 0, 3},
      {packet({.ipv6 = true}, data), 0, 3},
      {udp(9, 1, kCs1), 0, kNone},
      {packet({.ipv6 = true, .receiver_port = 443}, {.seq = 5, .ack = 6, .payload_bytes = 9}), 0,
       4},
      {datagram({}, true, PST_IP_SCTP), 0, 5},
      {packet({}, {.seq = 5, .ack = 6, .payload_bytes = 1000}), 0, 6},
  };
  std::uint64_t counts[PST_MAX_RULES + 1] = {};
  for (const auto& [bytes, mark, rule] : all) {
    g.set_mark(mark);
    const int drops = dropped(g, bytes, 200);
    if (rule == kNone) continue;
    EXPECT_EQ(drops, 0) << rule;
    counts[rule] += 200;
    EXPECT_EQ(g.spared(rule).packets, counts[rule]);
  }
  EXPECT_FALSE(g.held().empty()) << "what no rule names";
}

// Anybody may send with any DSCP: what comes in by the device has it from the provider's side.
TEST_F(Spare, ADscpFromOutsideIsBelievedOnlyIfTold) {
  const Bytes voice = datagram({.receiver_port = 5004}, true, PST_IP_UDP, kEf);
  for (const bool trusts : {false, true}) {
    GatewayUnderTest g(settings({trusts ? "dscp=ef,trust" : "dscp=ef"}), false, PST_NS_PER_S,
                       gw::Below::kBefore);
    const int drops = dropped(g, voice);
    EXPECT_EQ(drops == 0, trusts);
    EXPECT_EQ(g.spared(0).packets, trusts ? unsigned{kMany} : 0U);
  }
}

TEST_F(Spare, MarksNothingThatARuleNames) {
  GatewayUnderTest g(settings({"dscp=ef"}));
  const Bytes capable = datagram({}, true, PST_IP_UDP, kEf | PST_ECT0);
  for (int i = 0; i < kMany; ++i) {
    if (i % 50 == 0) g.fill_queue(kLongQueueBytes);
    ASSERT_EQ(g.forward(capable), capable);
  }
  EXPECT_EQ(g.count(GW_COUNT_early_marks) + g.count(GW_COUNT_early_drops), 0U);
  EXPECT_EQ(g.shared().port.state.discipline.fair.spent_bytes, 0U) << "beside the part of the link";
}

// The first rule that names a packet has it, and its flows are listed by their own names.
TEST_F(Spare, EachRuleCountsWhatItSpares) {
  GatewayUnderTest g(settings({"udp port 5004", "dscp=ef", "udp"}));
  const Bytes first = datagram({.receiver_port = 5004}, true, PST_IP_UDP, kEf);
  const Bytes second = datagram({.receiver_port = 1}, true, PST_IP_UDP, kEf);
  const Bytes third = datagram({.receiver_port = 2});
  EXPECT_EQ(dropped(g, first, 300) + dropped(g, second, 200) + dropped(g, third, 100), 0);
  EXPECT_EQ(g.spared(0).packets, 300U);
  EXPECT_EQ(g.spared(1).packets, 200U);
  EXPECT_EQ(g.spared(2).packets, 100U);
  EXPECT_EQ(g.spared_flows(), 3U);
}

// A voice stream that nobody answers suffers from no other, and its rule's from nobody.
TEST_F(Spare, NamesOfAFloodAreNoFlowsAndOthersKeepTheirs) {
  GatewayUnderTest g(settings({"udp port 5004"}));
  const Ends polite{.sender_port = 5000, .receiver_port = 53};
  g.reverse(datagram(polite, false));
  int forged = 0, own = 0;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    if (i % 50 == 0) g.fill_queue(kLongQueueBytes);
    forged +=
        g.forward(datagram({.sender_port = static_cast<std::uint16_t>(i), .receiver_port = 5004}))
            .empty();
    if (i % 2000 == 0) own += g.forward(datagram(polite)).empty();
  }
  EXPECT_EQ(forged, 0);
  EXPECT_EQ(own, 0);
  EXPECT_LE(g.spared_flows(), std::size_t{2 * GW_MAX_SPARED});
  const pst_fair_state s = g.shared().port.state.discipline.fair;
  EXPECT_LE(s.running_q16, (PST_FAIR_MOST_PARTS + 2) * PST_Q16_ONE) << "one flow";
}

TEST_F(Spare, WhatIsBeyondTheBoundIsHeldAsWithoutTheRule) {
  GatewayUnderTest g(settings({"udp up to 20%"}));
  const Bytes flood = datagram({});
  const std::uint64_t begun_ns = g.now_ns();
  int passed = 0;
  constexpr int kCount = 4000;
  for (int i = 0; i < kCount; ++i) {
    g.pass_time(490'000);  // about twice the rate of the link
    g.fill_queue(kLongQueueBytes);
    passed += !g.forward(flood).empty();
  }
  const double seconds = static_cast<double>(g.now_ns() - begun_ns) / 1e9;
  const pst_spared s = g.spared(0);
  const double most = 0.2 * 1e6 * (seconds + 0.5) + static_cast<double>(flood.size());
  EXPECT_LE(static_cast<double>(s.bytes), most);
  EXPECT_GE(static_cast<double>(s.bytes), 0.98 * 0.2 * 1e6 * seconds);
  EXPECT_EQ(s.packets + s.beyond_packets, unsigned{kCount});
  EXPECT_LT(passed, kCount) << "the rest is held";
}

TEST_F(Spare, ARuleHasNothingToSayOfWhatWindowsControlOrIsSparedAnyway) {
  GatewayUnderTest g(settings({"0.0.0.0/0"}));
  g.handshake({});
  g.ack({}, 1000, 60'000);
  EXPECT_EQ(dropped(g, packet({}, {.seq = 1000, .ack = 5000, .payload_bytes = 1000}), 10), 0);
  EXPECT_EQ(dropped(g, packet({.sender_port = 7}, {.seq = 5, .ack = 6}), 10), 0);
  EXPECT_EQ(g.spared(0).packets, 0U);
  EXPECT_EQ(dropped(g, packet({}, {.seq = 99'000, .ack = 5000, .payload_bytes = 1000}), 10), 0);
  EXPECT_EQ(g.spared(0).packets, 10U) << "beyond every window";
  EXPECT_EQ(dropped(g, datagram({}, true, PST_IP_ICMP), kMany), 0);
  EXPECT_EQ(g.spared(0).packets, 10U + kMany) << "ICMP";
}

// Rules are settings: the program that runs follows, and one without rules spares nothing by them.
TEST_F(Spare, WithoutRulesNothingIsLookedFor) {
  GatewayUnderTest g(settings({}));
  EXPECT_FALSE(g.config().spares);
  EXPECT_GT(dropped(g, datagram({}, true, PST_IP_UDP, kCs1)), kMany / 2);
  EXPECT_EQ(g.spared_flows(), 0U);
}

// Of a shape the bound is a part of its own rate, and its flows count there.
TEST_F(Spare, ShapesHaveTheRulesEachForItself) {
  gw::Settings s = settings({"dscp=ef", "udp up to 10%"});
  s.shapes = "4";
  GatewayUnderTest g(s);
  for (const std::uint32_t id : {1U, 2U}) {
    g.add_shape(id, "", 100'000, 97'000);
    g.select(GW_BY_MARK, id, id);
  }
  const Bytes plain = datagram({.receiver_port = 2});
  g.set_mark(1);
  std::uint64_t spared = 0;
  for (const std::uint32_t id : {1U, 2U}) {
    g.set_mark(id);
    for (int i = 0; i < 100; ++i) g.forward(plain);
    EXPECT_LE(g.spared(1).bytes - spared, 10'000U) << id;
    EXPECT_GE(g.spared(1).bytes - spared, 4'000U) << id;
    spared = g.spared(1).bytes;
  }
}

}  // namespace penstock::test
