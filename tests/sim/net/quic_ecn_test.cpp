// SPDX-License-Identifier: GPL-2.0-only
// ECN of QUIC in whole runs: over queues that mark it has what TCP has with the same control.
#include <gtest/gtest.h>

#include <vector>

#include "core/describe.h"
#include "sim/net/network.h"
#include "tests/sim/net/step_marking.h"
#include "tests/sim/times.h"

namespace penstock::net {
namespace {

constexpr std::uint64_t kDeepBytes = 2'000'000;
constexpr std::uint64_t kEcnRunNs = 40 * kSecond;

struct EcnFlow {
  std::uint32_t method;
  bool quic = true;
  bool ecn = true;
};

struct PlayedEcn {
  QueueResult queue;
  std::vector<FlowResult> flows;
  double mbps(std::size_t i) const {
    return static_cast<double>(flows[i].receiver.delivered_bytes) * 16e3 / kEcnRunNs;
  }
};

PlayedEcn play_ecn(const pst_gateway_config& gateway, const std::vector<EcnFlow>& flows,
                   std::uint64_t rtt_ns = 10 * kMs) {
  Network network(7);
  const std::uint32_t left = network.node("left"), right = network.node("right");
  LinkSpec link{.src = left, .dst = right, .rate_bps = 40'000'000, .delay_ns = rtt_ns / 2};
  link.queue_bytes = kDeepBytes;
  const std::uint32_t bottleneck = network.link(link);
  network.link({.src = right, .dst = left, .rate_bps = 1'000'000'000, .delay_ns = rtt_ns / 2});
  network.gateway(bottleneck, gateway);
  for (const EcnFlow& flow : flows) {
    TcpSpec spec;
    spec.src = left;
    spec.dst = right;
    spec.start_ns = static_cast<std::uint64_t>(&flow - flows.data()) * 17 * kMs;
    spec.size_bytes = 4'000'000'000;
    spec.sender.method = flow.method;
    spec.sender.quic = flow.quic;
    pst_sender_defaults(flow.method, &spec.sender.params);
    spec.sender.ecn = spec.receiver.ecn = flow.ecn;
    spec.sender.ect1 = pst_sender_ect1(flow.method, &spec.sender.params);
    spec.receiver.exact_ecn = pst_sender_hears_marks(flow.method);
    spec.receiver.buffer_bytes = spec.receiver.max_buffer_bytes = 4'000'000;
    if (flow.quic) spec.receiver.delayed_ack_ns = 25 * kMs;
    network.tcp(spec);
  }
  Result result = network.run({kEcnRunNs, kEcnRunNs / 2});
  return {result.queues[0], std::move(result.flows)};
}

pst_gateway_config config_of(std::uint32_t name) {
  pst_gateway_config config;
  pst_variant_config(&config, name, kDeepBytes);
  return config;
}

// RFC 9332 section 1.3, as of TCP's Prague.
TEST(QuicEcn, PragueIsInTheLowLatencyQueueAndHasTheRateOfTcps) {
  const PlayedEcn p =
      play_ecn(config_of(PST_VARIANT_DUALPI2), {{PST_SENDER_PRAGUE}, {PST_SENDER_PRAGUE, false}});
  EXPECT_NEAR(p.mbps(0) / p.mbps(1), 1, 0.25);
  EXPECT_LT(p.queue.low_delay_ns_p99, 2e6);
  EXPECT_GT(p.queue.utilisation, 0.98);
  EXPECT_EQ(p.queue.counters.drops(), 0U);
  EXPECT_EQ(p.flows[0].sender.retransmissions, 0U);
  EXPECT_GT(p.flows[0].receiver.ce_received, 0U);
}

TEST(QuicEcn, PragueHasTheRateOfTcpsCubicBesideIt) {
  const PlayedEcn p = play_ecn(config_of(PST_VARIANT_DUALPI2),
                               {{PST_SENDER_PRAGUE}, {PST_SENDER_CUBIC, false, false}});
  EXPECT_LT(p.mbps(0) / p.mbps(1), 1.5);
  EXPECT_GT(p.mbps(0) / p.mbps(1), 1 / 1.5);
  EXPECT_LT(p.queue.low_delay_ns_p99, 1.5e6);
}

// RFC 8257 section 1: the queue stays near K, the link is busy.
TEST(QuicEcn, DctcpKeepsTheQueueNearTheThreshold) {
  constexpr std::uint64_t kBytes = 45'000;
  const PlayedEcn p =
      play_ecn(marks_from(kBytes, kDeepBytes), {{PST_SENDER_DCTCP}, {PST_SENDER_DCTCP}}, 2 * kMs);
  EXPECT_NEAR(p.queue.bytes_mean, kBytes, 0.25 * kBytes);
  EXPECT_GT(p.queue.utilisation, 0.995);
  EXPECT_EQ(p.queue.counters.drops(), 0U);
  EXPECT_NEAR(p.mbps(0) / p.mbps(1), 1, 0.2);
  const PlayedEcn halving = play_ecn(marks_from(kBytes, kDeepBytes),
                                     {{PST_SENDER_NEWRENO}, {PST_SENDER_NEWRENO}}, 2 * kMs);
  EXPECT_LT(halving.queue.bytes_mean, 0.85 * p.queue.bytes_mean);
}

TEST(QuicEcn, CubicIsMarkedWhereItWouldLose) {
  const PlayedEcn marked = play_ecn(config_of(PST_VARIANT_FQ_CODEL_ECN), {{PST_SENDER_CUBIC}});
  EXPECT_GT(marked.flows[0].sender.ecn_reductions, 0U);
  EXPECT_EQ(marked.flows[0].sender.retransmissions, 0U);
  EXPECT_GT(marked.queue.utilisation, 0.9);
  const PlayedEcn lost =
      play_ecn(config_of(PST_VARIANT_FQ_CODEL), {{PST_SENDER_CUBIC, true, false}});
  EXPECT_GT(lost.flows[0].sender.retransmissions, 0U);
  EXPECT_NEAR(marked.mbps(0), lost.mbps(0), 0.1 * lost.mbps(0));
}

}  // namespace
}  // namespace penstock::net
