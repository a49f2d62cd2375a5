// SPDX-License-Identifier: GPL-2.0-only
// A queue that is served does what the replayed one does, packet for packet.
#include "sim/net/served_queue.h"

#include <gtest/gtest.h>

#include "core/describe.h"
#include "sim/net/network.h"
#include "tests/sim/times.h"

namespace penstock::net {
namespace {

struct Case {
  std::uint32_t method;
  QueueLimits queue;
  std::uint64_t seed;
};

// Eight flows of two round trips, some UDP, losses on the wire; played once in each kind.
Result play_served(const Case& c, bool served) {
  Network network(c.seed);
  const std::uint32_t left = network.node("left");
  const std::uint32_t right = network.node("right");
  LinkSpec forward{.src = left, .dst = right, .rate_bps = 10'000'000, .delay_ns = 10 * kMs + 7};
  forward.queue_bytes = c.queue.bytes;
  forward.queue_packets = c.queue.packets;
  forward.served = served;
  forward.loss_ratio = 0.001;
  const std::uint32_t bottleneck = network.link(forward);
  network.link({.src = right, .dst = left, .rate_bps = 10'000'000, .delay_ns = 10 * kMs + 3});
  pst_gateway_config config;
  pst_variant_config(&config, c.method, c.queue.bytes ? c.queue.bytes : 60'000);
  network.gateway(bottleneck, config);
  for (std::uint64_t i = 0; i < 9; ++i) {
    const std::uint32_t src = network.node("s" + std::to_string(i));
    const std::uint32_t dst = network.node("d" + std::to_string(i));
    const std::uint64_t delay_ns = kMs + 1'013 * i + i % 2 * 20 * kMs;
    for (const auto& [a, b] : {std::pair{src, left}, {left, src}, {right, dst}, {dst, right}})
      network.link({.src = a, .dst = b, .rate_bps = 99'999'999, .delay_ns = delay_ns});
    if (i == 8) {
      network.udp(
          {.src = src, .dst = dst, .start_ns = 5, .rate_bps = 500'000, .payload_bytes = 700});
      continue;
    }
    TcpSpec tcp;
    tcp.src = src;
    tcp.dst = dst;
    tcp.start_ns = i * 3'000'077;
    tcp.size_bytes = 700'000;
    pst_sender_defaults(tcp.sender.method, &tcp.sender.params);
    network.tcp(tcp);
  }
  return network.run(600 * kSecond);
}

class ServedQueues : public testing::TestWithParam<Case> {};

TEST_P(ServedQueues, DoWhatReplayedOnesDo) {
  const Result replayed = play_served(GetParam(), false);
  const Result served = play_served(GetParam(), true);
  ASSERT_TRUE(replayed.all_done);
  ASSERT_TRUE(served.all_done);
  ASSERT_EQ(served.flows.size(), replayed.flows.size());
  for (std::size_t i = 0; i < served.flows.size(); ++i) {
    EXPECT_EQ(served.flows[i].done_ns, replayed.flows[i].done_ns) << i;
    EXPECT_EQ(served.flows[i].packets_sent, replayed.flows[i].packets_sent) << i;
    EXPECT_EQ(served.flows[i].packets_dropped_queue, replayed.flows[i].packets_dropped_queue) << i;
    EXPECT_EQ(served.flows[i].packets_in_flight, replayed.flows[i].packets_in_flight) << i;
  }
  const QueueResult& s = served.queues[0];
  const QueueResult& r = replayed.queues[0];
  EXPECT_GT(r.counters.drops(), 0U);
  EXPECT_EQ(s.counters.drops_overflow, r.counters.drops_overflow);
  EXPECT_EQ(s.counters.drops_method, r.counters.drops_method);
  EXPECT_EQ(s.counters.sent_bytes, r.counters.sent_bytes);
  EXPECT_EQ(s.gateway.window_bytes_sum, r.gateway.window_bytes_sum);
  EXPECT_EQ(s.bytes_mean, r.bytes_mean);
  EXPECT_EQ(s.bytes_max, r.bytes_max);
  EXPECT_NEAR(s.delay_ns_mean, r.delay_ns_mean, 1e-3 * r.delay_ns_mean);  // what still waits
  EXPECT_EQ(s.delay.max_ns, r.delay.max_ns);
  EXPECT_NEAR(s.utilisation, r.utilisation, 1e-9);
  EXPECT_GT(served.events, replayed.events);
}

INSTANTIATE_TEST_SUITE_P(Methods, ServedQueues,
                         testing::Values(Case{PST_VARIANT_DROPTAIL, {40'000, 0}, 1},
                                         Case{PST_VARIANT_DROPTAIL, {0, 25}, 2},
                                         Case{PST_VARIANT_RED, {60'000, 0}, 3},
                                         Case{PST_VARIANT_ARED, {60'000, 0}, 4},
                                         Case{PST_VARIANT_EWT, {40'000, 0}, 5},
                                         Case{PST_VARIANT_AWM, {40'000, 0}, 6}));

}  // namespace
}  // namespace penstock::net
