// SPDX-License-Identifier: GPL-2.0-only
// What attackers of docs/security.md gain, on packets through the program in the kernel.
#include <bpf/bpf.h>

#include <memory>

#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

constexpr std::uint8_t kSyn = 0x02, kSynAck = 0x12;
constexpr std::uint32_t kFirst = 1000, kBytes = 14'600;
constexpr int kScale = 7;

class Attack : public GatewayTest, public testing::WithParamInterface<bool> {
 protected:
  Ends ends() const { return {.ipv6 = GetParam()}; }
  Bytes options() const { return mss_and_scale(1460, kScale); }

  // An ACK of 4,000 granules: the first fragment with the whole TCP header, or behind more
  // extension headers than are read.
  Bytes hidden_ack(std::uint32_t number, bool fragment) const {
    Tcp t{.from_sender = false, .seq = 5000, .ack = number, .window = 4000, .payload_bytes = 4};
    if (GetParam()) {
      t.following = fragment ? 44 : 60;
      for (int i = fragment ? 0 : PST_MAX_EXTENSIONS; i > 0; --i)
        append(t.extensions, {60, 0, 1, 4, 0, 0, 0, 0});
      append(t.extensions, {6, 0, 0, static_cast<std::uint8_t>(fragment ? 1 : 4), 0, 0, 0, 0});
      return packet(ends(), t);
    }
    Bytes bytes = packet(ends(), t);
    bytes[14 + 6] = 0x20;
    return bytes;
  }

  // A window that was reduced grows again, by ACKs of `step` bytes: its edge after all of them.
  std::uint32_t edge_after_acks_of(std::uint32_t step) const {
    GatewayUnderTest g;
    g.handshake(ends());
    g.data(ends(), kFirst, 1460);
    g.fill_queue(90'000);
    g.ack(ends(), kFirst, 4000);
    for (std::uint32_t i = 1; i < kBytes / 1460; ++i) g.data(ends(), kFirst + i * 1460, 1460);
    g.fill_queue(0);
    std::uint32_t field = 0;
    for (std::uint32_t acked = step; acked <= kBytes; acked += step)
      field = g.ack(ends(), kFirst + acked, 4000).window;
    return kFirst + kBytes + (field << kScale);
  }
};
INSTANTIATE_TEST_SUITE_P(Families, Attack, testing::Bool(),
                         [](const auto& one) { return one.param ? "IPv6" : "IPv4"; });

TEST_P(Attack, R26SplitAcksGainNoMoreThanAGranule) {
  const std::uint32_t whole = edge_after_acks_of(kBytes);
  ASSERT_LT(whole, kFirst + kBytes + (4000U << kScale)) << "it was not reduced";
  for (const std::uint32_t step : {1'460U, 146U, 10U, 1U})
    EXPECT_LE(edge_after_acks_of(step), whole + (1U << kScale)) << step;
}

// TCP Fast Open: the server's first flight precedes the ACK that ends the handshake.
TEST_P(Attack, R21BeforeALateThirdPacketOnlyTheFirstFlightPasses) {
  GatewayUnderTest g;
  g.reverse(
      packet(ends(), {.from_sender = false, .seq = 4999, .flags = kSyn, .options = options()}));
  g.forward(packet(ends(), {.seq = 999, .ack = 5000, .flags = kSynAck, .options = options()}));
  for (std::uint32_t i = 0; i < 10; ++i) g.data(ends(), kFirst + i * 1460, 1460);
  EXPECT_FALSE(g.knows(ends()));
  EXPECT_GE(g.other_bytes(), 14'600U) << "R18: it is load";
  g.reverse(packet(ends(), {.from_sender = false, .seq = 5000, .ack = kFirst, .window = 4000}));
  g.fill_queue(90'000);
  g.data(ends(), kFirst + 14'600, 1460);
  EXPECT_LT(g.ack(ends(), kFirst + 16'060, 4000).window, 4000);
}

// ACKs that are not read grant nothing: what they let out is beyond every window, and load.
TEST_P(Attack, R15AcksThatCannotBeReadMakeTheirSendersDataLoad) {
  for (const bool police : {false, true})
    for (const bool fragments : {false, true}) {
      if (!fragments && !GetParam()) continue;  // IPv4 has no chain of headers
      gw::Settings s = slow_link("ewt");
      s.police = police;
      GatewayUnderTest g(s);
      g.handshake(ends());
      g.data(ends(), kFirst, 1460);
      g.fill_queue(90'000);
      ASSERT_LT(g.ack(ends(), kFirst, 4000).window, 4000);
      const std::uint32_t edge = g.flow(ends()).gateway.flow.edge;
      const std::uint64_t load = g.other_bytes();
      int dropped = 0;
      for (std::uint32_t i = 1; i <= 64; ++i) {
        const std::uint32_t seq = edge + i * 1460;
        const Bytes ack = hidden_ack(seq, fragments);
        EXPECT_EQ(g.reverse(ack), ack);
        dropped +=
            g.forward(packet(ends(), {.seq = seq, .ack = 5000, .payload_bytes = 1460})).empty();
      }
      EXPECT_EQ(g.count(fragments ? GW_PASS_fragment : GW_PASS_extended), 64U);
      EXPECT_EQ(g.flow(ends()).beyond_bytes, 64U * 1460);
      EXPECT_GE(g.other_bytes(), load + 64 * 1460) << "R36";
      EXPECT_EQ(dropped, police ? 8 : 0);
    }
}

// A responder that answers twice, with two numbers: the true one goes by another path, say.
TEST_P(Attack, R21AFlowThatHidesItsHandshakePassesAndIsLoad) {
  for (const bool second_answer : {false, true}) {
    GatewayUnderTest g;
    g.forward(packet(ends(), {.seq = 999, .flags = kSyn, .options = options()}));
    if (second_answer)
      g.reverse(packet(ends(), {.from_sender = false,
                                .seq = 77'000,
                                .ack = kFirst,
                                .flags = kSynAck,
                                .options = options()}));
    g.data(ends(), kFirst, 1460);
    g.fill_queue(90'000);
    EXPECT_EQ(g.ack(ends(), kFirst, 4000).window, 4000) << second_answer;
    EXPECT_FALSE(g.knows(ends()));
    EXPECT_GE(g.other_bytes(), 1460U) << "R18: it is load";
  }
}

std::uint64_t flow_key(const gw::Program& program) {
  const std::uint32_t only = 0;
  const auto table = std::make_unique<pst_fair_table>();
  bpf_map_lookup_elem(program.map_fd("fairness"), &only, table.get());
  return table->key;
}

// Else flows that collide with another's could be chosen.
class FlowKey : public GatewayTest {};

TEST_F(FlowKey, IsDrawnByEachGatewayAndKept) {
  const gw_config config = gw::plan_of(slow_link("fair")).config;
  const gw::Program one(config, ""), other(config, "");
  EXPECT_EQ(flow_key(one), 0U);
  one.start(true);
  other.start(true);
  const std::uint64_t drawn = flow_key(one);
  EXPECT_GT(drawn >> 32, 0U);
  EXPECT_NE(drawn & 0xffffffff, 1U);
  EXPECT_NE(drawn, flow_key(other));
  one.start(true);
  EXPECT_EQ(flow_key(one), drawn);
}

}  // namespace
}  // namespace penstock::test
