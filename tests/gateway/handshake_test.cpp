// SPDX-License-Identifier: GPL-2.0-only
// Forged and varying SYNs, on packets through the program in the kernel: R7, R27, R35.
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

constexpr std::uint8_t kSyn = 0x02, kSynAck = 0x12;
constexpr int kScale = 7;
constexpr std::uint16_t kOffer = 4000;

class Handshakes : public GatewayTest, public testing::WithParamInterface<bool> {
 protected:
  Ends ends() const { return {.ipv6 = GetParam()}; }

  // The data's sender has the number 999, its receiver 4999.
  void syn(GatewayUnderTest& g, bool from_sender, std::uint8_t flags, int scale,
           std::uint32_t isn = 0) const {
    const Bytes bytes = packet(ends(), {.from_sender = from_sender,
                                        .seq = isn ? isn : own_isn(from_sender),
                                        .ack = flags == kSynAck ? own_isn(!from_sender) + 1 : 0,
                                        .flags = flags,
                                        .window = 65535,
                                        .options = mss_and_scale(1460, scale)});
    from_sender ? g.forward(bytes) : g.reverse(bytes);
  }
  void finish(GatewayUnderTest& g, bool sender_opens) const {
    const Bytes bytes = packet(ends(), {.from_sender = sender_opens,
                                        .seq = own_isn(sender_opens) + 1,
                                        .ack = own_isn(!sender_opens) + 1,
                                        .window = 502});
    sender_opens ? g.forward(bytes) : g.reverse(bytes);
  }
  static std::uint32_t own_isn(bool of_sender) { return of_sender ? 999 : 4999; }

  // The window that the sender reads with the shift `scale`, of kOffer << `scale`.
  std::uint64_t window_bytes(GatewayUnderTest& g, int scale) const {
    g.data(ends(), 1000, 1460);
    g.fill_queue(97'000);
    return std::uint64_t{g.ack(ends(), 2460, kOffer).window} << scale;
  }
};
INSTANTIATE_TEST_SUITE_P(Families, Handshakes, testing::Bool(),
                         [](const auto& one) { return one.param ? "IPv6" : "IPv4"; });

TEST_P(Handshakes, R7ASynWithoutAnswerGivesNoScale) {
  for (const bool sender_opens : {false, true})
    for (const int forged : {14, 0, -1})
      for (const bool before_answer : {false, true}) {
        GatewayUnderTest g;
        syn(g, sender_opens, kSyn, kScale);
        if (before_answer) syn(g, sender_opens, kSyn, forged, 77);
        syn(g, !sender_opens, kSynAck, kScale);
        if (!before_answer) syn(g, sender_opens, kSyn, forged, 77);
        finish(g, sender_opens);
        ASSERT_TRUE(g.knows(ends()));
        const std::uint64_t bytes = window_bytes(g, kScale);
        EXPECT_GE(bytes, 1460U) << forged;
        EXPECT_LT(bytes, std::uint64_t{kOffer} << kScale) << forged;
      }
}

TEST_P(Handshakes, R7TheSynThatIsAnsweredMayBeTheSecond) {
  for (const bool sender_opens : {false, true}) {
    GatewayUnderTest g;
    syn(g, sender_opens, kSyn, 3, 77);  // of a connection that is dead
    syn(g, sender_opens, kSyn, kScale);
    syn(g, !sender_opens, kSynAck, kScale);
    finish(g, sender_opens);
    ASSERT_TRUE(g.knows(ends()));
    EXPECT_EQ(g.flow(ends()).gateway.flow.scale, kScale);
    EXPECT_LT(window_bytes(g, kScale), std::uint64_t{kOffer} << kScale);
  }
}

// Whichever its sender took: it gets no more than a receiver with the larger shift alone.
TEST_P(Handshakes, R7AReceiverThatVariesItsShiftGainsNothing) {
  for (const bool sender_opens : {false, true}) {
    const auto bytes_with = [&](int other, std::uint32_t isn) {
      GatewayUnderTest g;
      const std::uint8_t flags = sender_opens ? kSynAck : kSyn;
      if (sender_opens) syn(g, true, kSyn, kScale);
      syn(g, false, flags, 14);
      syn(g, false, flags, other, isn);
      if (!sender_opens) syn(g, true, kSynAck, kScale);
      finish(g, sender_opens);
      EXPECT_TRUE(g.knows(ends()));
      return window_bytes(g, 14);
    };
    const std::uint64_t honest = bytes_with(14, 4999);
    EXPECT_LT(honest, std::uint64_t{kOffer} << 14);
    for (const int other : {0, -1})
      for (const std::uint32_t isn : {4999U, 4900U})
        EXPECT_LE(bytes_with(other, isn), honest + (1U << 14)) << other << isn;
  }
}

// Linux takes such a SYN, and so the flow is no unknown one.
TEST_P(Handshakes, R7AMalformedOptionEndsTheOptionsOnly) {
  for (const bool sender_opens : {false, true})
    for (const Bytes& last : {Bytes{1, 1, 77, 9}, Bytes{1, 1, 77, 0}, Bytes{1, 1, 1, 77}}) {
      GatewayUnderTest g;
      for (const bool from_sender : {sender_opens, !sender_opens}) {
        Bytes options = mss_and_scale(1460, kScale);
        append(options, last);
        const Bytes bytes = packet(ends(), {.from_sender = from_sender,
                                            .seq = own_isn(from_sender),
                                            .ack = own_isn(!from_sender) + 1,
                                            .flags = from_sender == sender_opens ? kSyn : kSynAck,
                                            .window = 65535,
                                            .options = options});
        from_sender ? g.forward(bytes) : g.reverse(bytes);
      }
      finish(g, sender_opens);
      ASSERT_TRUE(g.knows(ends()));
      EXPECT_EQ(g.flow(ends()).gateway.flow.scale, kScale);
      EXPECT_LT(window_bytes(g, kScale), std::uint64_t{kOffer} << kScale);
    }
}

// Forged SYNs of other connections while SYNs wait for their answers.
TEST_P(Handshakes, R27AFloodForgetsHandshakesThatItOutnumbers) {
  constexpr std::uint16_t kGenuine = 64;
  for (const bool outnumbered : {false, true}) {
    GatewayUnderTest g;
    const auto genuine = [&](std::uint16_t i) {
      return Ends{.ipv6 = GetParam(), .sender_port = static_cast<std::uint16_t>(40'000 + i)};
    };
    const auto pass = [&](const Ends& e, bool from_sender, std::uint16_t flags) {
      const Bytes bytes = packet(e, {.from_sender = from_sender,
                                     .seq = own_isn(from_sender) + (flags & kSyn ? 0U : 1U),
                                     .ack = own_isn(!from_sender) + 1,
                                     .flags = flags,
                                     .options = mss_and_scale(1460, kScale)});
      from_sender ? g.forward(bytes) : g.reverse(bytes);
    };
    for (std::uint16_t i = 0; i < kGenuine; ++i) pass(genuine(i), true, kSyn);
    const std::uint32_t forged = outnumbered ? 4 * kTestFlows : kTestFlows / 2;
    for (std::uint32_t i = 1; i <= forged; ++i)
      pass({.ipv6 = GetParam(), .sender_port = static_cast<std::uint16_t>(i)}, true, kSyn);
    g.fill_queue(90'000);
    int known = 0;
    for (std::uint16_t i = 0; i < kGenuine; ++i) {
      const Ends e = genuine(i);
      pass(e, false, kSynAck);
      pass(e, true, 0x10);
      g.data(e, 1000, 1460);
      known += g.knows(e);
      EXPECT_EQ(g.ack(e, 2460, kOffer).window < kOffer, g.knows(e)) << i;
    }
    if (outnumbered) {
      EXPECT_LT(known, kGenuine / 2);
      EXPECT_GE(g.other_bytes(), 1460U * (kGenuine - known)) << "R18";
    } else {
      EXPECT_EQ(known, int{kGenuine});
    }
  }
}

TEST_P(Handshakes, R27TheEvictedAreForgottenAtTheNextSweep) {
  GatewayUnderTest g;
  constexpr std::uint16_t kSyns = 3 * kTestFlows;
  for (std::uint16_t port = 1; port <= kSyns; ++port)
    g.forward(packet({.ipv6 = GetParam(), .sender_port = port}, {.seq = 999, .flags = kSyn}));
  EXPECT_EQ(g.waiting(), kSyns);
  g.sweep();
  EXPECT_LE(g.waiting(), kTestFlows);
  EXPECT_GT(g.waiting(), kTestFlows / 2);
}

TEST(HalfOpen, R27ThereAreMoreHandshakesWithMoreFlows) {
  EXPECT_EQ(gw_max_half_open(1000), 1000U);
  EXPECT_EQ(gw_max_half_open(GW_MAX_FLOWS), std::uint32_t{GW_MAX_HALF_OPEN});
  EXPECT_EQ(gw_max_half_open(1'000'000), 250'000U);
}

TEST_P(Handshakes, R35ASynAckOfAnotherNumberIsForged) {
  GatewayUnderTest g;
  const auto answer = [&](std::uint32_t ack, int scale) {
    g.reverse(packet(ends(), {.from_sender = false,
                              .seq = ack == 1000 ? 4999U : 5U,
                              .ack = ack,
                              .flags = kSynAck,
                              .window = 65535,
                              .options = mss_and_scale(1460, scale)}));
  };
  syn(g, true, kSyn, kScale);
  answer(77, 14);
  answer(1000, kScale);
  answer(77, 14);
  finish(g, true);
  ASSERT_TRUE(g.knows(ends()));
  EXPECT_EQ(g.flow(ends()).gateway.flow.scale, kScale);
}

}  // namespace
}  // namespace penstock::test
