// SPDX-License-Identifier: GPL-2.0-only
// QUIC in whole runs: 20 Mbit/s, 97 kB of queue, 40 ms, alone and beside TCP.
#include <gtest/gtest.h>

#include "core/describe.h"
#include "sim/net/network.h"
#include "tests/sim/times.h"

namespace penstock::net {
namespace {

constexpr double kCountedSeconds = 40;
constexpr std::uint64_t kQuicBufferBytes = 97'000;

struct Shared {
  std::uint32_t quic = 1;
  std::uint32_t tcp = 0;
  std::uint32_t variant = PST_VARIANT_DROPTAIL;
  std::uint32_t congestion = PST_SENDER_CUBIC;  // of QUIC
  std::uint32_t apart_ms = 7;                   // one flow's start from the next
};

// Of flows that lose packets at random, one run says little.
constexpr std::uint32_t kApartMs[] = {5, 7, 11, 13, 17, 19};

tcp::SenderConfig sender_of(std::uint32_t method, bool quic) {
  tcp::SenderConfig sender;
  sender.method = method;
  sender.quic = quic;
  pst_sender_defaults(method, &sender.params);
  return sender;
}

Network link20(std::uint32_t variant) {
  Network network(1);
  const std::uint32_t left = network.node("left"), right = network.node("right");
  LinkSpec link{.src = left, .dst = right, .rate_bps = 20'000'000, .delay_ns = 20 * kMs};
  link.queue_bytes = kQuicBufferBytes;
  const std::uint32_t bottleneck = network.link(link);
  network.link({.src = right, .dst = left, .rate_bps = 1'000'000'000, .delay_ns = 20 * kMs});
  pst_gateway_config gateway;
  pst_variant_config(&gateway, variant, kQuicBufferBytes);
  network.gateway(bottleneck, gateway);
  return network;
}

TcpSpec flow_of(std::uint32_t number, std::uint32_t method, bool quic, std::uint32_t apart_ms = 7) {
  TcpSpec spec;
  spec.src = 0;
  spec.dst = 1;
  spec.start_ns = number * apart_ms * kMs;
  spec.size_bytes = 1ULL << 34;
  spec.sender = sender_of(method, quic);
  spec.receiver.autotune = true;
  if (quic) spec.receiver.delayed_ack_ns = 25 * kMs;
  return spec;
}

Result run(const Shared& shared) {
  Network network = link20(shared.variant);
  for (std::uint32_t i = 0; i < shared.quic + shared.tcp; ++i) {
    const bool quic = i < shared.quic;
    network.tcp(flow_of(i, quic ? shared.congestion : std::uint32_t{PST_SENDER_CUBIC}, quic,
                        shared.apart_ms));
  }
  return network.run({50 * kSecond, 10 * kSecond});
}

double mbps(const FlowResult& f) {
  return static_cast<double>(f.receiver.delivered_bytes) * 8e-6 / kCountedSeconds;
}

// Of 1,448 bytes 31 to 39 are QUIC's and TLS', beside 28 of IP and UDP.
TEST(Quic, OneFlowFillsALink) {
  for (const std::uint32_t congestion :
       {PST_SENDER_NEWRENO, PST_SENDER_CUBIC, PST_SENDER_BBR, PST_SENDER_BBR3}) {
    const Result result = run({.congestion = congestion});
    EXPECT_GT(result.queues[0].utilisation, 0.96) << pst_sender_rows[congestion].name;
    const double carried = result.queues[0].utilisation * 20 * (1448 - 37) / (1448 + 28);
    EXPECT_NEAR(mbps(result.flows[0]), carried, 0.2);
    EXPECT_EQ(result.flows[0].sender.timeouts, 0U);
  }
}

TEST(Quic, TwoFlowsShareALink) {
  const Result result = run({.quic = 2});
  EXPECT_NEAR(mbps(result.flows[0]) / mbps(result.flows[1]), 1, 0.2);
}

// The law alone has no window of QUIC's to rewrite, and keeps no queue empty that QUIC fills;
// `fair` drops what QUIC sends beyond its share.
TEST(Quic, TheLawAloneLetsItFillTheQueueAndFairHoldsItToItsShare) {
  const double fair_share = 20.0 / 5;
  double mean = 0;
  for (const std::uint32_t apart_ms : kApartMs)
    mean +=
        mbps(
            run({.tcp = 4, .variant = PST_VARIANT_PENSTOCK_ALONE, .apart_ms = apart_ms}).flows[0]) /
        std::size(kApartMs);
  EXPECT_GT(mean, 1.15 * fair_share);
  const Result alone = run({.tcp = 4, .variant = PST_VARIANT_PENSTOCK_ALONE});
  EXPECT_GT(alone.queues[0].bytes_mean, 0.6 * kQuicBufferBytes);
  const Result fair = run({.tcp = 4, .variant = PST_VARIANT_PENSTOCK});
  EXPECT_LT(mbps(fair.flows[0]), fair_share);
  EXPECT_GT(mbps(fair.flows[0]), 0.7 * fair_share);
  EXPECT_LT(fair.queues[0].bytes_mean, 0.15 * kQuicBufferBytes);
  for (std::uint32_t i = 1; i < 5; ++i) {
    EXPECT_GT(alone.flows[i].packets_dropped_queue, 0U) << i;
    EXPECT_NEAR(mbps(fair.flows[i]), fair_share, 0.05 * fair_share) << i;
    EXPECT_EQ(fair.flows[i].packets_dropped_queue, 0U) << i;
  }
}

// BBR does not slow down at losses.
TEST(Quic, TheLawAloneLeavesBbrTheLinkAndFairHoldsItToItsShare) {
  const Shared beside{.tcp = 4, .congestion = PST_SENDER_BBR};
  Shared alone = beside, fair = beside;
  alone.variant = PST_VARIANT_PENSTOCK_ALONE;
  fair.variant = PST_VARIANT_PENSTOCK;
  EXPECT_GT(mbps(run(alone).flows[0]), 0.7 * 20);
  EXPECT_NEAR(mbps(run(fair).flows[0]), 4, 0.4);
}

// The congestion control is the same, those at a rate find losses by time, and neither has a window
// that a gateway sets.
TEST(Quic, ItHasWhatTcpHasThatTheGatewayDoesNotControl) {
  for (const std::uint32_t variant :
       {PST_VARIANT_DROPTAIL, PST_VARIANT_PENSTOCK_ALONE, PST_VARIANT_PENSTOCK})
    for (const std::uint32_t congestion :
         {PST_SENDER_NEWRENO, PST_SENDER_CUBIC, PST_SENDER_BBR, PST_SENDER_BBR3}) {
      double quic = 0, tcp = 0;
      for (const std::uint32_t apart_ms : kApartMs) {
        const Shared one{
            .tcp = 4, .variant = variant, .congestion = congestion, .apart_ms = apart_ms};
        quic += mbps(run(one).flows[0]);
        Network network = link20(variant);
        for (std::uint32_t i = 0; i < 5; ++i) {
          TcpSpec spec =
              flow_of(i, i == 0 ? congestion : std::uint32_t{PST_SENDER_CUBIC}, false, apart_ms);
          spec.controlled = i > 0;
          spec.sender.rack = spec.receiver.dsack = i == 0 && pst_sender_has_rate(congestion);
          network.tcp(spec);
        }
        tcp += mbps(network.run({50 * kSecond, 10 * kSecond}).flows[0]);
      }
      EXPECT_NEAR(quic, tcp, 0.25 * tcp)
          << pst_variant_rows[variant].name << ", " << pst_sender_rows[congestion].name;
    }
}

TEST(Quic, RunsAlikeGiveTheSame) {
  const Result a = run({.quic = 2, .tcp = 2}), b = run({.quic = 2, .tcp = 2});
  EXPECT_EQ(a.events, b.events);
  for (std::size_t i = 0; i < a.flows.size(); ++i) {
    EXPECT_EQ(a.flows[i].receiver.delivered_bytes, b.flows[i].receiver.delivered_bytes);
    EXPECT_EQ(a.flows[i].sender.retransmissions, b.flows[i].sender.retransmissions);
  }
}

TEST(Quic, AFileEndsAndEachOfItsBytesArrivesOnce) {
  Network network = link20(PST_VARIANT_DROPTAIL);
  TcpSpec spec = flow_of(0, PST_SENDER_CUBIC, true);
  spec.size_bytes = 5'000'000;
  network.tcp(spec);
  const Result result = network.run(100 * kSecond);
  EXPECT_TRUE(result.all_done);
  EXPECT_EQ(result.flows[0].receiver.delivered_bytes, spec.size_bytes);
  EXPECT_FALSE(result.flows[0].is_udp);
  EXPECT_EQ(result.flows[0].sender.bytes_sent - result.flows[0].sender.retransmitted_bytes,
            spec.size_bytes);
}

TEST(Quic, FilesOfBothProtocolsInAnyOrderAreThoseOfTheirFlows) {
  Network network = link20(PST_VARIANT_DROPTAIL);
  for (std::uint32_t i = 0; i < 4; ++i) {
    TcpSpec spec = flow_of(i, PST_SENDER_CUBIC, i == 0 || i == 2);
    spec.size_bytes = 100'000 * (i + 1);
    network.tcp(spec);
  }
  const Result result = network.run(100 * kSecond);
  EXPECT_TRUE(result.all_done);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(result.flows[i].size_bytes, 100'000U * (i + 1));
    EXPECT_EQ(result.flows[i].receiver.delivered_bytes, 100'000U * (i + 1));
    EXPECT_EQ(result.flows[i].start_ns, i * 7 * kMs);
  }
}

// A download: the Initial and the request of the client, half a round trip each, come first.
TEST(Quic, TheDataIsHalfARoundTripLaterWhereTheReceiverOpens) {
  std::int64_t done_ns[2];
  for (const bool opens : {false, true}) {
    Network network = link20(PST_VARIANT_DROPTAIL);
    TcpSpec spec = flow_of(0, PST_SENDER_CUBIC, true);
    spec.size_bytes = 1'000;
    spec.receiver.opens = opens;
    network.tcp(spec);
    const Result result = network.run(100 * kSecond);
    EXPECT_TRUE(result.all_done);
    EXPECT_EQ(result.flows[0].receiver.delivered_bytes, 1'000U);
    EXPECT_EQ(result.flows[0].packets_sent, opens ? 5U : 4U);
    done_ns[opens] = result.flows[0].done_ns;
  }
  EXPECT_NEAR(static_cast<double>(done_ns[1] - done_ns[0]), 20.0 * kMs, kMs);
}

TEST(Quic, ALossyDownloadArrivesWhole) {
  Network network(1);
  const std::uint32_t left = network.node("left"), right = network.node("right");
  LinkSpec link{.src = left, .dst = right, .rate_bps = 20'000'000, .delay_ns = 20 * kMs};
  link.loss_ratio = 0.1;
  network.link(link);
  std::swap(link.src, link.dst);
  network.link(link);
  for (std::uint32_t i = 0; i < 40; ++i) {
    TcpSpec spec = flow_of(i, PST_SENDER_CUBIC, true);
    spec.size_bytes = 30'000;
    spec.receiver.opens = true;
    network.tcp(spec);
  }
  const Result result = network.run(1'000 * kSecond);
  EXPECT_TRUE(result.all_done);
  for (const FlowResult& f : result.flows) EXPECT_EQ(f.receiver.delivered_bytes, 30'000U);
}

// Of users, whose connections come and go: each object a connection, or all on one.
TEST(Quic, UsersOfTheWebHaveIt) {
  for (const auto& [persistent, opens] :
       {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
    Network network = link20(PST_VARIANT_PENSTOCK);
    using traffic::Distribution;
    const Distribution pause_ns = Distribution::exponential(50 * kMs);
    const traffic::SourceSpec source{
        traffic::Web{pause_ns, Distribution::constant(10), pause_ns, Distribution::constant(1),
                     Distribution::pareto(1.5, 5'000, 300'000)},
        30, persistent};
    TrafficSpec web{
        .name = "web", .ends = {{0, 1}}, .starts_ns = {0, kMs, 2 * kMs}, .source = source};
    web.sender = sender_of(PST_SENDER_CUBIC, true);
    web.receiver.opens = opens;
    network.traffic(web);
    const Result result = network.run(100'000 * kSecond);
    EXPECT_TRUE(result.all_done);
    EXPECT_EQ(result.groups[0].counters.transfers, 90U);
    EXPECT_EQ(result.groups[0].counters.connections, persistent ? 3U : 90U);
    EXPECT_EQ(result.groups[0].counters.receiver.delivered_bytes,
              result.groups[0].counters.transfer_bytes);
  }
}

TEST(Quic, WhatItLacksIsRefused) {
  Network network = link20(PST_VARIANT_DROPTAIL);
  EXPECT_THROW(network.tcp(flow_of(0, PST_SENDER_XCP_SENDER, true)), std::invalid_argument);
  TcpSpec small = flow_of(0, PST_SENDER_CUBIC, true);
  small.sender.mss_bytes = 1'000;
  EXPECT_THROW(network.tcp(small), std::invalid_argument);
}

}  // namespace
}  // namespace penstock::net
