// SPDX-License-Identifier: GPL-2.0-only
// The rules R1 to R14 on packets through the program in the kernel, IPv4 and IPv6.
#include <algorithm>
#include <cstring>
#include <random>

#include "core/gateway/gateway.h"
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

class Rules : public GatewayTest, public testing::WithParamInterface<bool> {
 protected:
  Ends ends() const { return {.ipv6 = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Families, Rules, testing::Bool(),
                         [](const auto& one) { return one.param ? "IPv6" : "IPv4"; });

std::uint64_t ewt_bytes(const GatewayUnderTest& g, std::uint64_t window_bytes) {
  pst_queue q{};
  q.bytes = g.shared().queue_bytes;
  q.limit_bytes = g.config().limit_bytes;
  const pst_ack a{window_bytes, 0, 1460, 1, 0, 0, 0, false, true, false};
  union pst_law_state none{};
  union pst_law_flow no_flow{};
  return pst_law_ack(PST_LAW_EWT, &g.config().gateway.law_params, &none, &no_flow, &q, &a);
}

TEST_P(Rules, AWindowIsReducedByTheLawAndRoundedUpToTheScale) {
  GatewayUnderTest g;
  g.handshake(ends());
  g.fill_queue(60'000);
  const Seen out = g.ack(ends(), 1000, 2000);
  const std::uint64_t allowed = ewt_bytes(g, 2000 << 7);
  EXPECT_EQ(out.window, (allowed + 127) >> 7);
  EXPECT_LT(out.window, 2000);
  EXPECT_TRUE(out.checksum_right);
  EXPECT_EQ(g.count(GW_COUNT_acks_rewritten), 1U);
}

TEST_P(Rules, R1NeverMoreThanTheReceiverOffers) {
  GatewayUnderTest g("share");
  g.handshake(ends());
  std::mt19937 random(1);
  for (std::uint32_t i = 0; i < 500; ++i) {
    const auto offered = static_cast<std::uint16_t>(random());
    g.data(ends(), 1000 + i * 1460, 1460);
    g.fill_queue(random() % 97'000);
    EXPECT_LE(g.ack(ends(), 1000 + i * 1460, offered).window, offered);
  }
}

// Written down by a gateway that forgot it: the receiver's own, smaller window.
TEST_P(Rules, AReceiversSmallerWindowStays) {
  GatewayUnderTest g;
  g.handshake(ends());
  g.fill_queue(96'000);
  EXPECT_EQ(g.ack(ends(), 1000, 3).window, 3);
}

TEST_P(Rules, R2TheEdgeStaysRightOfDataSeenSent) {
  GatewayUnderTest g;
  g.handshake(ends());
  g.data(ends(), 1000, 1460);
  g.data(ends(), 1000 + 20 * 1460, 1460);
  g.fill_queue(96'500);
  const Seen out = g.ack(ends(), 1000, 4000);
  EXPECT_EQ(out.window, (21 * 1460 + 127) / 128);
  EXPECT_EQ(g.decided_by(PST_BY_EDGE), 1U);
}

TEST_P(Rules, R2StrictTheEdgeNeverGoesLeft) {
  GatewayUnderTest g("ewt", "strict");
  g.handshake(ends());
  g.ack(ends(), 1000, 2000);
  const std::uint32_t edge = 1000 + (2000 << 7);
  g.fill_queue(96'500);
  for (std::uint32_t number = 1000 + 1460; number < edge; number += 50 * 1460) {
    g.data(ends(), number - 1460, 1460);
    const Seen out = g.ack(ends(), number, 2000);
    EXPECT_GE(number + (std::uint32_t{out.window} << 7), edge);
  }
}

// ratemon grants about 4 GB where the edge lies behind the ACK.
TEST_P(Rules, AnEdgeBehindTheAckGrantsNothing) {
  GatewayUnderTest g("ewt", "strict");
  g.handshake(ends());
  g.ack(ends(), 1000, 600);
  g.fill_queue(96'500);
  const std::uint32_t probed = 1000 + (600 << 7) + 1;  // a zero-window probe's byte
  g.data(ends(), probed - 1000, 1000);
  const Seen out = g.ack(ends(), probed, 2000);
  EXPECT_EQ(out.window, (1460 + 127) / 128);
  EXPECT_TRUE(out.checksum_right);
}

TEST_P(Rules, R4AtLeastOneSegmentAndNeverZero) {
  for (int scale = 0; scale <= 14; ++scale) {
    GatewayUnderTest g;
    g.handshake(ends(), 7, scale);
    g.fill_queue(97'000);
    const std::uint16_t offered = 60'000;
    const Seen out = g.ack(ends(), 1000, offered);
    EXPECT_GE(std::uint64_t{out.window} << scale, 1460U) << "scale " << scale;
    EXPECT_LE((std::uint64_t{out.window} << scale),
              pst_max(pst_round_up(1460, 1ULL << scale), 1460) + (1ULL << scale) * 8)
        << scale;
    EXPECT_GT(out.window, 0);
  }
}

TEST_P(Rules, R5AZeroWindowAndItsReopeningPass) {
  GatewayUnderTest g;
  g.handshake(ends());
  g.fill_queue(96'000);
  EXPECT_EQ(g.ack(ends(), 1000, 0).window, 0);
  EXPECT_EQ(g.decided_by(PST_BY_ZERO), 1U);
  EXPECT_GT(g.ack(ends(), 1000, 500).window, 0);
}

TEST_P(Rules, R8AFlowWhoseHandshakeWasNotSeenPasses) {
  GatewayUnderTest g;
  g.fill_queue(96'000);
  EXPECT_EQ(g.ack(ends(), 1000, 2000).window, 2000);
  EXPECT_EQ(g.count(GW_PASS_unknown_flow), 1U);
  EXPECT_FALSE(g.knows(ends()));
}

TEST_P(Rules, R9DuplicateAcksCarryTheFieldLastSent) {
  GatewayUnderTest g;
  g.handshake(ends());
  g.fill_queue(40'000);
  const std::uint16_t first = g.ack(ends(), 1000, 2000).window;
  g.fill_queue(90'000);
  EXPECT_EQ(g.ack(ends(), 1000, 2000).window, first);
  EXPECT_EQ(g.ack(ends(), 1000, 2000).window, first);
  EXPECT_EQ(g.decided_by(PST_BY_FREEZE), 2U);
  EXPECT_LT(g.ack(ends(), 1000, 2001).window, first);
}

TEST_P(Rules, R11AnOldAckChangesNoState) {
  GatewayUnderTest g;
  g.handshake(ends());
  for (std::uint32_t seq = 1000; seq < 50'000; seq += 1400) g.data(ends(), seq, 1400);
  g.fill_queue(60'000);
  g.ack(ends(), 50'000, 2000);
  const gw_flow before = g.flow(ends());
  EXPECT_EQ(before.gateway.flow.ack, 50'000U);
  g.ack(ends(), 20'000, 3000);
  const gw_flow after = g.flow(ends());
  EXPECT_EQ(before.gateway.flow.ack, after.gateway.flow.ack);
  EXPECT_EQ(before.gateway.flow.edge, after.gateway.flow.edge);
  EXPECT_EQ(before.gateway.flow.field_out, after.gateway.flow.field_out);
}

// Two blind ACKs 2^31 apart used to hold a flow still for ever: the true ones were old.
TEST_P(Rules, R35AnAckOfWhatWasNotSentChangesNoState) {
  GatewayUnderTest g;
  g.handshake(ends());
  g.data(ends(), 1000, 1460);
  g.fill_queue(60'000);
  g.ack(ends(), 1000, 2000);
  const gw_flow before = g.flow(ends());
  // Nor does the time that has passed by then: the flow's mark of use is a round trip old.
  g.pass_time(5'000'000);
  for (const std::uint32_t forged : {2'462U, 1'000U + (1U << 24), 1'000U + (1U << 30),
                                     2'460U + 0x7fffffffU, 0x40000000U, 0xc0000000U}) {
    const std::uint16_t window = g.ack(ends(), forged, 2000).window;
    gw_flow after = g.flow(ends());
    if (after.limit == PST_BY_UNSEEN) {
      EXPECT_EQ(window, before.gateway.flow.field_out);
    }
    EXPECT_GT(after.gateway.flow.unseen_acks, 0);
    after.gateway.flow.unseen_acks = before.gateway.flow.unseen_acks;
    EXPECT_EQ(0, std::memcmp(&before.gateway, &after.gateway, sizeof(before.gateway))) << forged;
  }
  EXPECT_LT(g.ack(ends(), 2460, 2000).window, 2000);  // the true one counts at once
  EXPECT_EQ(g.flow(ends()).gateway.flow.ack, 2'460U);
}

// Data 2^30 ahead used to lift the window for good: the edge was held for it (R2).
TEST_P(Rules, R35DataBeyondEveryGrantChangesNoState) {
  GatewayUnderTest g;
  g.handshake(ends());
  g.data(ends(), 1000, 1460);
  g.fill_queue(90'000);
  const std::uint32_t edge = 1000U + (std::uint32_t{g.ack(ends(), 1000, 20'000).window} << 7);
  ASSERT_LT(edge, 1000U + (20'000U << 7));
  for (const std::uint32_t forged : {edge - 998, 1'000U + (1U << 30), 1'000U + 0x7fff0000U}) {
    g.data(ends(), forged, 1000);
    EXPECT_EQ(g.flow(ends()).gateway.flow.sent, 2'460U) << forged;
  }
  EXPECT_LT(g.ack(ends(), 2460, 20'000).window, 20'000);
  g.data(ends(), edge - 999, 1000);  // the last byte granted, and a probe's beyond it
  EXPECT_EQ(g.flow(ends()).gateway.flow.sent, edge + 1);
}

TEST_P(Rules, R13OnlyWindowAndChecksumChange) {
  GatewayUnderTest g;
  g.handshake(ends());
  g.fill_queue(80'000);
  const Tcp t{.from_sender = false,
              .seq = 5000,
              .ack = 1000,
              .flags = 0xd0,  // CWR and ECE with ACK: AccECN counts with them
              .window = 2000,
              .options = {1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2},
              .payload_bytes = 33};
  const Bytes in = packet(ends(), t);
  const Bytes out = g.reverse(in);
  ASSERT_EQ(in.size(), out.size());
  const std::size_t tcp = in.size() - tcp_segment(ends(), t).size();
  bool changed = false;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool may = i - tcp == 14 || i - tcp == 15 || i - tcp == 16 || i - tcp == 17;
    EXPECT_TRUE(may || in[i] == out[i]) << "byte " << i;
    changed |= in[i] != out[i];
  }
  EXPECT_TRUE(changed);
}

TEST_P(Rules, R14TheChecksumIsThatOfAFullComputation) {
  GatewayUnderTest g;
  g.handshake(ends(), 7, 0);
  std::mt19937 random(2);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    g.fill_queue(30'000 + random() % 67'000);
    const Tcp t{.from_sender = false,
                .seq = static_cast<std::uint32_t>(random()),
                .ack = 1000 + i * 1460,
                .window = static_cast<std::uint16_t>(random() | 1),
                .payload_bytes = static_cast<std::uint16_t>(random() % 4)};
    if (i) g.data(ends(), t.ack - 1460, 1460);
    EXPECT_TRUE(look(ends(), t, g.reverse(packet(ends(), t))).checksum_right);
  }
  EXPECT_GT(g.count(GW_COUNT_acks_rewritten), 1000U);
}

// One whole checksum in 65,536 is that of the pseudo-header, as where the device completes it.
TEST_P(Rules, R14AChecksumThatLooksUnfinishedIsUpdatedToo) {
  GatewayUnderTest g;
  g.handshake(ends());
  g.fill_queue(60'000);
  Tcp t{.from_sender = false, .seq = 5000, .ack = 1000, .window = 2000};
  while (packet(ends(), t) != partly_summed(ends(), t)) ASSERT_LT(++t.seq, 5000U + 70'000U);
  const Seen out = look(ends(), t, g.reverse(packet(ends(), t)));
  EXPECT_LT(out.window, 2000);
  EXPECT_TRUE(out.checksum_right);
}

TEST_P(Rules, ObservingTouchesNothingButCounts) {
  GatewayUnderTest g("ewt", "safe", true);
  g.handshake(ends());
  g.fill_queue(90'000);
  EXPECT_EQ(g.ack(ends(), 1000, 2000).window, 2000);
  EXPECT_EQ(g.count(GW_COUNT_acks_rewritten), 1U);
  EXPECT_EQ(g.flow(ends()).gateway.flow.field_out, 2000);
}

// An integrator that went on while observing started live at its end stop.
TEST_P(Rules, R37ObservingWindsNothingUp) {
  GatewayUnderTest g("integral", "safe", true, true, {{"interval_ns", "1ms"}});
  g.handshake(ends());
  g.fill_queue(96'000);
  for (std::uint32_t i = 0; i < 100 || g.count(GW_COUNT_ticks) < 20; ++i) {
    ASSERT_LT(i, 100'000U) << "the clock stands still";
    g.data(ends(), 1000 + i * 100, 100);
    g.ack(ends(), 1000 + i * 100, 2000);
  }
  EXPECT_EQ(g.shared().port.state.law.integral.factor_q32, PST_Q32_ONE);
}

// As fast as slow start, not as one burst, and then the receiver's own again.
TEST_P(Rules, R26AReducedWindowGrowsByWhatIsAcknowledged) {
  GatewayUnderTest g;
  g.handshake(ends());
  g.fill_queue(96'000);
  const std::uint32_t reduced = g.ack(ends(), 1000, 60'000).window;
  ASSERT_LT(reduced, 1000U);
  g.fill_queue(0);
  std::uint32_t number = 1000;
  for (std::uint32_t window = reduced; window < 60'000;) {
    number += window << 7;  // all of it has been used
    g.data(ends(), number - 1000, 1000);
    window = std::min(2 * window, 60'000U);
    ASSERT_EQ(g.ack(ends(), number, 60'000).window, window);
  }
  EXPECT_GE(g.decided_by(PST_BY_RAMP), 4U);
}

TEST_P(Rules, R24OfJoinedSegmentsTheLastOneCounts) {
  GatewayUnderTest g;
  g.handshake(ends());
  const Bytes super =
      packet(ends(), {.seq = 1000, .ack = 5000, .window = 1, .payload_bytes = 2900});
  EXPECT_EQ(g.forward(super, 1400, 2900), super);
  EXPECT_EQ(g.flow(ends()).gateway.flow.sent, 3'900U);
  EXPECT_EQ(g.flow(ends()).gateway.flow.mss_bytes, 1460U);
}

// On the wire each has headers of its own.
TEST_P(Rules, R24OfJoinedSegmentsAllHeadersCount) {
  GatewayUnderTest g;
  const std::uint32_t headers = GetParam() ? 74 : 54;
  const Bytes super =
      packet(ends(), {.seq = 1000, .ack = 5000, .window = 1, .payload_bytes = 2900});
  g.fill_queue(20'000);
  const std::uint64_t before = g.shared().drained_q4;
  g.forward(super, 1400, 2900);
  EXPECT_EQ(g.count(GW_COUNT_forward_bytes), 2'900U + 3 * headers);
  const std::uint64_t queued =
      ((g.shared().drained_q4 - before) >> 4) * g.config().rate_bytes_per_s / PST_NS_PER_S;
  EXPECT_NEAR(static_cast<double>(queued), 2'900.0 + 3 * headers, 1.0);
}

// In cells of ATM: a small packet takes two, and each of joined segments fills its own up. Of
// SCTP the kernel says how many they are, and of TCP from a VM only their size.
TEST_P(Rules, R19TheOverheadOfTheLineCounts) {
  gw::Settings s = slow_link("ewt");
  s.overhead = "pppoe-llcsnap";
  GatewayUnderTest g(s);
  const std::uint32_t headers = GetParam() ? 60 : 40;
  const auto cells = [&](std::uint32_t payload) { return (headers + payload + 40 + 47) / 48 * 53; };
  const auto line_bytes = [&](std::uint32_t payload, std::uint32_t segment,
                              std::optional<std::uint32_t> segments = {}) {
    g.fill_queue(20'000);
    const std::uint64_t before = g.shared().drained_q4;
    const auto bytes = static_cast<std::uint16_t>(payload);
    g.forward(packet(ends(), {.seq = 1000, .ack = 5000, .window = 1, .payload_bytes = bytes}),
              segment, segment ? payload : 0, segments);
    return static_cast<double>((g.shared().drained_q4 - before) >> 4) *
           static_cast<double>(g.config().line_bytes_per_s) / PST_NS_PER_S;
  };
  EXPECT_NEAR(line_bytes(1, 0), cells(1), 1.0);
  EXPECT_NEAR(line_bytes(1400, 0), cells(1400), 1.0);
  EXPECT_NEAR(line_bytes(2900, 1400), 2.0 * cells(1400) + cells(100), 1.0);
  EXPECT_NEAR(line_bytes(2900, 1400, 0), 2.0 * cells(1400) + cells(100), 1.0);
  EXPECT_NEAR(line_bytes(2900, 65'535, 3), 3.0 * cells(2900 / 3), 1.0);
  EXPECT_LE(line_bytes(100, 1, 0), (headers + 114.0) * 3 * 53) << "a VM may say anything";
}

TEST_P(Rules, R25AMethodWhoseClockStandsStillIsLeftAlone) {
  // The clock's next tick is far behind the end of this test.
  GatewayUnderTest g("integral", "safe", false, true, {{"interval_ns", "30s"}});
  g.handshake(ends());
  EXPECT_LT(g.ack(ends(), 1000, 2000).window, 2000);
  gw_shared state = g.shared();
  state.due_ns = 0;  // as if it had been due since the machine started
  g.set_shared(state);
  EXPECT_EQ(g.ack(ends(), 2000, 2000).window, 2000);
  EXPECT_EQ(g.count(GW_PASS_stale), 1U);
}

// What `set --method` starts on: the maps with the state of another method in them.
TEST_P(Rules, ANewMethodStartsOnNothingOfTheOldOne) {
  // Of those that tick, the first tick is far behind the end of this test.
  const std::map<std::string, std::string> slow = {{"interval_ns", "30s"}};
  for (const auto& [method, params] :
       {std::pair("awm", std::map<std::string, std::string>()), {"integral", slow}}) {
    GatewayUnderTest fresh(method, "safe", false, true, params);
    GatewayUnderTest used(method, "safe", false, true, params);
    gw_shared old = used.shared();
    std::memset(&old.port.state, 0xa5, sizeof(old.port.state));
    used.set_shared(old);
    used.start();
    const gw_shared expected = fresh.shared(), state = used.shared();
    EXPECT_EQ(
        std::memcmp(&state.port.state.law, &expected.port.state.law, sizeof(state.port.state.law)),
        0)
        << method;
  }
}

}  // namespace
}  // namespace penstock::test
