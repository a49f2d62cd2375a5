// SPDX-License-Identifier: GPL-2.0-only
// XCP beside TCP in whole runs: both kinds of flows at one bottleneck, in two queues and in one.
#include "tests/sim/net/star.h"

namespace penstock::net {
namespace {

struct BothKinds {
  std::uint32_t variant = PST_VARIANT_XCP_TCP;
  std::size_t xcp = 4;
  std::size_t tcp = 4;
};

struct BothRates {
  QueueResult queue;
  double ratio = 0;  // of the mean rates, XCP's over TCP's
  double unfairness = 0;  // the largest distance of an XCP flow from the mean of these
};

// 50 Mbit/s, 80 ms and a queue of one bandwidth-delay product, the second half of two minutes.
BothRates play(const BothKinds& mixed) {
  Network network(3);
  const std::uint32_t left = network.node("left"), right = network.node("right");
  LinkSpec forward{.src = left, .dst = right, .rate_bps = kStarRateBps, .delay_ns = 40 * kMs};
  forward.queue_bytes = 500'000;
  const std::uint32_t bottleneck = network.link(forward);
  network.link({.src = right, .dst = left, .rate_bps = kStarRateBps, .delay_ns = 40 * kMs});
  pst_gateway_config config;
  pst_variant_config(&config, mixed.variant, forward.queue_bytes);
  network.gateway(bottleneck, config);
  for (std::size_t i = 0; i < mixed.xcp + mixed.tcp; ++i) {
    TcpSpec tcp;
    tcp.src = network.node("s");
    tcp.dst = network.node("d");
    for (const auto& [a, b] :
         {std::pair{tcp.src, left}, {left, tcp.src}, {right, tcp.dst}, {tcp.dst, right}})
      network.link({.src = a, .dst = b, .rate_bps = 1'000'000'000, .delay_ns = 0});
    tcp.start_ns = i * 20 * kMs;
    tcp.size_bytes = 1ULL << 40;
    tcp.sender.method = i < mixed.xcp ? PST_SENDER_XCP_SENDER : PST_SENDER_NEWRENO;
    pst_sender_defaults(tcp.sender.method, &tcp.sender.params);
    tcp.receiver.buffer_bytes = tcp.receiver.max_buffer_bytes = 8'000'000;
    tcp.receiver.feedback = true;
    network.tcp(tcp);
  }
  const Result result = network.run({120 * kSecond, 60 * kSecond});
  double sums[2] = {}, worst = 0;
  for (std::size_t i = 0; i < result.flows.size(); ++i)
    sums[i >= mixed.xcp] += static_cast<double>(result.flows[i].receiver.delivered_bytes);
  const double mean = sums[0] / static_cast<double>(mixed.xcp);
  for (std::size_t i = 0; i < mixed.xcp; ++i)
    worst = std::max(
        worst, std::abs(static_cast<double>(result.flows[i].receiver.delivered_bytes) / mean - 1));
  return {result.queues[0], mean / (sums[1] / static_cast<double>(mixed.tcp)), worst};
}

TEST(XcpTcp, FlowsOfBothKindsHaveTheSameRateWhateverTheirNumbers) {
  for (const auto& [xcp, tcp] : {std::pair{1U, 1U}, {4U, 4U}, {16U, 16U}, {2U, 12U}, {12U, 2U}}) {
    const BothRates rates = play({.xcp = xcp, .tcp = tcp});
    EXPECT_GT(rates.ratio, 1 / 1.15) << xcp << " beside " << tcp;
    EXPECT_LT(rates.ratio, 1.15) << xcp << " beside " << tcp;
    EXPECT_GT(rates.queue.utilisation, 0.9) << xcp << " beside " << tcp;
    EXPECT_LT(rates.unfairness, 0.05) << xcp << " beside " << tcp;
  }
}

TEST(XcpTcp, InOneQueueXcpLeavesTheLinkToTcp) {
  BothKinds mixed;
  mixed.variant = PST_VARIANT_XCP;
  EXPECT_LT(play(mixed).ratio, 0.05);
}

// A handshake's last ACK has no header, so a first interval differs.
TEST(XcpTcp, XcpAloneHasTheWholeLink) {
  for (const std::uint32_t variant : {PST_VARIANT_XCP, PST_VARIANT_XCP_TCP}) {
    Star star;
    star.variant = variant;
    star.pacing = true;
    star.rtt_ns = {20 * kMs, 40 * kMs, 100 * kMs, 200 * kMs};
    const Result result = build(star).run({100 * kSecond, 50 * kSecond});
    EXPECT_LT(unfairness(result), 0.03) << variant;
    EXPECT_GT(result.queues[0].utilisation, 0.99) << variant;
    EXPECT_EQ(result.queues[0].counters.drops(), 0U) << variant;
    EXPECT_LT(result.queues[0].bytes_mean, 50'000) << variant;
  }
}

// Its SYN alone is in the other queue, which draws no random number.
TEST(XcpTcp, WithoutTheReceiverItIsInTheQueueOfTcp) {
  const Star plain{.variant = PST_VARIANT_XCP_TCP, .sender = PST_SENDER_NEWRENO};
  const Star star{.variant = PST_VARIANT_XCP_TCP, .receivers_speak = false};
  for (const Result& result : {play(plain), play(star)}) {
    EXPECT_TRUE(result.all_done);
    EXPECT_GT(result.queues[0].counters.drops_method, 0U);
    EXPECT_NEAR(result.queues[0].utilisation, 0.6, 0.15);
  }
}

}  // namespace
}  // namespace penstock::net
