// SPDX-License-Identifier: GPL-2.0-only
// What the gateway learns of a flow and when it forgets it: R7, R8, R16, R17, R21, R27.
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

std::uint64_t rtt_ns(const GatewayUnderTest& g, const Ends& e) {
  const gw_flow f = g.flow(e);
  return pst_rtt_get(&f.gateway.rtt);
}

class Flows : public GatewayTest {
 protected:
  static Bytes syn(const Ends& e, bool from_sender, std::uint32_t seq, std::uint8_t flags,
                   const Bytes& options) {
    return packet(e, {.from_sender = from_sender,
                      .seq = seq,
                      .ack = from_sender ? 5000U : 1000U,
                      .flags = flags,
                      .window = 65535,
                      .options = options});
  }
};

TEST_F(Flows, R7TheScaleIsTheReceiversIfBothHaveOne) {
  GatewayUnderTest g;
  Ends e;
  for (const int sender : {-1, 0, 7, 14, 15, 255}) {
    for (const int receiver : {-1, 0, 1, 7, 14, 15, 255}) {
      for (const bool receiver_opens : {false, true}) {
        ++e.sender_port;
        g.handshake(e, sender, receiver, 1460, receiver_opens);
        const int clamped = receiver > 14 ? 14 : receiver;
        ASSERT_TRUE(g.knows(e)) << sender << " " << receiver << " " << receiver_opens;
        EXPECT_EQ(g.flow(e).gateway.flow.scale, sender < 0 || receiver < 0 ? 0 : clamped);
      }
    }
  }
}

// A full map forgets the flow not seen for longest; that one passes from then on.
TEST_F(Flows, R27AFullMapForgetsOldFlowsAndLetsThemPass) {
  GatewayUnderTest g;
  const Ends first{.sender_port = 1};
  g.handshake(first);
  for (std::uint32_t i = 0; i < 3 * kTestFlows; ++i)
    g.handshake({.sender_port = static_cast<std::uint16_t>(2 + i)});
  g.fill_queue(90'000);
  EXPECT_FALSE(g.knows(first));
  EXPECT_EQ(g.ack(first, 1000, 2000).window, 2000);
  const Ends last{.sender_port = static_cast<std::uint16_t>(1 + 3 * kTestFlows)};
  EXPECT_LT(g.ack(last, 1000, 2000).window, 2000);
}

TEST_F(Flows, R27HandshakesEvictNoFlowThatCarriesData) {
  GatewayUnderTest g;
  const Ends flow{.sender_port = 1};
  g.handshake(flow);
  for (std::uint32_t i = 0; i < 3 * kTestFlows; ++i) {
    g.handshake({.sender_port = static_cast<std::uint16_t>(2 + i)});
    if (i % 64 == 0) g.data(flow, 1000, 100);
  }
  EXPECT_TRUE(g.knows(flow));
}

TEST_F(Flows, R7ASynThatComesAgainWithoutTheOptionWins) {
  GatewayUnderTest g;
  const Ends e;
  g.forward(syn(e, true, 999, 2, mss_and_scale(1460, 7)));
  g.forward(syn(e, true, 999, 2, mss_and_scale(1460, -1)));
  g.reverse(syn(e, false, 4999, 0x12, mss_and_scale(1460, -1)));
  g.forward(packet(e, {.seq = 1000, .ack = 5000}));
  ASSERT_TRUE(g.knows(e));
  EXPECT_EQ(g.flow(e).gateway.flow.scale, 0);
  EXPECT_EQ(rtt_ns(g, e), 0U) << "which SYN was answered, nobody can tell";
}

TEST_F(Flows, R7ANewConnectionOnTheSameEndsReplacesOneThatIsOver) {
  GatewayUnderTest g;
  const Ends e;
  g.handshake(e, 7, 7);
  g.ack(e, 900'000, 100);
  g.reverse(packet(e, {.from_sender = false, .seq = 5000, .flags = 0x04}));
  g.handshake(e, 7, 2);
  EXPECT_EQ(g.flow(e).gateway.flow.scale, 2);
  EXPECT_FALSE(g.flow(e).gateway.flow.has_ack);
}

TEST_F(Flows, AStraySynLeavesTheFlowAsItIs) {
  GatewayUnderTest g;
  const Ends e;
  g.handshake(e, 7, 7);
  g.forward(syn(e, true, 77, 2, mss_and_scale(1460, 0)));
  g.fill_queue(80'000);
  EXPECT_LT(g.ack(e, 1000, 2000).window, 2000);
  EXPECT_EQ(g.flow(e).gateway.flow.scale, 7);
}

TEST_F(Flows, SimultaneousOpenIsAHandshakeToo) {
  GatewayUnderTest g;
  const Ends e;
  g.forward(syn(e, true, 999, 2, mss_and_scale(1460, 3)));
  g.reverse(syn(e, false, 4999, 2, mss_and_scale(1460, 5)));
  g.reverse(syn(e, false, 4999, 0x12, mss_and_scale(1460, 5)));
  g.forward(syn(e, true, 999, 0x12, mss_and_scale(1460, 3)));
  g.data(e, 1000, 100);
  ASSERT_TRUE(g.knows(e));
  EXPECT_EQ(g.flow(e).gateway.flow.scale, 5);
}

TEST_F(Flows, R21OneDirectionAloneMakesNoFlow) {
  GatewayUnderTest g;
  const Ends e;
  g.reverse(syn(e, false, 4999, 2, mss_and_scale(1460, 7)));
  EXPECT_EQ(g.ack(e, 1000, 2000).window, 2000);
  EXPECT_FALSE(g.knows(e));
}

TEST_F(Flows, TheThirdPacketMustKnowTheAnswersNumber) {
  GatewayUnderTest g;
  const Ends e;
  g.forward(syn(e, true, 999, 2, mss_and_scale(1460, 7)));
  g.reverse(syn(e, false, 4999, 0x12, mss_and_scale(1460, 7)));
  g.forward(packet(e, {.seq = 1000, .ack = 123'456'789}));
  EXPECT_FALSE(g.knows(e));
  g.forward(packet(e, {.seq = 1000, .ack = 5000}));
  EXPECT_TRUE(g.knows(e));
}

Bytes syn_ack(const Ends& e, const Bytes& options) {
  return packet(e, {.from_sender = false,
                    .seq = 4999,
                    .ack = 1000,
                    .flags = 0x12,
                    .window = 65'535,
                    .options = options});
}

// From the SYN-ACK on, whose window `penstock` sets (R6).
void expect_bypass(const Bytes& option, int counter) {
  for (const bool ipv6 : {false, true}) {
    GatewayUnderTest g("penstock");
    const Ends e{.ipv6 = ipv6};
    Bytes options = mss_and_scale(1460, 7);
    append(options, option);
    const Bytes answer = syn_ack(e, options);
    g.forward(packet(e, {.seq = 999, .flags = 2, .options = mss_and_scale(1460, 7)}));
    EXPECT_NE(g.reverse(answer), answer) << "one end alone asks for it";
    g.forward(packet(e, {.seq = 999, .flags = 2, .options = options}));
    EXPECT_EQ(g.reverse(answer), answer);
    g.forward(packet(e, {.seq = 1000, .ack = 5000, .options = option}));
    g.fill_queue(90'000);
    EXPECT_EQ(g.ack(e, 1000, 2000).window, 2000);
    EXPECT_EQ(g.count(counter), 1U);
  }
}

// What is rewritten is part of what is seen, also of a connection that has only opened.
TEST_F(Flows, R6ASynAckThatIsRewrittenIsSeen) {
  GatewayUnderTest g("penstock");
  const Ends e;
  const Bytes options = mss_and_scale(1460, 7);
  const Bytes answer = syn_ack(e, options);
  g.forward(packet(e, {.seq = 999, .flags = 2, .options = options}));
  EXPECT_NE(g.reverse(answer), answer);
  EXPECT_EQ(g.count(GW_COUNT_acks_rewritten), 1U);
  EXPECT_EQ(g.count(GW_COUNT_acks_seen), 1U);
}

TEST_F(Flows, R16Md5IsLeftAlone) {
  Bytes md5(18, 0);
  md5[0] = 19;
  md5[1] = 18;
  expect_bypass(md5, GW_PASS_authenticated);
}

TEST_F(Flows, R16TcpAoIsLeftAlone) {
  Bytes ao(16, 0);
  ao[0] = 29;
  ao[1] = 16;
  expect_bypass(ao, GW_PASS_authenticated);
}

TEST_F(Flows, R17MptcpIsLeftAlone) { expect_bypass({30, 4, 0x01, 0x81}, GW_PASS_multipath); }

TEST_F(Flows, R27FloodedSynsEvictNoFlow) {
  GatewayUnderTest g;
  const Ends flow{.sender_port = 1};
  g.handshake(flow);
  for (std::uint32_t i = 0; i < 3 * kTestFlows; ++i) {
    const Ends e{.sender_port = static_cast<std::uint16_t>(2 + i % 60'000),
                 .receiver_port = static_cast<std::uint16_t>(80 + i / 60'000)};
    g.forward(syn(e, true, i, 2, mss_and_scale(1460, 7)));
    g.reverse(syn(e, false, i, 0x12, mss_and_scale(1460, 7)));
  }
  EXPECT_TRUE(g.knows(flow));
  EXPECT_EQ(g.count(GW_COUNT_flows_opened), 1U);
}

TEST_F(Flows, R27ResetAndFinEndAFlow) {
  GatewayUnderTest g;
  const Ends e;
  g.handshake(e);
  g.reverse(packet(e, {.from_sender = false, .seq = 5000, .flags = 0x04}));
  EXPECT_TRUE(g.flow(e).ends.over);
  g.handshake(e);
  g.forward(packet(e, {.seq = 1000, .ack = 5000, .flags = 0x11}));
  EXPECT_FALSE(g.flow(e).ends.over) << "the other side may go on";
  g.reverse(packet(e, {.from_sender = false, .seq = 5000, .ack = 1001, .flags = 0x11}));
  g.forward(packet(e, {.seq = 1001, .ack = 5001}));
  EXPECT_TRUE(g.flow(e).ends.over);
  EXPECT_EQ(g.count(GW_COUNT_flows_closed), 2U);
}

Bytes stamps(std::uint64_t val, std::uint64_t echo) {
  Bytes options{1, 1, 8, 10};
  put32(options, static_cast<std::uint32_t>(val));
  put32(options, static_cast<std::uint32_t>(echo));
  return options;
}

// Data is sent the moment an ACK comes to its sender, and waits on its way here as told.
TEST_F(Flows, R31WhatAcksWaitBehindTheGatewayIsPathAndWhatDataWaitsIsNot) {
  constexpr std::uint64_t kMs = 1'000'000;
  constexpr std::uint64_t kTick = 1000;
  struct Waits {
    std::uint64_t ack_ms, data_ms;
  };
  for (const Waits waits : {Waits{300, 0}, Waits{300, 200}, Waits{10, 290}}) {
    gw::Settings settings = slow_link("penstock");
    settings.params = {{"interval_ns", "1000s"}};  // no tick is late, whatever time passes
    GatewayUnderTest g(settings);
    const Ends e;
    g.handshake(e);
    const std::uint64_t begun_ns = g.now_ns();
    std::uint32_t next = 1000;
    const auto data = [&](std::uint64_t waited_ms, std::uint64_t echo) {
      const std::uint64_t sent_ns = g.now_ns() - begun_ns - waited_ms * kMs;
      g.forward(packet(e, {.seq = next,
                           .ack = 5000,
                           .window = 502,
                           .options = stamps(kTick + sent_ns / kMs, echo),
                           .payload_bytes = 1000}));
      next += 1000;
    };
    g.pass_time(1000 * kMs);
    data(0, 1);
    for (std::uint64_t turn = 2; turn < 230; ++turn) {
      g.reverse(packet(e, {.from_sender = false,
                           .seq = 5000,
                           .ack = next,
                           .window = 60000,
                           .options = stamps(turn, kTick)}));
      const bool waited = turn > 210;
      g.pass_time((waited ? waits.ack_ms : 10) * kMs);
      if (waited) g.pass_time(waits.data_ms * kMs);
      data(waited ? waits.data_ms : 0, turn - 1);
      data(waited ? waits.data_ms : 0, turn);
    }
    const std::uint64_t path_ms = rtt_ns(g, e) / kMs;
    const bool is_path = waits.ack_ms > 20;
    EXPECT_NEAR(static_cast<double>(path_ms), is_path ? 300 : 0, is_path ? 3 : 20)
        << waits.ack_ms << " " << waits.data_ms;
  }
}

TEST_F(Flows, TheRoundTripComesFromTheHandshake) {
  GatewayUnderTest g;
  const Ends e;
  g.handshake(e);
  EXPECT_EQ(rtt_ns(g, e), 2 * kPacketNs);
}

TEST_F(Flows, TheSegmentIsTheReceiversMssLessTimestamps) {
  GatewayUnderTest g;
  const Ends e;
  Bytes options = mss_and_scale(1400, 7);
  append(options, {8, 10, 0, 0, 0, 1, 0, 0, 0, 0});
  g.forward(syn(e, true, 999, 2, options));
  g.reverse(syn(e, false, 4999, 0x12, options));
  g.forward(packet(e, {.seq = 1000, .ack = 5000}));
  EXPECT_EQ(g.flow(e).gateway.flow.mss_bytes, 1388U);
}

}  // namespace
}  // namespace penstock::test
