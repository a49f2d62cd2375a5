// SPDX-License-Identifier: GPL-2.0-only
// What the gateway believes, on packets through the program in the kernel: R35.
#include <array>
#include <cstring>

#include "linux/common/clock.h"
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

constexpr std::uint16_t kFin = 0x01, kRst = 0x04, kAck = 0x10;
const Bytes kMptcp = {30, 4, 0x01, 0x81};

class Belief : public GatewayTest, public testing::WithParamInterface<bool> {
 protected:
  Ends ends() const { return {.ipv6 = GetParam()}; }

  // A flow with data from 1000 to 2460, acknowledged up to 1000 under a long queue.
  void open(GatewayUnderTest& g) const {
    g.handshake(ends());
    g.data(ends(), 1000, 1460);
    g.fill_queue(60'000);
    g.ack(ends(), 1000, 2000);
  }
  void expect_the_same(const gw_flow& before, const GatewayUnderTest& g, const char* what) const {
    const gw_flow after = g.flow(ends());
    EXPECT_EQ(0, std::memcmp(&before, &after, sizeof(before))) << what;
  }
  void expect_controlled(GatewayUnderTest& g, std::uint32_t number) const {
    EXPECT_LT(g.ack(ends(), number, 2000).window, 2000);
  }
};
INSTANTIATE_TEST_SUITE_P(Families, Belief, testing::Bool(),
                         [](const auto& one) { return one.param ? "IPv6" : "IPv4"; });

std::size_t tcp_at(const Bytes& packet, const Ends& e, const Tcp& t) {
  return packet.size() - tcp_segment(e, t).size();
}

TEST_P(Belief, R35ADamagedSegmentChangesNoState) {
  GatewayUnderTest g;
  open(g);
  const gw_flow before = g.flow(ends());
  const Tcp ack{.from_sender = false, .seq = 5000, .ack = 2460, .window = 2000};
  const Tcp with_data{
      .from_sender = false, .seq = 5000, .ack = 2460, .window = 2000, .payload_bytes = 1399};
  const Tcp data{.seq = 2460, .ack = 5000, .window = 502, .payload_bytes = 1460};
  const Tcp reset{.from_sender = false, .seq = 5000, .flags = kRst};
  std::uint64_t damaged = 0;
  for (const Tcp& t : {ack, with_data, data, reset}) {
    Bytes bytes = packet(ends(), t);
    for (const std::size_t at : {tcp_at(bytes, ends(), t) + 7, bytes.size() - 1}) {
      bytes[at] ^= 0x10;
      EXPECT_EQ(t.from_sender ? g.forward(bytes) : g.reverse(bytes), bytes) << at;
      expect_the_same(before, g, "damaged");
      bytes[at] ^= 0x10;
      EXPECT_EQ(g.count(GW_PASS_damaged), ++damaged);
    }
  }
  expect_controlled(g, 2460);
}

// The programs sum in pieces of 512 bytes (GW_CHUNK_BYTES).
TEST_P(Belief, R35ASegmentOfAnyLengthIsSummedWhole) {
  constexpr int kHeaderBytes = 20;
  GatewayUnderTest g;
  open(g);
  std::uint64_t damaged = 0;
  for (const int pieces : {1, 2, 5}) {
    for (const int beyond : {-1, 0, 1, 3, 4}) {
      const int payload_bytes = 512 * pieces + beyond - kHeaderBytes;
      const Tcp t{.seq = 2460,
                  .ack = 5000,
                  .window = 502,
                  .payload_bytes = static_cast<std::uint16_t>(payload_bytes)};
      Bytes bytes = packet(ends(), t);
      g.forward(bytes);
      EXPECT_EQ(g.count(GW_PASS_damaged), damaged) << payload_bytes;
      for (const std::size_t at : {tcp_at(bytes, ends(), t) + 510, bytes.size() - 1}) {
        bytes[at] ^= 0x10;
        g.forward(bytes);
        bytes[at] ^= 0x10;
        EXPECT_EQ(g.count(GW_PASS_damaged), ++damaged) << payload_bytes << ", " << at;
      }
    }
  }
}

TEST_P(Belief, R35ADamagedSynOpensNothing) {
  GatewayUnderTest g;
  const Tcp syn{.seq = 999, .flags = 2, .window = 64240, .options = mss_and_scale(1460, 7)};
  Bytes bytes = packet(ends(), syn);
  bytes.back() ^= 1;
  g.forward(bytes);
  g.reverse(packet(ends(), {.from_sender = false,
                            .seq = 4999,
                            .ack = 1000,
                            .flags = 0x12,
                            .options = mss_and_scale(1460, 7)}));
  g.data(ends(), 1000, 100);
  EXPECT_FALSE(g.knows(ends()));
}

TEST_P(Belief, R35AChecksumStillToBeCompletedIsRight) {
  GatewayUnderTest g;
  open(g);
  const Tcp t{.from_sender = false, .seq = 5000, .ack = 2460, .window = 2000};
  g.reverse(partly_summed(ends(), t));
  EXPECT_EQ(g.count(GW_PASS_damaged), 0U);
  EXPECT_EQ(g.flow(ends()).gateway.flow.ack, 2'460U);
}

TEST_P(Belief, R35AResetCountsOnlyWithTheExpectedNumber) {
  GatewayUnderTest g;
  open(g);
  for (const std::uint32_t seq : {4'999U, 5'001U, 5'000U + (1U << 20), 0U, 1'000U}) {
    g.reverse(packet(ends(), {.from_sender = false, .seq = seq, .flags = kRst}));
    EXPECT_FALSE(g.flow(ends()).ends.over) << seq;
  }
  for (const std::uint32_t seq : {999U, 1'001U, 2'461U, 1'000U + (1U << 30)}) {
    g.forward(packet(ends(), {.seq = seq, .flags = kRst}));
    EXPECT_FALSE(g.flow(ends()).ends.over) << seq;
  }
  EXPECT_EQ(g.count(GW_COUNT_flows_closed), 0U);
  g.forward(packet(ends(), {.seq = 2460, .flags = kRst}));
  EXPECT_TRUE(g.flow(ends()).ends.over);
  EXPECT_EQ(g.count(GW_COUNT_flows_closed), 1U);
}

// The cheat: an end that the other side never sees, or does not believe.
TEST_P(Belief, R35WhatPassesAfterTheEndIsControlled) {
  GatewayUnderTest g;
  open(g);
  g.reverse(packet(ends(), {.from_sender = false, .seq = 5000, .flags = kRst}));
  EXPECT_TRUE(g.flow(ends()).ends.over);
  g.data(ends(), 2460, 1460);
  EXPECT_FALSE(g.flow(ends()).ends.over) << "it lives on";
  expect_controlled(g, 3920);
}

TEST_P(Belief, R35AForgedFinEndsNothing) {
  GatewayUnderTest g;
  open(g);
  g.forward(packet(ends(), {.seq = 2'000'000'000, .ack = 5000, .flags = kFin | kAck}));
  g.reverse(packet(ends(), {.from_sender = false, .seq = 77, .ack = 1000, .flags = kFin | kAck}));
  g.reverse(packet(ends(), {.from_sender = false, .seq = 5000, .ack = 2460}));
  g.forward(packet(ends(), {.seq = 2460, .ack = 5000}));
  EXPECT_FALSE(g.flow(ends()).ends.over);
}

TEST_P(Belief, R17WhatTheHandshakeAgreedCounts) {
  // Which of SYN, SYN-ACK and final ACK carry MPTCP.
  for (unsigned who = 0; who < 8; ++who) {
    GatewayUnderTest g;
    const auto options = [&](unsigned bit) {
      Bytes o = mss_and_scale(1460, 7);
      if (who & bit) append(o, kMptcp);
      return o;
    };
    g.forward(packet(ends(), {.seq = 999, .flags = 2, .options = options(1)}));
    g.reverse(packet(
        ends(),
        {.from_sender = false, .seq = 4999, .ack = 1000, .flags = 0x12, .options = options(2)}));
    g.forward(packet(ends(), {.seq = 1000, .ack = 5000, .options = who & 4 ? kMptcp : Bytes{}}));
    g.fill_queue(90'000);
    EXPECT_EQ(g.ack(ends(), 1000, 2000).window == 2000, who == 7) << who;
  }
}

TEST_P(Belief, R16AnAskThatIsNotAnsweredSignsNothing) {
  GatewayUnderTest g;
  Bytes signed_options = mss_and_scale(1460, 7), ao(16, 0);
  ao[0] = 29;
  ao[1] = 16;
  append(signed_options, ao);
  g.forward(packet(ends(), {.seq = 999, .flags = 2, .options = signed_options}));
  g.reverse(packet(ends(), {.from_sender = false,
                            .seq = 4999,
                            .ack = 1000,
                            .flags = 0x12,
                            .options = mss_and_scale(1460, 7)}));
  g.forward(packet(ends(), {.seq = 1000, .ack = 5000}));
  g.fill_queue(90'000);
  expect_controlled(g, 1000);
}

// What passed where the gateway did not look: the estimate is wrong, and true ACKs win.
TEST_P(Belief, R35TheTrueAcksWinAtOnce) {
  GatewayUnderTest g;
  open(g);
  const std::uint32_t missed = 2460 + 3'000'000;
  g.data(ends(), missed, 1460);  // beyond every edge that was granted
  EXPECT_EQ(g.flow(ends()).gateway.flow.sent, 2'460U);
  EXPECT_EQ(g.flow(ends()).beyond_bytes, 1'460U);
  EXPECT_EQ(g.count(GW_COUNT_beyond_bytes), 1'460U);
  const std::uint16_t newest = g.flow(ends()).gateway.flow.field_out;
  EXPECT_EQ(g.ack(ends(), missed, 2000).window, newest) << "of what was not seen sent";
  expect_controlled(g, missed + 1460);
  EXPECT_EQ(g.flow(ends()).gateway.flow.sent, missed + 1460);
  g.data(ends(), missed + 1460, 1460);
  expect_controlled(g, missed + 2 * 1460);
}

// Data and its ACK forged together move the estimate ahead; it takes the true ones to come back.
TEST_P(Belief, R35AForgedPairHoldsUntilTheNextTrueAck) {
  for (const int pairs : {1, 2, 3, 4}) {
    GatewayUnderTest g;
    open(g);
    for (int i = 0; i < pairs; ++i) {
      const std::uint32_t ahead = 2460 + 1'000'000 + static_cast<std::uint32_t>(i) * 1'000'000'000;
      g.data(ends(), ahead, 1460);
      g.ack(ends(), ahead + 1460, 1);
    }
    EXPECT_NE(g.flow(ends()).gateway.flow.ack, 1'000U);
    g.data(ends(), 2460, 1460);
    EXPECT_GE(g.ack(ends(), 3920, 2000).window * 128, 1460) << "room for a segment";
    EXPECT_EQ(g.flow(ends()).gateway.flow.ack, 3'920U) << pairs;
    g.data(ends(), 3920, 1460);
    expect_controlled(g, 5380);
    EXPECT_EQ(g.flow(ends()).gateway.flow.sent, 5'380U) << pairs;
  }
}

// The answer's window is the first grant: a sender is not freed by data far beyond it.
TEST_P(Belief, R35DataBeyondTheFirstGrantChangesNoState) {
  GatewayUnderTest g;
  g.forward(packet(ends(), {.seq = 999, .flags = 2, .options = mss_and_scale(1460, 7)}));
  g.reverse(packet(ends(), {.from_sender = false,
                            .seq = 4999,
                            .ack = 1000,
                            .flags = 0x12,
                            .window = 65535,
                            .options = mss_and_scale(1460, 7)}));
  g.forward(packet(ends(), {.seq = 1000, .ack = 5000}));
  g.data(ends(), 1000 + 65535, 1460);
  EXPECT_EQ(g.flow(ends()).gateway.flow.sent, 1'000U);
  g.data(ends(), 1000, 1460);
  EXPECT_EQ(g.flow(ends()).gateway.flow.sent, 2'460U);
}

// One in eight: what arrives corrects the estimate if it was the gateway's that was wrong.
TEST_P(Belief, R35PolicingDropsSomeOfWhatIgnoresItsWindow) {
  for (const bool police : {false, true})
    for (const bool observe : {false, true}) {
      gw::Settings s = slow_link("ewt");
      s.police = police;
      s.observe = observe;
      GatewayUnderTest g(s);
      open(g);
      const auto dropped = [&](std::uint32_t seq) {
        return g
            .forward(
                packet(ends(), {.seq = seq, .ack = 5000, .window = 502, .payload_bytes = 1460}))
            .empty();
      };
      int drops = 0;
      for (std::uint32_t i = 0; i < 64; ++i) drops += dropped(2460 + 3'000'000 + i * 1460);
      EXPECT_EQ(drops, police && !observe ? 8 : 0) << police << observe;
      EXPECT_EQ(g.count(GW_COUNT_policed_packets), static_cast<std::uint64_t>(drops));
      for (int i = 0; i < 64; ++i) EXPECT_FALSE(dropped(1000)) << "within its window";
    }
}

// A receiver that acknowledges what is still on its way to the gateway: the sender takes it.
TEST_P(Belief, R35AnAckAheadOfTheDataCarriesNoMoreThanTheNewestWindow) {
  GatewayUnderTest g;
  open(g);
  const std::uint16_t newest = g.flow(ends()).gateway.flow.field_out;
  ASSERT_LT(newest, 2000);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    EXPECT_LE(g.ack(ends(), 2460 + 1460 * (2 + i % 4), 2000).window, newest) << i;
    if (i % 100 == 0) g.data(ends(), 1000, 1460);
  }
}

// Where the data takes another path for good, the gateway must not hold the sender back.
TEST_P(Belief, R21DataThatIsNoLongerSeenIsNotControlled) {
  GatewayUnderTest g;
  open(g);
  for (std::uint32_t i = 1; i <= 255; ++i) g.ack(ends(), 2460 + i * 1460, 2000);
  EXPECT_EQ(g.ack(ends(), 2460 + 256 * 1460, 2000).window, 2000);
}

TEST_P(Belief, R27OverAndIdleFlowsGo) {
  const Ends idle = ends(), over{.ipv6 = GetParam(), .sender_port = 2},
             busy{.ipv6 = GetParam(), .sender_port = 3};
  GatewayUnderTest g;
  for (const Ends& e : {idle, over, busy}) g.handshake(e);
  g.reverse(packet(over, {.from_sender = false, .seq = 5000, .flags = kRst}));
  g.sweep();
  EXPECT_TRUE(g.knows(over)) << "what comes late is controlled";
  g.age(over, GW_OVER_NS + PST_NS_PER_S);
  g.age(idle, kTestIdleNs + PST_NS_PER_S);
  g.age(busy, GW_OVER_NS + PST_NS_PER_S);
  g.sweep();
  EXPECT_FALSE(g.knows(over));
  EXPECT_FALSE(g.knows(idle));
  EXPECT_TRUE(g.knows(busy));
  EXPECT_EQ(g.count(GW_COUNT_flows_removed), 2U);
}

}  // namespace
}  // namespace penstock::test
