// SPDX-License-Identifier: GPL-2.0-only
// Users whose connections come and go: every byte arrives, slots are used again, and
// nothing of the last connection is left in the next one.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "core/describe.h"
#include "sim/net/network.h"
#include "tests/sim/times.h"

namespace penstock::net {
namespace {

using traffic::Distribution;

constexpr std::uint64_t kHour = 3600 * kSecond;

traffic::SourceSpec pages(Distribution pause_ns, Distribution bytes, std::uint64_t transfers) {
  return {traffic::Web{pause_ns, Distribution::constant(10), pause_ns, Distribution::constant(1),
                       bytes},
          transfers};
}

struct Group {
  std::uint32_t method = PST_VARIANT_EWT;
  std::size_t users = 1;
  traffic::SourceSpec source;
  bool persistent = false;
  double loss_ratio = 0.0;
  std::uint64_t rate_bps = 10'000'000;

  Result run(std::uint64_t until_ns = kHour, std::uint64_t warm_up_ns = 0) const {
    Network network(1);
    const std::uint32_t left = network.node("left"), right = network.node("right");
    LinkSpec link{.src = left, .dst = right, .rate_bps = rate_bps, .delay_ns = 10'000'000};
    link.queue_bytes = 60'000;
    link.loss_ratio = loss_ratio;
    const std::uint32_t bottleneck = network.link(link);
    network.link({.src = right, .dst = left, .rate_bps = rate_bps, .delay_ns = 10'000'000});
    pst_gateway_config gateway;
    pst_variant_config(&gateway, method, link.queue_bytes);
    network.gateway(bottleneck, gateway);
    TrafficSpec spec{.name = "web", .ends = {{left, right}}, .starts_ns = {}, .source = source};
    spec.starts_ns.resize(users);
    spec.source.persistent = persistent;
    pst_sender_defaults(spec.sender.method, &spec.sender.params);
    network.traffic(std::move(spec));
    return network.run({until_ns, warm_up_ns});
  }
};

std::uint64_t completed(const GroupResult& group) {
  std::uint64_t sum = 0;
  for (const Quantiles& q : group.completion_ns) sum += q.count();
  return sum;
}

std::size_t distinct(const Quantiles& q) {
  return static_cast<std::size_t>(
      std::count_if(q.bins().begin(), q.bins().end(), [](std::uint64_t n) { return n > 0; }));
}

TEST(Traffic, EveryTransferArrivesWhole) {
  const Group asked{.users = 20,
                    .source = pages(Distribution::exponential(50 * kMs),
                                    Distribution::pareto(1.5, 5'000, 300'000), 40),
                    .loss_ratio = 0.02};
  const Result result = asked.run();
  ASSERT_TRUE(result.all_done);
  const GroupResult& group = result.groups.at(0);
  EXPECT_EQ(group.counters.transfers, 800U);
  EXPECT_EQ(group.counters.connections, 800U);
  EXPECT_EQ(completed(group), 800U);
  EXPECT_EQ(group.counters.receiver.delivered_bytes, group.counters.transfer_bytes);
  EXPECT_GT(group.counters.sender.retransmissions, 0U);
  EXPECT_EQ(group.unfinished, 0U);
}

TEST(Traffic, ConnectionsAreSlotsThatAreUsedAgain) {
  const Group asked{
      .users = 5, .source = pages(Distribution::constant(0), Distribution::constant(20'000), 400)};
  const Result result = asked.run();
  EXPECT_EQ(result.groups.at(0).counters.connections, 2'000U);
  EXPECT_LE(result.groups.at(0).slots, 40U);
}

// A gateway that took a new connection for the old one would know its window scale.
TEST(Traffic, AGatewayForgetsAFlow) {
  pst_gateway_config config;
  pst_variant_config(&config, PST_VARIANT_EWT, 60'000);
  pst_queue q{};
  q.limit_bytes = 60'000;
  gateway::Gateway gateway(config, q, 1);
  gateway.expect(2);
  tcp::Segment syn{}, syn_ack{}, ack{};
  syn.options = syn_ack.options = tcp::kWindowScale;
  syn.flags = tcp::kSyn;
  syn_ack.flags = tcp::kSyn | tcp::kAck;
  ack.flags = tcp::kAck;
  ack.window = 1'000;
  for (const std::uint32_t flow : {0U, 1U}) {
    gateway.see_forward(flow, syn, 40, q);
    gateway.on_ack(flow, syn_ack, q);
  }
  gateway.forget(1);
  gateway.on_ack(0, ack, q);
  EXPECT_EQ(gateway.acks().counters().acks_by[PST_BY_UNKNOWN_SCALE], 0U);
  gateway.on_ack(1, ack, q);
  EXPECT_EQ(gateway.acks().counters().acks_by[PST_BY_UNKNOWN_SCALE], 1U);
}

TEST(Traffic, NothingIsLeftOfTheLastConnection) {
  for (const std::uint32_t method : {PST_VARIANT_DROPTAIL, PST_VARIANT_EWT, PST_VARIANT_SHARE}) {
    const Group asked{
        .method = method,
        .source = pages(Distribution::constant(5e9), Distribution::constant(80'000), 30)};
    const Result result = asked.run();
    const GroupResult& group = result.groups.at(0);
    EXPECT_EQ(group.slots, 1U);
    const Quantiles& times = group.completion_ns[1];
    EXPECT_EQ(times.count(), 30U);
    EXPECT_EQ(distinct(times), 1U) << pst_variant_rows[method].name;
  }
}

TEST(Traffic, DrawsDoNotDependOnTheMethod) {
  const auto transfer_bytes = [](std::uint32_t method) {
    const Group asked{
        .method = method,
        .users = 30,
        .source = pages(Distribution::exponential(20 * kMs), Distribution::pareto(1.5, 5'000), 20)};
    const Result result = asked.run();
    EXPECT_TRUE(result.all_done);
    return result.groups.at(0).counters.transfer_bytes;
  };
  EXPECT_EQ(transfer_bytes(PST_VARIANT_DROPTAIL), transfer_bytes(PST_VARIANT_INTEGRAL));
}

TEST(Traffic, APersistentConnectionCarriesAllTransfers) {
  const Group asked{
      .users = 3,
      .source = pages(Distribution::constant(300 * kMs), Distribution::constant(50'000), 25),
      .persistent = true};
  const Result result = asked.run();
  ASSERT_TRUE(result.all_done);
  const GroupResult& group = result.groups.at(0);
  EXPECT_EQ(group.counters.connections, 3U);
  EXPECT_EQ(completed(group), 75U);
  EXPECT_EQ(group.counters.receiver.delivered_bytes, 75U * 50'000);
  EXPECT_EQ(group.counters.sender.timeouts, 0U);
  EXPECT_EQ(group.counters.sender.window_probes, 0U);  // an idle sender does not probe
}

// 1,000 bytes each 20 ms: all arrive, each a serialisation and a delay after its write.
TEST(Traffic, AnApplicationLimitedSenderSendsWhatIsWritten) {
  const traffic::SourceSpec chatty{
      traffic::OnOff{Distribution::constant(1e18), Distribution::constant(0), 20'000'000, 1'000}};
  const Group asked{.source = chatty, .persistent = true};
  const Result result = asked.run(10 * kSecond + 15'000'000);
  const GroupResult& group = result.groups.at(0);
  EXPECT_EQ(group.counters.connections, 1U);
  EXPECT_EQ(group.counters.transfers, 501U);
  EXPECT_EQ(completed(group), 501U);
  EXPECT_EQ(group.counters.sender.segments_sent, 501U);
  const Quantiles& times = group.completion_ns[0];
  EXPECT_LT(times.sum(), 501 * 11'000'000ULL + 22'000'000);  // plus the handshake
}

TEST(Traffic, ATraceOpensItsConnectionsAtItsTimes) {
  const auto trace = std::make_shared<std::vector<traffic::Transfer>>();
  for (std::uint64_t i = 0; i < 50; ++i) trace->push_back({i * 10'000'000, 30'000});
  const Group asked{.source = {traffic::Trace{trace}}, .rate_bps = 2'000'000};
  const Result result = asked.run();
  ASSERT_TRUE(result.all_done);
  const GroupResult& group = result.groups.at(0);
  EXPECT_EQ(completed(group), 50U);
  EXPECT_GT(group.slots, 5U);  // 24 Mbit/s are asked of a link of 2: many are open at once
}

// The counters of a run up to a moment, and from it on, are those of the whole run.
TEST(Traffic, AWarmUpCutsARunInTwo) {
  const Group asked{
      .users = 10,
      .source = pages(Distribution::exponential(100 * kMs), Distribution::pareto(1.5, 5'000), 0),
      .loss_ratio = 0.01};
  const Result early = asked.run(3 * kSecond), whole = asked.run(10 * kSecond);
  const Result late = asked.run(10 * kSecond, 3 * kSecond);
  const GroupResult &a = early.groups[0], &b = late.groups[0], &ab = whole.groups[0];
  EXPECT_EQ(early.events + late.events, whole.events);
  EXPECT_EQ(a.counters.transfers + b.counters.transfers, ab.counters.transfers);
  EXPECT_EQ(a.counters.packets_sent + b.counters.packets_sent, ab.counters.packets_sent);
  EXPECT_EQ(a.counters.sender.timeouts + b.counters.sender.timeouts, ab.counters.sender.timeouts);
  EXPECT_EQ(completed(a) + completed(b), completed(ab));
  const QueueCounters &x = early.queues[0].counters, &y = late.queues[0].counters,
                      &xy = whole.queues[0].counters;
  EXPECT_EQ(x.arrivals + y.arrivals, xy.arrivals);
  EXPECT_EQ(x.sent_bytes + y.sent_bytes, xy.sent_bytes);
  EXPECT_EQ(y.first_ns, 3 * kSecond);
  const double area = early.queues[0].bytes_mean * static_cast<double>(x.last_ns - x.first_ns) +
                      late.queues[0].bytes_mean * static_cast<double>(y.last_ns - y.first_ns);
  EXPECT_NEAR(area / static_cast<double>(xy.last_ns - xy.first_ns), whole.queues[0].bytes_mean,
              1e-6 * whole.queues[0].bytes_mean);
  EXPECT_THROW(asked.run(2 * kSecond, 3 * kSecond), std::invalid_argument);
}

TEST(Traffic, WhatIsUnderWayAtTheLimitIsCounted) {
  const Group asked{.users = 8,
                    .source = pages(Distribution::constant(0), Distribution::constant(1e6), 100)};
  const Result result = asked.run(2 * kSecond);
  EXPECT_FALSE(result.all_done);
  const GroupResult& group = result.groups.at(0);
  EXPECT_EQ(group.unfinished, 8U);
  EXPECT_EQ(completed(group) + 8, group.counters.transfers);
  EXPECT_GT(group.counters.receiver.delivered_bytes, 0U);
}

}  // namespace
}  // namespace penstock::net
