// SPDX-License-Identifier: GPL-2.0-only
// A shared medium with CSMA/CD: who sends alone, who collides, and what it carries.
#include <gtest/gtest.h>

#include <stdexcept>

#include "sim/net/network.h"
#include "tests/sim/times.h"

namespace penstock::net {
namespace {

constexpr std::uint32_t kCsmaPacketBytes = 1'500;

// Hosts that send datagrams of 1,500 bytes to a router over a LAN of 10 Mbit/s.
struct Lan {
  std::uint32_t hosts = 1;
  std::uint64_t each_bps = 1'000'000;
  std::uint64_t delay_ns = 500;
  double loss_ratio = 0.0;
  std::uint64_t offset_ns = 0;  // between the starts of two hosts

  Result run(std::uint64_t until_ns) const {
    Network network(1);
    const std::uint32_t router = network.node("router");
    std::vector<std::uint32_t> links;
    for (std::uint32_t i = 0; i < hosts; ++i) {
      const std::uint32_t host = network.node("host");
      for (const auto& [src, dst] : {Ends{host, router}, Ends{router, host}}) {
        LinkSpec link{.src = src, .dst = dst, .rate_bps = 10'000'000, .delay_ns = delay_ns};
        link.queue_packets = 50;
        link.loss_ratio = loss_ratio;
        links.push_back(network.link(link));
      }
      network.udp({.src = host,
                   .dst = router,
                   .start_ns = i * offset_ns,
                   .rate_bps = each_bps,
                   .payload_bytes = kCsmaPacketBytes - 28,
                   .stop_ns = until_ns / 2});
    }
    network.csma_cd(links);
    return network.run(until_ns);
  }
};

std::uint64_t packets_delivered(const Result& result) {
  std::uint64_t sum = 0;
  for (const FlowResult& flow : result.flows) sum += flow.packets_delivered;
  return sum;
}

std::uint64_t sent(const Result& result) {
  std::uint64_t sum = 0;
  for (const FlowResult& flow : result.flows) sum += flow.packets_sent;
  return sum;
}

TEST(Csma, AStationAloneHasTheWholeRate) {
  const Lan lan{.each_bps = 20'000'000};
  const Result result = lan.run(kSecond);
  // Frames of 1.2 ms, 0.5 us to be heard and a gap of 9.6 us, for half a second.
  EXPECT_NEAR(static_cast<double>(packets_delivered(result)), 500.0 / 1.2101 + 50, 3);
}

TEST(Csma, StationsThatDoNotMeetDoNotWait) {
  const Lan lan{.hosts = 4, .each_bps = 100'000, .offset_ns = 10 * kMs};
  const Result result = lan.run(2 * kSecond);
  EXPECT_EQ(packets_delivered(result), sent(result));
  for (const QueueResult& queue : result.queues) EXPECT_LE(queue.delay.max_ns, 600.0);
}

TEST(Csma, StationsThatStartTogetherCollideAndAllGetThrough) {
  const Lan lan{.hosts = 4, .each_bps = 100'000};
  const Result result = lan.run(2 * kSecond);
  EXPECT_EQ(packets_delivered(result), sent(result));
  double most = 0;
  for (const QueueResult& queue : result.queues) most = std::max(most, queue.delay.max_ns);
  EXPECT_GT(most, 3 * 1.2 * kMs);  // the last of four waits for three frames
}

TEST(Csma, UnderOverloadTheMediumCarriesMostOfItsRate) {
  const Lan lan{.hosts = 10, .each_bps = 3'000'000};
  const Result result = lan.run(4 * kSecond);
  const double carried_bps = static_cast<double>(packets_delivered(result)) * kCsmaPacketBytes * 8 /
                             (static_cast<double>(result.end_ns) * 1e-9);
  EXPECT_GT(carried_bps, 8'500'000.0);
  EXPECT_LT(carried_bps, 10'000'000.0);
  // Each host gets some.
  for (const FlowResult& flow : result.flows) EXPECT_GT(flow.packets_delivered, 20U);
}

TEST(Csma, AnUnreliableHopLosesItsShare) {
  const Lan lan{.each_bps = 5'000'000, .loss_ratio = 0.05};
  const Result result = lan.run(20 * kSecond);
  const double share = static_cast<double>(result.flows[0].packets_dropped_random) /
                       static_cast<double>(result.flows[0].packets_sent);
  EXPECT_NEAR(share, 0.05, 0.01);
}

// A station has one queue for all of its links, and the queue's gateway writes labels.
TEST(Csma, LabelsAreRefusedWithEcnOnAnyLinkOfAStation) {
  Network network(1);
  const std::uint32_t router = network.node("router");
  std::vector<std::uint32_t> links;
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t host = network.node("host");
    for (const auto& [src, dst] : {Ends{router, host}, Ends{host, router}}) {
      LinkSpec link{.src = src, .dst = dst, .rate_bps = 10'000'000};
      link.queue_packets = 5;
      links.push_back(network.link(link));
    }
  }
  network.csma_cd(links);
  pst_gateway_config config;
  pst_variant_config(&config, PST_VARIANT_CSFQ, 7'500);
  network.gateway(links[0], config);
  TcpSpec tcp;
  tcp.src = router;
  tcp.dst = 2;  // over links[2]
  tcp.size_bytes = 1;
  pst_sender_defaults(tcp.sender.method, &tcp.sender.params);
  network.tcp(tcp);
  EXPECT_NO_THROW(network.run(kSecond));
  tcp.sender.ecn = tcp.receiver.ecn = true;
  network.tcp(tcp);
  EXPECT_THROW(network.run(kSecond), std::invalid_argument);
}

TEST(Csma, LinksThatDifferAreRefused) {
  Network network(1);
  const std::uint32_t a = network.node("a"), b = network.node("b");
  LinkSpec link{.src = a, .dst = b, .rate_bps = 10'000'000};
  link.queue_packets = 5;
  const std::uint32_t one = network.link(link);
  link.delay_ns = 5;
  const std::uint32_t other = network.link(link);
  link.queue_packets = 0;
  const std::uint32_t unlimited = network.link(link);
  EXPECT_THROW(network.csma_cd({one, other}), std::invalid_argument);
  EXPECT_THROW(network.csma_cd({unlimited}), std::invalid_argument);
  EXPECT_THROW(network.csma_cd({}), std::invalid_argument);
}

}  // namespace
}  // namespace penstock::net
