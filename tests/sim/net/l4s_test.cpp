// SPDX-License-Identifier: GPL-2.0-only
// Whole runs of senders that react to each mark, over the queues that are made for them: what was
// published of them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/describe.h"
#include "sim/net/network.h"
#include "tests/sim/net/step_marking.h"
#include "tests/sim/params.h"

namespace penstock::net {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kSecond = 1'000 * kMs;
constexpr std::uint64_t kL4sBufferBytes = 2'000'000;

struct Host {
  std::uint32_t method;
  std::uint64_t rtt_ns;  // without queues
  bool ecn = false;
  bool l4s = false;
};

struct Path {
  pst_gateway_config config;
  std::uint64_t rate_bps = 40'000'000;
  std::uint64_t run_ns = 40 * kSecond;
};

struct PlayedL4s {
  QueueResult queue;
  std::vector<double> mbps;  // of each host, after half of the run
};

TcpSpec connection(const Host& host) {
  TcpSpec tcp;
  tcp.size_bytes = 4'000'000'000;
  tcp.sender.method = host.method;
  pst_sender_defaults(host.method, &tcp.sender.params);
  const bool exact = pst_sender_hears_marks(host.method);
  if (host.l4s) set_param(pst_sender_rows[host.method], &tcp.sender.params, "l4s", 1);
  tcp.sender.ecn = tcp.receiver.ecn = host.ecn || exact;
  tcp.sender.ect1 = pst_sender_ect1(host.method, &tcp.sender.params);
  tcp.receiver.exact_ecn = exact;
  tcp.receiver.buffer_bytes = tcp.receiver.max_buffer_bytes = 4'000'000;
  return tcp;
}

PlayedL4s play(const Path& path, const std::vector<Host>& hosts) {
  Network network(7);
  const std::uint32_t left = network.node("left"), right = network.node("right");
  LinkSpec forward{.src = left, .dst = right, .rate_bps = path.rate_bps, .delay_ns = 0};
  forward.queue_bytes = kL4sBufferBytes;
  const std::uint32_t bottleneck = network.link(forward);
  network.link({.src = right, .dst = left, .rate_bps = path.rate_bps, .delay_ns = 0});
  network.gateway(bottleneck, path.config);
  for (const Host& host : hosts) {
    const std::string number = std::to_string(&host - hosts.data());
    TcpSpec tcp = connection(host);
    tcp.src = network.node("s" + number);
    tcp.dst = network.node("d" + number);
    tcp.start_ns = static_cast<std::uint64_t>(&host - hosts.data()) * 17 * kMs;
    for (const auto& [a, b] : {std::pair{tcp.src, left}, {left, tcp.src}})
      network.link({.src = a, .dst = b, .rate_bps = 1'000'000'000, .delay_ns = host.rtt_ns / 2});
    for (const auto& [a, b] : {std::pair{right, tcp.dst}, {tcp.dst, right}})
      network.link({.src = a, .dst = b, .rate_bps = 1'000'000'000, .delay_ns = 0});
    network.tcp(tcp);
  }
  const std::uint64_t warm_up_ns = path.run_ns / 2;
  const Result result = network.run({path.run_ns, warm_up_ns});
  PlayedL4s played{result.queues[0], {}};
  for (const FlowResult& f : result.flows)
    played.mbps.push_back(static_cast<double>(f.receiver.delivered_bytes) * 8e3 /
                          static_cast<double>(path.run_ns - warm_up_ns));
  return played;
}

Path dualpi2() {
  Path path{};
  pst_variant_config(&path.config, PST_VARIANT_DUALPI2, kL4sBufferBytes);
  return path;
}

Path step_at(std::uint64_t k_bytes) {
  return {.config = marks_from(k_bytes, kL4sBufferBytes),
          .rate_bps = 100'000'000,
          .run_ns = 10 * kSecond};
}

// RFC 8257 section 1 and Alizadeh et al. section 3.3: the queue stays near K, the link is busy.
TEST(Dctcp, KeepsTheQueueNearTheThreshold) {
  for (const std::uint64_t k_bytes : {45'000U, 90'000U}) {
    const std::vector<Host> two(2, {PST_SENDER_DCTCP, 2 * kMs});
    const PlayedL4s p = play(step_at(k_bytes), two);
    const auto k = static_cast<double>(k_bytes);
    EXPECT_NEAR(p.queue.bytes_mean, k, 0.25 * k);
    EXPECT_LT(p.queue.bytes_p99, 1.3 * k);
    EXPECT_GT(p.queue.utilisation, 0.995);
    EXPECT_EQ(p.queue.counters.drops(), 0U);
    EXPECT_NEAR(p.mbps[0] / p.mbps[1], 1, 0.2);
    // Halving at each mark leaves it far below.
    const std::vector<Host> halving(2, {PST_SENDER_NEWRENO, 2 * kMs, true});
    EXPECT_LT(play(step_at(k_bytes), halving).queue.bytes_mean, 0.85 * p.queue.bytes_mean);
  }
}

// RFC 9332 section 1.3 and appendix C: about the same rate. In the range of 5 to 50 ms within 1.9,
// at 10 ms, where RTT_virt is that of the Classic flow, within 1.25.
TEST(DualPi2, GivesPragueTheRateOfCubic) {
  for (const auto& [rtt_ms, most] : {std::pair{5U, 1.5}, {10U, 1.25}, {20U, 1.9}, {50U, 1.9}})
    for (const std::size_t each : {1U, 4U}) {
      std::vector<Host> hosts(each, {PST_SENDER_PRAGUE, rtt_ms * kMs});
      hosts.insert(hosts.end(), each, {PST_SENDER_CUBIC, rtt_ms * kMs});
      const PlayedL4s p = play(dualpi2(), hosts);
      double prague = 0, cubic = 0;
      for (std::size_t i = 0; i < each; ++i) prague += p.mbps[i], cubic += p.mbps[each + i];
      EXPECT_LT(prague / cubic, most) << rtt_ms << " ms, " << each;
      EXPECT_GT(prague / cubic, 1 / most) << rtt_ms << " ms, " << each;
      EXPECT_GT(p.queue.utilisation, 0.99);
      EXPECT_TRUE(p.queue.has_low_latency);
      EXPECT_LT(p.queue.low_delay_ns_p99, 1.5e6) << rtt_ms << " ms, " << each;
    }
}

TEST(DualPi2, KeepsClassicSendersNearTheTarget) {
  for (const bool ecn : {false, true}) {
    const PlayedL4s p = play(dualpi2(), std::vector<Host>(4, {PST_SENDER_CUBIC, 10 * kMs, ecn}));
    EXPECT_NEAR(p.queue.delay_ns_mean, 15e6, 2e6);
    EXPECT_GT(p.queue.utilisation, 0.99);
    EXPECT_EQ(p.queue.counters.marks > 0, ecn);
    EXPECT_EQ(p.queue.counters.drops() > 0, !ecn);
    EXPECT_EQ(p.queue.low_delay_ns_mean, 0.0);
  }
}

TEST(DualPi2, KeepsPragueAloneAtTheRamp) {
  const PlayedL4s p = play(dualpi2(), std::vector<Host>(4, {PST_SENDER_PRAGUE, 10 * kMs}));
  EXPECT_LT(p.queue.low_delay_ns_mean, 1.2e6);
  EXPECT_LT(p.queue.low_delay_ns_p99, 2e6);
  EXPECT_GT(p.queue.utilisation, 0.98);
  EXPECT_EQ(p.queue.counters.drops(), 0U);
}

// The draft's section 2.4.4: beside Classic flows, the rate hardly depends on short round trips.
TEST(Prague, IsIndependentOfShortRoundTrips) {
  Path path = dualpi2();
  path.run_ns = 80 * kSecond;  // 500 round trips of 20 ms are 10 s
  const auto ratio = [&](std::uint32_t method) {
    const bool l4s = method == PST_SENDER_DCTCP;
    const PlayedL4s p = play(path, {{method, 4 * kMs, false, l4s},
                                    {method, 20 * kMs, false, l4s},
                                    {PST_SENDER_CUBIC, 10 * kMs},
                                    {PST_SENDER_CUBIC, 10 * kMs}});
    return p.mbps[0] / p.mbps[1];
  };
  EXPECT_LT(ratio(PST_SENDER_PRAGUE), 1.6);
  EXPECT_GT(ratio(PST_SENDER_DCTCP), 2.2);
}

TEST(DualPi2, TakesDctcpWithEct1AsLowLatencyAndWithEct0AsClassic) {
  for (const bool l4s : {false, true}) {
    const PlayedL4s p = play(dualpi2(), {{PST_SENDER_DCTCP, 10 * kMs, false, l4s}});
    EXPECT_EQ(p.queue.low_delay_ns_mean > 0, l4s);
    EXPECT_LT(p.queue.low_delay_ns_p99, 2e6);
    EXPECT_EQ(p.queue.counters.drops(), 0U);
  }
}

}  // namespace
}  // namespace penstock::net
