// SPDX-License-Identifier: GPL-2.0-only
// The law over `fair` in whole runs: 20 Mbit/s, 97 kB of queue, 40 ms, beside what no window
// controls, with the senders near the gateway, far from it, and between.
#include <gtest/gtest.h>

#include <string>

#include "core/describe.h"
#include "sim/net/network.h"
#include "tests/sim/times.h"

namespace penstock::net {
namespace {

constexpr std::uint64_t kLink20BufferBytes = 97'000;
constexpr std::uint64_t kTargetBytes = 12'500;
constexpr double kMbps = 20;

struct Mixture {
  std::uint32_t controlled = 4;
  std::uint32_t others = 4;
  std::uint32_t congestion = PST_SENDER_CUBIC;
  bool ecn = false;
  double udp_mbps = 0;
  std::uint64_t before_ns = 0;  // of the RTT, in front of the gateway
  double told = 1;  // of the rate, what the gateway takes it for
  std::uint32_t variant = PST_VARIANT_PENSTOCK;
  std::uint64_t seed = 1;
};

struct Outcome {
  double controlled_mbps = 0, others_mbps = 0, udp_mbps = 0, queue_bytes = 0;
  std::uint64_t controlled_losses = 0, udp_losses = 0, marks = 0, drops = 0;
};

class Link20 {
 public:
  explicit Link20(const Mixture& mixture) : mixture_(mixture) { build(); }

  Outcome outcome() {
    const Result result = network_.run({50 * kSecond, 10 * kSecond});
    Outcome out;
    const std::uint32_t tcp = mixture_.controlled + mixture_.others;
    for (std::uint32_t flow = 0; flow < tcp; ++flow) {
      const FlowResult& f = result.flows[flow];
      const double mbps = static_cast<double>(f.receiver.delivered_bytes) * 8e-6 / 40;
      if (flow < mixture_.controlled) {
        out.controlled_mbps += mbps / mixture_.controlled;
        out.controlled_losses += f.packets_dropped_queue;
      } else {
        out.others_mbps += mbps / mixture_.others;
      }
    }
    const QueueResult& queue = result.queues[0];
    if (mixture_.udp_mbps > 0) {
      out.udp_losses = queue.counters.udp_drops;
      out.udp_mbps = static_cast<double>(queue.counters.udp_arrivals - out.udp_losses) * 8e-3 / 40;
    }
    out.marks = queue.counters.marks;
    out.drops = queue.counters.drops();
    out.queue_bytes = queue.bytes_mean;
    return out;
  }

 private:
  void build() {
    const std::uint32_t source = network_.node("source"), left = network_.node("left"),
                        right = network_.node("right");
    const std::uint64_t after_ns = 20 * kMs - mixture_.before_ns / 2;
    const auto told_bps = static_cast<std::uint64_t>(mixture_.told * 20e6);
    LinkSpec link{.src = left, .dst = right, .rate_bps = told_bps, .delay_ns = after_ns};
    link.queue_bytes = kLink20BufferBytes;
    link.changes = {{.at_ns = 1, .rate_bps = 20'000'000}};
    const std::uint32_t bottleneck = network_.link(link);
    network_.link({.src = right, .dst = left, .rate_bps = 1'000'000'000, .delay_ns = after_ns});
    for (const auto& [a, b] : {Ends{source, left}, {left, source}})
      network_.link(
          {.src = a, .dst = b, .rate_bps = 1'000'000'000, .delay_ns = mixture_.before_ns / 2});
    pst_gateway_config gateway;
    pst_variant_config(&gateway, mixture_.variant, kLink20BufferBytes);
    for (const char* part : {"fair", "penstock"}) set_target(gateway, part);
    network_.gateway(bottleneck, gateway);
    for (std::uint32_t flow = 0; flow < mixture_.controlled + mixture_.others; ++flow)
      network_.tcp(tcp(source, right, flow));
    if (mixture_.udp_mbps > 0) {
      UdpSpec udp;
      udp.src = source;
      udp.dst = right;
      udp.stop_ns = 1'000 * kSecond;
      udp.rate_bps = static_cast<std::uint64_t>(mixture_.udp_mbps * 1e6 * 972 / 1000);
      udp.payload_bytes = 972;
      network_.udp(udp);
    }
  }

  static void set_target(pst_gateway_config& gateway, const std::string& part) {
    const bool is_law = part == "penstock";
    const pst_method_row& row =
        is_law ? pst_law_rows[gateway.law] : pst_discipline_rows[gateway.discipline];
    const std::uint32_t field = pst_param_find(row.params, row.param_count, "target_bytes");
    if (row.name == part)
      pst_field_set(is_law ? static_cast<void*>(&gateway.law_params)
                           : static_cast<void*>(&gateway.discipline_params),
                    field, kTargetBytes);
  }

  TcpSpec tcp(std::uint32_t source, std::uint32_t right, std::uint32_t flow) const {
    const bool controlled = flow < mixture_.controlled;
    TcpSpec tcp;
    tcp.src = source;
    tcp.dst = right;
    tcp.start_ns = flow * 7 * kMs;
    tcp.size_bytes = 1ULL << 34;
    tcp.controlled = controlled;
    tcp.sender.method = controlled ? std::uint32_t{PST_SENDER_CUBIC} : mixture_.congestion;
    tcp.sender.pacing = tcp.sender.method == PST_SENDER_BBR;
    tcp.sender.ecn = tcp.receiver.ecn = mixture_.ecn && !controlled;
    pst_sender_defaults(tcp.sender.method, &tcp.sender.params);
    tcp.receiver.autotune = true;
    return tcp;
  }

  Mixture mixture_;
  Network network_{mixture_.seed};
};

class Placed : public testing::TestWithParam<std::uint64_t> {};

INSTANTIATE_TEST_SUITE_P(Fair, Placed, testing::Values(0, 20 * kMs, 40 * kMs));

TEST_P(Placed, UncontrolledTcpHasItsShareAndFillsNoQueue) {
  for (const std::uint32_t congestion : {PST_SENDER_CUBIC, PST_SENDER_BBR}) {
    const Outcome out = Link20({.congestion = congestion, .before_ns = GetParam()}).outcome();
    const std::string name = pst_sender_rows[congestion].name;
    EXPECT_EQ(out.controlled_losses, 0U) << name;
    EXPECT_NEAR(out.controlled_mbps, kMbps / 8, 0.4) << name;
    EXPECT_NEAR(out.others_mbps, kMbps / 8, 0.5) << name;
    EXPECT_NEAR(out.queue_bytes, kTargetBytes, 0.15 * kTargetBytes) << name;
  }
}

TEST_P(Placed, ARateToldAsDoubleOrHalfLeavesEachItsShare) {
  constexpr unsigned kSeeds = 3;  // when BBR looks for more varies by seed
  for (const double told : {0.5, 2.0}) {
    double controlled_mbps = 0, others_mbps = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const Outcome out =
          Link20(
              {.congestion = PST_SENDER_BBR, .before_ns = GetParam(), .told = told, .seed = seed})
              .outcome();
      EXPECT_EQ(out.controlled_losses, 0U) << told;
      controlled_mbps += out.controlled_mbps / kSeeds;
      others_mbps += out.others_mbps / kSeeds;
    }
    EXPECT_NEAR(controlled_mbps, kMbps / 8, 0.25) << told;
    EXPECT_NEAR(others_mbps, kMbps / 8, 0.25) << told;
  }
}

TEST_P(Placed, ALoneBbrFlowHasAsMuchAsTheOthers) {
  const Outcome out =
      Link20({.controlled = 8, .others = 1, .congestion = PST_SENDER_BBR, .before_ns = GetParam()})
          .outcome();
  EXPECT_EQ(out.controlled_losses, 0U);
  EXPECT_NEAR(out.controlled_mbps, 2.14, 0.11);
  EXPECT_NEAR(out.others_mbps, 2.14, 0.3);
}

TEST_P(Placed, AFloodLeavesTheOthersTheirPart) {
  const Outcome out = Link20({.others = 0, .udp_mbps = 30, .before_ns = GetParam()}).outcome();
  EXPECT_EQ(out.controlled_losses, 0U);
  EXPECT_GT(out.controlled_mbps, 0.97 * 3.84);
}

TEST(Fair, TakesNothingFromWhoIsBelowItsShare) {
  const Outcome out = Link20({.others = 0, .udp_mbps = 3}).outcome();
  EXPECT_EQ(out.udp_losses, 0U);
  EXPECT_EQ(out.drops, 0U);
  EXPECT_NEAR(out.udp_mbps, 3, 0.05);
}

TEST(Fair, MarksWhatIsEcnCapableInsteadOfDroppingIt) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Outcome out = Link20({.ecn = true, .seed = seed}).outcome();
    EXPECT_GT(out.marks, 50U) << seed;
    EXPECT_LT(out.drops, out.marks / 20) << seed;
    EXPECT_NEAR(out.others_mbps, kMbps / 8, 0.5) << seed;
  }
}

TEST(Fair, HoldsAllFlowsWithoutALaw) {
  const Outcome out =
      Link20(
          {.controlled = 4, .others = 4, .congestion = PST_SENDER_BBR, .variant = PST_VARIANT_FAIR})
          .outcome();
  EXPECT_NEAR(out.controlled_mbps, kMbps / 8, 0.6);
  EXPECT_NEAR(out.others_mbps, kMbps / 8, 0.6);
}

}  // namespace
}  // namespace penstock::net
