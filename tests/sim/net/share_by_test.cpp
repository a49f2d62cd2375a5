// SPDX-License-Identifier: GPL-2.0-only
// Equal parts for hosts and for marks (share_by): whole runs, 20 Mbit/s, 97 kB of queue, 40 ms.
#include <gtest/gtest.h>

#include "core/describe.h"
#include "sim/net/network.h"
#include "tests/sim/times.h"

namespace penstock::net {
namespace {

constexpr std::uint64_t kSplitBufferBytes = 97'000;

// Goodput in Mbit/s of hosts that have so many connections each, 30 s after 10 s. `marks` are
// those of the hosts' packets.
std::vector<double> goodput(std::uint32_t variant, pst_share_by share_by,
                            const std::vector<int>& connections,
                            const std::vector<std::uint32_t>& marks = {}) {
  Network network(1);
  const std::uint32_t left = network.node("left"), right = network.node("right");
  LinkSpec link{.src = left, .dst = right, .rate_bps = 20'000'000, .delay_ns = 18 * kMs};
  link.queue_bytes = kSplitBufferBytes;
  const std::uint32_t bottleneck = network.link(link);
  network.link({.src = right, .dst = left, .rate_bps = 1'000'000'000, .delay_ns = 18 * kMs});
  pst_gateway_config gateway;
  pst_variant_config(&gateway, variant, kSplitBufferBytes);
  gateway.share_by = share_by;
  network.gateway(bottleneck, gateway);
  std::vector<std::size_t> host_of;
  for (std::size_t host = 0; host < connections.size(); ++host) {
    const std::uint32_t src = network.node("s" + std::to_string(host));
    const std::uint32_t dst = network.node("d" + std::to_string(host));
    for (const auto& [a, b] : {Ends{src, left}, {left, src}, {right, dst}, {dst, right}})
      network.link({.src = a, .dst = b, .rate_bps = 1'000'000'000, .delay_ns = kMs});
    for (int i = 0; i < connections[host]; ++i) {
      TcpSpec tcp;
      tcp.src = src;
      tcp.dst = dst;
      if (!marks.empty()) tcp.mark = marks[host];
      tcp.start_ns = host_of.size() * 3 * kMs;
      tcp.size_bytes = 1ULL << 34;
      tcp.sender.method = PST_SENDER_CUBIC;
      pst_sender_defaults(tcp.sender.method, &tcp.sender.params);
      tcp.receiver.autotune = true;
      network.tcp(tcp);
      host_of.push_back(host);
    }
  }
  const Result result = network.run({40 * kSecond, 10 * kSecond});
  std::vector<double> mbps(connections.size());
  for (std::size_t flow = 0; flow < host_of.size(); ++flow)
    mbps[host_of[flow]] +=
        static_cast<double>(result.flows[flow].receiver.delivered_bytes) * 8e-6 / 30;
  return mbps;
}

// Windows of four segments, in a queue of 5 ms, have up to a tenth less than their share:
// docs/papers/penstock.md.
TEST(ShareBy, ManyConnectionsBringAHostNoAdvantage) {
  for (const std::uint32_t law : {PST_VARIANT_PENSTOCK, PST_VARIANT_INTEGRAL, PST_VARIANT_SHARE}) {
    const std::vector<double> hosts = goodput(law, PST_SHARE_BY_HOST, {8, 1});
    EXPECT_NEAR(hosts[0] / hosts[1], 1, 0.12) << pst_variant_rows[law].name;
    EXPECT_GT(hosts[0] + hosts[1], 18.5) << pst_variant_rows[law].name;
    const std::vector<double> flows = goodput(law, PST_SHARE_BY_FLOW, {8, 1});
    EXPECT_NEAR(flows[0] / flows[1], 8, 0.5) << pst_variant_rows[law].name;
  }
}

TEST(ShareBy, HostsOfTwoFourAndSixteenHaveAThirdEach) {
  const std::vector<double> hosts = goodput(PST_VARIANT_PENSTOCK, PST_SHARE_BY_HOST, {2, 4, 16});
  for (const double mbps : hosts) EXPECT_NEAR(mbps, 19.1 / 3, 0.08 * 19.1 / 3);
}

TEST(ShareBy, HostsWithOneMarkAreOneSubscriber) {
  const std::vector<double> hosts =
      goodput(PST_VARIANT_PENSTOCK, PST_SHARE_BY_MARK, {6, 2, 4}, {70'000, 70'000, 5});
  EXPECT_NEAR(hosts[0] + hosts[1], 19.1 / 2, 0.05 * 19.1 / 2);
  EXPECT_NEAR(hosts[0], 3 * hosts[1], 0.1 * hosts[0]);
}

TEST(ShareBy, ConnectionsWithoutAMarkCountByFlow) {
  const std::vector<double> hosts =
      goodput(PST_VARIANT_PENSTOCK, PST_SHARE_BY_MARK, {2, 6}, {0, 1});
  EXPECT_NEAR(hosts[0], 19.1 * 2 / 3, 0.05 * 19.1 * 2 / 3);
}

}  // namespace
}  // namespace penstock::net
