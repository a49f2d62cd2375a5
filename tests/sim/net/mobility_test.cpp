// SPDX-License-Identifier: GPL-2.0-only
// Receivers that move between cells, with and without Freeze-TCP.
#include <gtest/gtest.h>

#include <stdexcept>

#include "core/describe.h"
#include "sim/net/network.h"
#include "tests/sim/times.h"

namespace penstock::net {
namespace {

using traffic::Distribution;

// A server, a router, and base stations that each have one cell. Round trips of 44 ms.
struct Cells {
  bool freeze = false;
  double dwell_ns = 2e9;
  double outage_ns = 0.5e9;
  std::size_t users = 0;  // 0: one transfer
  std::uint64_t size_bytes = 4'000'000;
  std::uint64_t window_bytes = 20'000;  // below what the queue and the link hold
  double loss_ratio = 0.0;
  std::uint32_t cells = 2;
  std::uint32_t law = PST_VARIANT_DROPTAIL;

  Result run(std::uint64_t until_ns = 100 * kSecond, std::uint64_t seed = 1) const {
    Network network(seed);
    const std::uint32_t server = network.node("server"), router = network.node("router");
    duplex(network, server, router, {.rate_bps = 100'000'000, .delay_ns = 10 * kMs});
    MobilitySpec moves{{}, Distribution::constant(dwell_ns), Distribution::constant(outage_ns)};
    for (std::uint32_t i = 0; i < cells; ++i) {
      const std::uint32_t base = network.node("base"), cell = network.node("cell");
      duplex(network, router, base, {.rate_bps = 100'000'000, .delay_ns = 10 * kMs});
      LinkSpec air{.rate_bps = 10'000'000, .delay_ns = 2 * kMs};
      air.queue_bytes = 60'000;
      air.loss_ratio = loss_ratio;
      const std::uint32_t link = duplex(network, base, cell, air);
      pst_gateway_config config;
      pst_variant_config(&config, law, air.queue_bytes);
      network.gateway(link, config);
      moves.cells.push_back(cell);
    }
    if (cells) network.mobility(moves);
    add_traffic(network, server, moves.cells.front());
    return network.run(until_ns);
  }

 private:
  static std::uint32_t duplex(Network& network, std::uint32_t a, std::uint32_t b, LinkSpec link) {
    link.src = b;
    link.dst = a;
    network.link(link);
    link.src = a;
    link.dst = b;
    return network.link(link);
  }

  void add_traffic(Network& network, std::uint32_t server, std::uint32_t cell) const {
    TcpSpec tcp{.src = server, .dst = cell, .size_bytes = size_bytes};
    pst_sender_defaults(tcp.sender.method, &tcp.sender.params);
    tcp.receiver.buffer_bytes = window_bytes;
    tcp.receiver.freeze = freeze;
    if (!users) {
      network.tcp(tcp);
      return;
    }
    const Distribution pause = Distribution::exponential(0.2e9);
    const traffic::Web web{pause, Distribution::constant(10), pause, Distribution::constant(1),
                           Distribution::pareto(1.7, 30'000)};
    TrafficSpec group{
        .name = "web", .ends = {{server, cell}}, .starts_ns = {}, .source = {web, 200}};
    group.starts_ns.resize(users);
    group.sender = tcp.sender;
    group.receiver = tcp.receiver;
    network.traffic(std::move(group));
  }
};

TEST(Handover, PlainTcpTimesOutAndLosesAWindow) {
  const Result result = Cells{}.run();
  const FlowResult& flow = result.flows[0];
  EXPECT_TRUE(result.all_done);
  EXPECT_GE(flow.sender.timeouts, 1U);
  EXPECT_GE(flow.sender.retransmissions, 8U);
  EXPECT_GE(flow.packets_dropped_random, 8U);
}

TEST(Handover, AFrozenSenderLosesNothing) {
  const Result plain = Cells{}.run();
  const Result frozen = Cells{.freeze = true}.run();
  const FlowResult& flow = frozen.flows[0];
  EXPECT_TRUE(frozen.all_done);
  EXPECT_EQ(flow.sender.timeouts, 0U);
  EXPECT_EQ(flow.sender.retransmissions, 0U);
  // Probes of the closed window are all that is lost.
  EXPECT_EQ(flow.packets_dropped_random, flow.sender.window_probes);
  EXPECT_LT(flow.done_ns, plain.flows[0].done_ns);
}

// 4 MB at 20,000 bytes per round trip of 44 ms take 8.8 s: 4 handovers, each of which
// costs half a second, the frozen round trip before it and the one that wakes the sender.
TEST(Handover, AFrozenTransferTakesTheTimeWithoutHandovers) {
  const auto at_rest_ns = Cells{.dwell_ns = 1e12}.run().flows[0].done_ns;
  const auto frozen_ns = Cells{.freeze = true}.run().flows[0].done_ns;
  const auto lost_ns = static_cast<double>(frozen_ns - at_rest_ns);
  EXPECT_NEAR(lost_ns / 4, 0.5e9 + 2 * 44e6, 0.1e9);
}

TEST(Handover, PacketsTakeTheWayToTheNewCell) {
  const Result result = Cells{.freeze = true}.run();
  ASSERT_EQ(result.queues.size(), 4U);  // of both directions of both cells
  std::uint64_t sent = 0;
  for (const QueueResult& queue : result.queues) {
    EXPECT_GT(queue.counters.sent_packets, 300U);
    sent += queue.counters.sent_packets;
  }
  // Every packet that was not sent by a host without a cell passed one of them.
  EXPECT_LE(sent, result.flows[0].packets_sent);
  EXPECT_GE(sent + result.flows[0].packets_dropped_random, result.flows[0].packets_sent);
}

// The handover's ACKs are lost when the cell loses packets: the timer repeats them.
TEST(Handover, TheSenderIsWokenThoughACKsAreLost) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const Cells cells{.freeze = true, .size_bytes = 1'000'000, .loss_ratio = 0.1};
    EXPECT_TRUE(cells.run(2'000 * kSecond, seed).all_done);
  }
}

TEST(Handover, AGatewayThatSawNoHandshakeLetsItPass) {
  for (const std::uint32_t law : {PST_VARIANT_EWA, PST_VARIANT_FEWA, PST_VARIANT_INTEGRAL}) {
    const Result result = Cells{.freeze = true, .window_bytes = 60'000, .law = law}.run();
    EXPECT_TRUE(result.all_done);
    EXPECT_EQ(result.flows[0].receiver.delivered_bytes, 4'000'000U);
  }
}

TEST(Handover, UsersMoveWithAllTheirConnections) {
  for (const bool freeze : {false, true}) {
    const Cells cells{.freeze = freeze, .dwell_ns = 0.7e9, .users = 20, .cells = 3};
    const Result result = cells.run(5'000 * kSecond);
    EXPECT_TRUE(result.all_done);  // conservation is checked at the end of each run
    EXPECT_EQ(result.groups[0].counters.transfers, 20U * 200);
    EXPECT_EQ(result.groups[0].counters.receiver.delivered_bytes,
              result.groups[0].counters.transfer_bytes);
    EXPECT_EQ(cells.run(5'000 * kSecond).events, result.events);
  }
}

TEST(Handover, WithoutATimeBetweenTheCellsWhatIsOnItsWayIsLost) {
  const Result result = Cells{.outage_ns = 0, .window_bytes = 60'000}.run();
  EXPECT_TRUE(result.all_done);
  EXPECT_GT(result.flows[0].packets_dropped_random, 0U);
}

TEST(Handover, ARunMayEndInTheMiddleOfOne) {
  const Result result = Cells{}.run(2'200 * kMs);
  EXPECT_FALSE(result.all_done);
  EXPECT_LT(result.flows[0].receiver.delivered_bytes, 4'000'000U);
}

TEST(Handover, NeedsTwoCells) { EXPECT_THROW(Cells{.cells = 1}.run(), std::invalid_argument); }

}  // namespace
}  // namespace penstock::net
