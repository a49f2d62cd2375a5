// SPDX-License-Identifier: GPL-2.0-only
// Whole runs over small networks: timing, loss by script, gateways, conservation.
#include "sim/net/network.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "core/describe.h"
#include "tests/sim/times.h"

namespace penstock::net {
namespace {

constexpr std::uint64_t kNoPacket = 1ULL << 60;

struct Dumbbell {
  int flows = 1;
  std::uint64_t rate_bps = 10'000'000;
  std::uint64_t delay_ns = 10 * kMs;
  QueueLimits queue{60'000, 0};
  std::uint64_t size_bytes = 500'000;
  std::uint32_t variant = PST_VARIANT_DROPTAIL;
  std::uint32_t mode = PST_SAFE;
  double loss_ratio = 0.0;
  std::vector<std::uint64_t> script{};
  bool straight = true;  // false: a loss model that never strikes keeps every event
  bool both_ways = false;
  std::uint64_t seed = 1;

  std::uint32_t bottleneck = 0;

  LinkSpec access(std::uint32_t src, std::uint32_t dst) const {
    LinkSpec link;
    link.src = src;
    link.dst = dst;
    link.rate_bps = 100'000'000;
    link.delay_ns = kMs;
    if (!straight) link.drop_data_packets = {kNoPacket};
    return link;
  }

  Network build() {
    Network network(seed);
    const std::uint32_t left = network.node("left");
    const std::uint32_t right = network.node("right");
    LinkSpec link{.src = left, .dst = right, .rate_bps = rate_bps, .delay_ns = delay_ns};
    link.queue_bytes = queue.bytes;
    link.queue_packets = queue.packets;
    link.loss_ratio = loss_ratio;
    link.drop_data_packets = script;
    bottleneck = network.link(link);
    LinkSpec back{.src = right, .dst = left, .rate_bps = rate_bps, .delay_ns = delay_ns};
    network.link(back);
    pst_gateway_config config;
    pst_variant_config(&config, variant, queue.bytes);
    config.mode = mode;
    network.gateway(bottleneck, config);
    for (int i = 0; i < flows; ++i) add_pair(network, left, right, i);
    return network;
  }

  void add_pair(Network& network, std::uint32_t left, std::uint32_t right, int i) const {
    const std::uint32_t src = network.node("s" + std::to_string(i));
    const std::uint32_t dst = network.node("d" + std::to_string(i));
    network.link(access(src, left));
    network.link(access(left, src));
    network.link(access(right, dst));
    network.link(access(dst, right));
    TcpSpec tcp;
    tcp.src = src;
    tcp.dst = dst;
    tcp.start_ns = static_cast<std::uint64_t>(i) * 3 * kMs;
    tcp.size_bytes = size_bytes;
    pst_sender_defaults(tcp.sender.method, &tcp.sender.params);
    network.tcp(tcp);
    if (!both_ways) return;
    std::swap(tcp.src, tcp.dst);
    network.tcp(tcp);
  }

  Result run() { return build().run(600 * kSecond); }
};

std::uint64_t total_retransmissions(const Result& r) {
  std::uint64_t n = 0;
  for (const FlowResult& f : r.flows) n += f.sender.retransmissions;
  return n;
}

TEST(Network, OneFlowFillsTheLink) {
  Dumbbell d;
  d.size_bytes = 5'000'000;
  d.queue.bytes = 1'000'000;
  const Result r = d.run();
  ASSERT_TRUE(r.all_done);
  const double seconds = static_cast<double>(r.flows[0].done_ns) * 1e-9;
  const double ideal = 5'000'000 * 8.0 / 10e6 * (1500.0 / 1448.0);
  EXPECT_GT(seconds, ideal);
  EXPECT_LT(seconds, ideal * 1.05 + 0.1);
  EXPECT_EQ(total_retransmissions(r), 0U);
}

TEST(Network, TimeOfOneSegmentIsExact) {
  Dumbbell d;
  d.size_bytes = 1'000;  // SYN, SYN-ACK, data
  const Result r = d.run();
  // SYN 60 bytes (20 IP, 40 TCP with MSS, SACK-permitted and timestamps, scale) and
  // SYN-ACK likewise: each twice 100 Mbit/s and 1 ms, once 10 Mbit/s and 10 ms.
  const std::uint64_t crossing_ns = 2 * (60 * 80 + kMs) + 60 * 800 + 10 * kMs;
  const std::uint64_t data_ns = 2 * (1'052 * 80 + kMs) + 1'052 * 800 + 10 * kMs;
  const std::uint64_t ack_before_ns = 52 * 80;  // the handshake's ACK leaves first
  EXPECT_NEAR(static_cast<double>(r.flows[0].done_ns),
              static_cast<double>(2 * crossing_ns + data_ns + ack_before_ns), 3e3);
}

TEST(Network, ScriptedLossIsRetransmittedOnce) {
  Dumbbell d;
  d.script = {20};
  const Result r = d.run();
  ASSERT_TRUE(r.all_done);
  EXPECT_EQ(r.flows[0].packets_dropped_random, 1U);
  EXPECT_EQ(r.flows[0].sender.retransmissions, 1U);
  EXPECT_EQ(r.flows[0].sender.timeouts, 0U);
}

TEST(Network, LossAndOverflowLeaveEveryByteDelivered) {
  Dumbbell d;
  d.flows = 12;
  d.loss_ratio = 0.02;
  d.queue.bytes = 15'000;
  const Result r = d.run();
  ASSERT_TRUE(r.all_done);
  std::uint64_t queue_drops = 0;
  for (const FlowResult& f : r.flows) {
    EXPECT_EQ(f.receiver.delivered_bytes, f.size_bytes);
    queue_drops += f.packets_dropped_queue;
  }
  EXPECT_GT(queue_drops, 0U);
  EXPECT_EQ(queue_drops, r.queues[0].counters.drops());
}

void expect_that_events_change_nothing(Dumbbell d) {
  const Result with = d.run();
  d.straight = false;
  const Result without = d.run();
  EXPECT_LT(with.events, without.events);
  for (std::size_t i = 0; i < with.flows.size(); ++i) {
    EXPECT_EQ(with.flows[i].done_ns, without.flows[i].done_ns);
    EXPECT_EQ(with.flows[i].sender.bytes_sent, without.flows[i].sender.bytes_sent);
    EXPECT_EQ(with.flows[i].packets_sent, without.flows[i].packets_sent);
  }
  EXPECT_EQ(with.queues[0].bytes_mean, without.queues[0].bytes_mean);
}

TEST(Network, HopsWithoutEventsChangeNothing) {
  Dumbbell d;
  d.flows = 6;
  d.queue.bytes = 20'000;
  expect_that_events_change_nothing(d);
}

// The gateway sees the ACKs on a link that data of the other direction enters, too.
TEST(Network, HopsWithoutEventsChangeNothingWithDataBothWays) {
  Dumbbell d;
  d.flows = 2;
  d.both_ways = true;
  expect_that_events_change_nothing(d);
}

TEST(Network, SameSeedSameRunOtherSeedOtherRun) {
  Dumbbell d;
  d.flows = 4;
  d.loss_ratio = 0.01;
  const Result a = d.run();
  const Result b = d.run();
  d.seed = 2;
  const Result c = d.run();
  EXPECT_EQ(a.end_ns, b.end_ns);
  EXPECT_EQ(a.events, b.events);
  EXPECT_NE(a.end_ns, c.end_ns);
}

TEST(Network, EwtRewritesAndKeepsTheQueueFromOverflowing) {
  Dumbbell d;
  d.flows = 10;
  d.size_bytes = 1'000'000;
  d.queue.bytes = 97'000;
  const Result droptail = d.run();
  d.variant = PST_VARIANT_EWT;
  const Result ewt = d.run();
  EXPECT_EQ(droptail.queues[0].gateway.acks_rewritten, 0U);
  // It leaves them alone, and still says what windows passed.
  const gateway::Counters& seen = droptail.queues[0].gateway;
  EXPECT_GT(seen.acks_seen, 1'000U);
  EXPECT_NEAR(static_cast<double>(seen.window_bytes_sum) / static_cast<double>(seen.acks_seen),
              65'535.0, 3'000.0);
  EXPECT_GT(ewt.queues[0].gateway.acks_rewritten, 100U);
  EXPECT_LT(ewt.queues[0].counters.drops(), droptail.queues[0].counters.drops());
}

TEST(Network, EveryModeDeliversAll) {
  for (const std::uint32_t mode : {PST_SAFE, PST_STRICT, PST_LITERAL}) {
    Dumbbell d;
    d.flows = 10;
    d.variant = PST_VARIANT_EWT;
    d.mode = mode;
    EXPECT_TRUE(d.run().all_done) << "mode " << mode;
  }
}

TEST(Network, WrongValuesAreTold) {
  Network network(1);
  const std::uint32_t a = network.node("a");
  EXPECT_THROW(network.link({.src = a, .dst = a, .rate_bps = 1000}), std::invalid_argument);
  EXPECT_THROW(network.link({.src = a, .dst = 7, .rate_bps = 1000}), std::invalid_argument);
  const std::uint32_t b = network.node("b");
  EXPECT_THROW(network.link({.src = a, .dst = b, .rate_bps = 63}), std::invalid_argument);
  EXPECT_THROW(network.udp({.src = a, .dst = b, .rate_bps = 63}), std::invalid_argument);
  network.link({.src = a, .dst = b, .rate_bps = 1'000'000, .mtu_bytes = 576});
  network.link({.src = b, .dst = a, .rate_bps = 1'000'000});
  TcpSpec tcp;
  tcp.src = a;
  tcp.dst = b;
  tcp.size_bytes = 1;
  network.tcp(tcp);
  EXPECT_THROW(network.run(kSecond), std::invalid_argument);  // 1500 bytes over an MTU of 576
}

}  // namespace
}  // namespace penstock::net
