// SPDX-License-Identifier: GPL-2.0-only
// Shapes in the kernel's program: which packets have which queue, and that none has another's.
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

constexpr std::uint64_t kRate = 1000;  // 8 kbit/s: the queue hardly moves
constexpr std::uint64_t kLimit = 50'000;
constexpr std::uint16_t kBytes = 1000;

class Shapes : public GatewayTest {
 protected:
  static gw::Settings settings(const std::string& method = "penstock") {
    gw::Settings s = slow_link(method);
    s.shapes = "16";
    return s;
  }

  static void send(GatewayUnderTest& g, const Ends& e, int count = 1) {
    for (int i = 0; i < count; ++i)
      g.data(e, 1000 + static_cast<std::uint32_t>(i) * kBytes, kBytes);
  }

  static std::uint64_t packets(const GatewayUnderTest& g, std::uint32_t id) {
    return g.shape(id).shared.counts.packets;
  }
};

TEST_F(Shapes, TheLongestPrefixOfEitherEndNamesTheShape) {
  GatewayUnderTest g(settings());
  g.add_shape(1, "10.0.0.0/29", kRate, kLimit);
  g.add_shape(2, "10.0.0.7/32", kRate, kLimit);
  g.add_shape(3, "fd00::/8", kRate, kLimit);
  send(g, {.host = 6});
  send(g, {.host = 7}, 2);
  send(g, {.ipv6 = true, .host = 7}, 3);
  send(g, {.host = 8}, 4);
  EXPECT_EQ(packets(g, 1), 1U);
  EXPECT_EQ(packets(g, 2), 2U);
  EXPECT_EQ(packets(g, 3), 3U);
}

TEST_F(Shapes, AMarkIsMoreCertainThanAClassAndThatThanAnAddress) {
  GatewayUnderTest g(settings());
  g.add_shape(1, "0.0.0.0/0", kRate, kLimit);
  g.add_shape(2, "", kRate, kLimit);
  g.select(GW_BY_MARK, 7, 2);
  send(g, {});
  g.set_mark(7);
  send(g, {}, 2);
  g.set_mark(8);
  send(g, {}, 4);
  EXPECT_EQ(packets(g, 1), 5U);
  EXPECT_EQ(packets(g, 2), 2U);
}

TEST_F(Shapes, EachHasItsOwnQueueFlowsAndWindows) {
  GatewayUnderTest g(settings());
  g.add_shape(1, "", kRate, kLimit);
  g.add_shape(2, "", kRate, kLimit);
  g.select(GW_BY_MARK, 1, 1);
  g.select(GW_BY_MARK, 2, 2);
  const Ends busy{.sender_port = 1}, idle{.sender_port = 2};
  g.set_mark(1);
  g.handshake(busy);
  send(g, busy, 30);
  g.set_mark(2);
  g.handshake(idle);
  send(g, idle);
  g.set_mark(0);
  g.ack(busy, 31'000, 65'535);
  g.ack(idle, 2000, 65'535);
  EXPECT_GT(g.shape(1).shared.queue_bytes, 30'000U);
  EXPECT_LT(g.shape(2).shared.queue_bytes, 2000U);
  EXPECT_EQ(g.shared().queue_bytes, 0U) << "the device's own queue has had none of it";
  EXPECT_EQ(g.shape(1).shared.counts.acks, 1U);
  EXPECT_EQ(g.shape(2).shared.counts.acks, 1U);
  EXPECT_EQ(g.flow(busy).shape, 1U);
  EXPECT_EQ(g.shape(1).shared.port.state.count.running, 1U);
  EXPECT_EQ(g.shape(2).shared.port.state.count.running, 1U);
}

TEST_F(Shapes, LawAndDisciplineAimAtItsTargetOrAtTheDevicesTime) {
  gw::Settings s = settings();
  s.fair = "on";
  GatewayUnderTest g(s);
  g.add_shape(1, "10.0.0.7/32", kRate, kLimit);
  gw_shape own = g.shape(1);
  own.target_ns = 8'000'000;
  g.set_shape(2, own);
  g.select(GW_BY_MARK, 2, 2);
  send(g, {.host = 7});
  g.set_mark(2);
  send(g, {});
  using Aims = std::pair<std::uint64_t, std::uint64_t>;
  const auto aims = [&](std::uint32_t id) {
    const gw_shared shared = g.shape(id).shared;
    const pst_fair_params& fair = shared.port.config.discipline_params.fair;
    const pst_penstock_params& law = shared.port.config.law_params.penstock;
    EXPECT_EQ(law.target_bytes, fair.target_bytes) << id;
    EXPECT_EQ(law.target_ns, fair.target_ns) << id;
    return Aims{law.target_bytes, law.target_ns};
  };
  EXPECT_EQ(aims(1), (Aims{15'000, 5'000'000}));
  EXPECT_EQ(aims(2), (Aims{kLimit, 8'000'000}));
}

TEST_F(Shapes, WhatDoesNotFitIsDroppedThereAloneAndNotWhileObserving) {
  for (const bool observe : {false, true}) {
    gw::Settings s = settings();
    s.observe = observe;
    GatewayUnderTest g(s);
    g.add_shape(1, "", kRate, 4 * kBytes);
    g.select(GW_BY_MARK, 1, 1);
    const Bytes one = packet({}, {.seq = 1, .payload_bytes = kBytes});
    g.set_mark(1);
    int passed = 0;
    for (int i = 0; i < 10; ++i) passed += !g.forward(one).empty();
    EXPECT_EQ(passed, observe ? 10 : 4);
    EXPECT_EQ(g.shape(1).shared.counts.drops, 6U);
    g.set_mark(0);
    EXPECT_EQ(g.forward(one), one);
  }
}

// By the discipline, then by the buffer; and once, though an observing gateway passes it on.
TEST_F(Shapes, EachDropCounts) {
  for (const bool observe : {false, true}) {
    gw::Settings s = settings();
    s.observe = observe;
    s.fair = "on";
    GatewayUnderTest g(s);
    g.add_shape(1, "0.0.0.0/0", kRate, kLimit);
    const Bytes one = packet({}, {.seq = 1, .payload_bytes = kBytes});
    std::uint64_t passed = 0;
    for (int i = 0; i < 100; ++i) passed += !g.forward(one).empty();
    const std::uint64_t drops = g.shape(1).shared.counts.drops,
                        early = g.count(GW_COUNT_early_drops);
    EXPECT_GT(early, 0U);
    EXPECT_GE(drops, early);
    EXPECT_LE(drops, 100U);
    EXPECT_EQ(passed, observe ? 100U : 100 - drops);
  }
}

TEST_F(Shapes, ThePolicedCountAsDropped) {
  gw::Settings s = settings();
  s.police = true;
  GatewayUnderTest g(s);
  g.add_shape(1, "0.0.0.0/0", kRate, 10 * kLimit);
  g.handshake({});
  for (std::uint32_t i = 0; i < 64; ++i) g.data({}, (1U << 28) + i * kBytes, kBytes);
  EXPECT_EQ(g.count(GW_COUNT_policed_packets), 8U);
  EXPECT_EQ(g.shape(1).shared.counts.drops, 8U);
}

TEST_F(Shapes, AChangedRateKeepsTheStateAndARemovedShapeLeavesTheDevicesQueue) {
  GatewayUnderTest g(settings());
  g.add_shape(1, "0.0.0.0/0", kRate, kLimit);
  send(g, {}, 3);
  gw_shape shape = g.shape(1);
  EXPECT_EQ(shape.shared.link.rate_bytes_per_s, kRate);
  EXPECT_EQ(shape.shared.shape, 1U);
  shape.rate_bytes_per_s = 2 * kRate;
  ++shape.serial;
  g.set_shape(1, shape);
  send(g, {}, 1);
  EXPECT_EQ(g.shape(1).shared.link.rate_bytes_per_s, 2 * kRate);
  EXPECT_EQ(packets(g, 1), 4U);
  g.remove_shape(1);
  const Bytes one = packet({}, {.seq = 1, .payload_bytes = kBytes});
  EXPECT_EQ(g.forward(one), one);
}

}  // namespace
}  // namespace penstock::test
