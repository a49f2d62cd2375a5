// SPDX-License-Identifier: GPL-2.0-only
// Connections that their receiver opens, in whole runs: their books, gateways on their way, users,
// hosts that share and hosts that move.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "core/describe.h"
#include "sim/net/network.h"
#include "tests/sim/times.h"

namespace penstock::net {
namespace {

using traffic::Distribution;

// Flows over one bottleneck, with round trips of 20 ms.
struct Line {
  bool opens = true;
  int flows = 1;
  std::uint64_t size_bytes = 300'000;
  std::uint32_t variant = PST_VARIANT_DROPTAIL;
  double loss_ratio = 0.0;  // both ways
  std::uint32_t sender = PST_SENDER_NEWRENO;
  std::size_t users = 0;
  std::uint32_t sharing = PST_SHARING_COUNT;
  std::uint32_t bottleneck = 0;

  Network build() {
    Network network(1);
    const std::uint32_t left = network.node("left"), right = network.node("right");
    LinkSpec link{.src = left, .dst = right, .rate_bps = 10'000'000, .delay_ns = 10 * kMs};
    link.queue_bytes = 60'000;
    link.loss_ratio = loss_ratio;
    bottleneck = network.link(link);
    LinkSpec back{.src = right, .dst = left, .rate_bps = 10'000'000, .delay_ns = 10 * kMs};
    back.loss_ratio = loss_ratio;
    network.link(back);
    pst_gateway_config config;
    pst_variant_config(&config, variant, link.queue_bytes);
    network.gateway(bottleneck, config);
    TcpSpec tcp{.src = left, .dst = right, .size_bytes = size_bytes};
    tcp.sender.method = sender;
    pst_sender_defaults(sender, &tcp.sender.params);
    tcp.sender.sharing = sharing;
    pst_sharing_defaults(sharing, &tcp.sender.sharing_params);
    tcp.receiver.opens = opens;
    tcp.receiver.buffer_bytes = 200'000;
    if (users) add_users(network, tcp);
    for (int i = 0; !users && i < flows; ++i) network.tcp(tcp);
    return network;
  }

  Result run(std::uint64_t until_ns = 1'000 * kSecond) { return build().run(until_ns); }

 private:
  void add_users(Network& network, const TcpSpec& tcp) const {
    const Distribution pause = Distribution::exponential(0.1e9);
    const traffic::Web web{pause, Distribution::constant(10), pause, Distribution::constant(1),
                           Distribution::pareto(1.7, 10'000, 300'000)};
    TrafficSpec group{
        .name = "web", .ends = {{tcp.src, tcp.dst}}, .starts_ns = {}, .source = {web, 50}};
    group.starts_ns.resize(users);
    group.source.company = true;
    group.sender = tcp.sender;
    group.receiver = tcp.receiver;
    network.traffic(std::move(group));
  }
};

TEST(OpenedNetwork, TheDataIsHalfARoundTripLater) {
  Line here{.size_bytes = 1'000}, there{.opens = false, .size_bytes = 1'000};
  const FlowResult a = here.run().flows.at(0), b = there.run().flows.at(0);
  const std::int64_t later_ns = a.done_ns - b.done_ns;
  EXPECT_NEAR(static_cast<double>(later_ns), 10.0 * kMs, 0.1 * kMs);
  EXPECT_EQ(a.receiver.delivered_bytes, 1'000U);
  // SYN, SYN-ACK and its ACK; data with the FIN, and its ACK.
  EXPECT_EQ(a.packets_sent, 5U);
  EXPECT_EQ(b.packets_sent, 5U);
}

TEST(OpenedNetwork, EveryPacketOfALossyRunIsAccountedFor) {
  Line line{.flows = 40, .size_bytes = 30'000, .loss_ratio = 0.1};
  const Result result = line.run();
  ASSERT_TRUE(result.all_done);
  std::uint64_t lost = 0;
  for (const FlowResult& f : result.flows) {
    EXPECT_EQ(f.receiver.delivered_bytes, 30'000U);
    lost += f.packets_dropped_random;
  }
  EXPECT_GT(lost, 100U);
}

// The gateway knows the scale, so it sees both SYNs; the first one is no ACK.
TEST(OpenedNetwork, AGatewayFollowsItsHandshake) {
  for (const std::uint32_t variant :
       {PST_VARIANT_EWT, PST_VARIANT_SHARE, PST_VARIANT_INTEGRAL, PST_VARIANT_PENSTOCK}) {
    Line line{.flows = 8, .variant = variant};
    const Result result = line.run();
    ASSERT_TRUE(result.all_done);
    const gateway::Counters& seen = result.queues.at(0).gateway;
    std::uint64_t acks = 0;
    for (const FlowResult& f : result.flows) acks += f.receiver.acks_sent;
    EXPECT_EQ(seen.acks_by[PST_BY_UNKNOWN_SCALE], 0U);
    EXPECT_EQ(seen.acks_seen, acks);
    EXPECT_GT(seen.acks_rewritten, 0U);
  }
}

TEST(OpenedNetwork, UsersOpenEachOfTheirConnections) {
  for (const std::uint32_t sharing : {PST_SHARING_COUNT, PST_SHARING_EFCM}) {
    Line line{.loss_ratio = 0.02, .users = 5, .sharing = sharing};
    const Result result = line.run();
    ASSERT_TRUE(result.all_done);
    const GroupResult& group = result.groups.at(0);
    EXPECT_EQ(group.counters.connections, 250U);
    EXPECT_EQ(group.counters.receiver.delivered_bytes, group.counters.transfer_bytes);
    EXPECT_GT(group.company.newcomers, 50U);
    EXPECT_EQ(group.company.begun, group.company.newcomers);
    // One that joins an ensemble begins with what the others know.
    EXPECT_EQ(group.company.begun_ssthresh_bytes > 0, sharing == PST_SHARING_EFCM);
  }
}

TEST(OpenedNetwork, AHeaderThatBeginsOnTheSendersSynIsRefused) {
  for (const std::uint32_t sender :
       {PST_SENDER_XCP_SENDER, PST_SENDER_QUICK_START_SENDER, PST_SENDER_FBA_SENDER}) {
    EXPECT_THROW((Line{.sender = sender}.run()), std::invalid_argument);
    EXPECT_NO_THROW((Line{.opens = false, .sender = sender}.run()));
  }
}

// Without a cell nothing is heard of it: the SYN is repeated until there is one.
TEST(OpenedNetwork, AHostThatMovesOpensWhenItHasACell) {
  for (const bool freeze : {false, true}) {
    Network network(1);
    const std::uint32_t server = network.node("server"), router = network.node("router");
    MobilitySpec moves{{}, Distribution::constant(1e9), Distribution::constant(0.3e9)};
    for (int i = 0; i < 2; ++i) moves.cells.push_back(network.node("cell"));
    for (const std::uint32_t node : {server, moves.cells[0], moves.cells[1]}) {
      for (const auto& [a, b] : {std::pair{node, router}, std::pair{router, node}}) {
        LinkSpec link{.src = a, .dst = b, .rate_bps = 10'000'000, .delay_ns = 5 * kMs};
        link.queue_bytes = 60'000;
        network.link(link);
      }
    }
    network.mobility(moves);
    TcpSpec tcp{.src = server, .dst = moves.cells[0], .size_bytes = 200'000};
    pst_sender_defaults(tcp.sender.method, &tcp.sender.params);
    tcp.receiver.opens = true;
    tcp.receiver.freeze = freeze;
    tcp.receiver.buffer_bytes = 20'000;
    for (const std::uint64_t start_ms : {0, 1'100, 1'250, 2'400}) {
      tcp.start_ns = start_ms * kMs;
      network.tcp(tcp);
    }
    const Result result = network.run(100 * kSecond);
    ASSERT_TRUE(result.all_done);
    EXPECT_GT(result.flows.at(1).packets_dropped_random, 0U) << "its first SYN";
    for (const FlowResult& f : result.flows) EXPECT_EQ(f.receiver.delivered_bytes, 200'000U);
  }
}

}  // namespace
}  // namespace penstock::net
