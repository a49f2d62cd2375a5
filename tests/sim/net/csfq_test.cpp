// SPDX-License-Identifier: GPL-2.0-only
// CSFQ and FBA-TCP in whole runs, held against the fluid max-min shares of nis-2004 (12.23).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/describe.h"
#include "sim/net/network.h"
#include "tests/sim/params.h"
#include "tests/sim/times.h"

namespace penstock::net {
namespace {

constexpr std::uint32_t kPacketBytes = 1'000;
constexpr double kMbit = 1e6;

// The share with which flows of these rates fill the link.
double fluid_share(double capacity, const std::vector<double>& rates) {
  double low = 0, high = capacity;
  for (int i = 0; i < 60; ++i) {
    const double share = (low + high) / 2;
    const double used = std::accumulate(rates.begin(), rates.end(), 0.0, [&](double sum, double r) {
      return sum + std::min(r, share);
    });
    (used < capacity ? low : high) = share;
  }
  return low;
}

struct Way {  // through one router, or an edge and a core
  std::uint32_t variant = PST_VARIANT_CSFQ;
  std::vector<double> rates_bps{};  // of UDP flows
  std::uint32_t downloads = 0;      // of TCP
  std::uint32_t liars = 0;  // of them, the last ones
  double edge_bps = 0;              // 0: no second router in front
  double link_bps = 10 * kMbit;
  std::uint32_t sender = PST_SENDER_NEWRENO;
  bool ecn = false;
  std::uint64_t rtt_ns = 40 * kMs;
  double forger_bps = 0;  // a UDP flow that labels itself, with less than its rate
  bool edge = false;      // the bottleneck labels all packets, whatever they carry
};

constexpr std::uint64_t kForgersUnitBps = 1'000'000;  // a label says a thousandth of the rate

struct Csfq {
  u64 unit_bps;
  bool edge;
};

struct Net {
  Network network{5};

  std::uint32_t hop(std::uint32_t from, double bps, std::uint32_t variant, std::uint64_t rtt_ns,
                    bool edge = false) {
    const std::uint32_t to = network.node("router");
    join(from, to, bps, variant, rtt_ns, {.unit_bps = 1'000, .edge = edge});
    return to;
  }

  void join(std::uint32_t from, std::uint32_t to, double bps, std::uint32_t variant,
            std::uint64_t rtt_ns, const Csfq& csfq) {
    LinkSpec forward{.src = from,
                     .dst = to,
                     .rate_bps = static_cast<std::uint64_t>(bps),
                     .delay_ns = rtt_ns / 4};
    forward.queue_bytes = static_cast<std::uint64_t>(bps / 8 * 0.1);
    const std::uint32_t link = network.link(forward);
    network.link({.src = to, .dst = from, .rate_bps = 1'000'000'000, .delay_ns = rtt_ns / 4});
    pst_gateway_config config;
    pst_variant_config(&config, variant, forward.queue_bytes);
    if (config.discipline == PST_DISCIPLINE_CSFQ) {
      const pst_method_row& row = pst_discipline_rows[config.discipline];
      set_param(row, &config.discipline_params, "average_ns", 0);
      set_param(row, &config.discipline_params, "unit_bps", csfq.unit_bps);
      set_param(row, &config.discipline_params, "edge", csfq.edge);
    }
    network.gateway(link, config);
  }
};

void add_udp(Network& network, std::uint32_t from, std::uint32_t to, std::uint64_t start_ns,
             double bps) {
  UdpSpec udp;
  udp.src = from;
  udp.dst = to;
  udp.start_ns = start_ns;
  udp.stop_ns = 1'000 * kSecond;
  udp.rate_bps = static_cast<std::uint64_t>(bps * (kPacketBytes - 28) / kPacketBytes);
  udp.payload_bytes = kPacketBytes - 28;
  network.udp(udp);
}

Net build(const Way& way) {
  Net net;
  Network& network = net.network;
  const std::uint32_t source = network.node("source");
  std::uint32_t at = source;
  if (way.edge_bps > 0) at = net.hop(at, way.edge_bps, way.variant, way.rtt_ns);
  const std::uint32_t bottleneck = at;
  at = net.hop(at, way.link_bps, way.variant, way.rtt_ns, way.edge);
  for (std::size_t i = 0; i < way.rates_bps.size(); ++i)
    add_udp(network, source, at, i * 7 * kMs, way.rates_bps[i]);
  if (way.forger_bps > 0) {
    const std::uint32_t forger = network.node("forger");
    net.join(forger, bottleneck, 100 * kMbit, way.variant, way.rtt_ns,
             {.unit_bps = kForgersUnitBps, .edge = false});
    add_udp(network, forger, at, 0, way.forger_bps);
  }
  for (std::uint32_t i = 0; i < way.downloads; ++i) {
    TcpSpec tcp;
    tcp.src = source;
    tcp.dst = at;
    tcp.start_ns = i * 50 * kMs;
    tcp.size_bytes = 1ULL << 40;
    tcp.sender.method = way.sender;
    tcp.sender.ecn = tcp.receiver.ecn = way.ecn;
    pst_sender_defaults(tcp.sender.method, &tcp.sender.params);
    tcp.sender.mss_bytes = tcp.receiver.mss_bytes = kPacketBytes - 52;
    tcp.receiver.buffer_bytes = tcp.receiver.max_buffer_bytes = 4'000'000;
    // Its receiver ignores what routers tell, and offers all that it has.
    if (i + way.liars >= way.downloads) tcp.receiver.feedback = false;
    network.tcp(tcp);
  }
  return net;
}

// Rates in the second half of the run, by flow, as they arrive.
std::vector<double> rates(const Way& way, std::uint64_t seconds, Result* last = nullptr) {
  const Net net = build(way);
  const Result half = net.network.run(seconds / 2 * kSecond);
  const Result whole = net.network.run(seconds * kSecond);
  std::vector<double> found;
  for (std::size_t i = 0; i < whole.flows.size(); ++i) {
    const auto bytes = [&](const FlowResult& f) {
      return static_cast<double>(f.is_udp ? f.packets_delivered * kPacketBytes
                                          : f.receiver.delivered_bytes);
    };
    found.push_back((bytes(whole.flows[i]) - bytes(half.flows[i])) * 8 /
                    (static_cast<double>(seconds) / 2));
  }
  if (last) *last = whole;
  return found;
}

std::vector<double> one_to_ten(double unit_bps) {
  std::vector<double> all(10);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<double>(i + 1) * unit_bps;
  return all;
}

void expect_max_min(const Way& way, double capacity) {
  const double share = fluid_share(capacity, way.rates_bps);
  const std::vector<double> found = rates(way, 120);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i] / std::min(way.rates_bps[i], share), 1, 0.05)
        << "flow " << i + 1 << " of " << share;
}

TEST(Csfq, TenFlowsOfRatesOneToTenGetTheirFluidShares) {
  for (const double unit : {0.2 * kMbit, 0.4 * kMbit, kMbit, 3 * kMbit})
    expect_max_min({.rates_bps = one_to_ten(unit)}, 10 * kMbit);
}

TEST(Csfq, ACoreRouterGivesTheSharesByLabelsAlone) {
  expect_max_min({.rates_bps = one_to_ten(0.4 * kMbit), .edge_bps = 100 * kMbit}, 10 * kMbit);
  // The edge is a bottleneck too: it labels with its share what it lets pass.
  expect_max_min({.rates_bps = one_to_ten(kMbit), .edge_bps = 20 * kMbit}, 10 * kMbit);
}

TEST(Csfq, DropTailDoesNot) {
  const Way way{.variant = PST_VARIANT_DROPTAIL, .rates_bps = one_to_ten(0.4 * kMbit)};
  const std::vector<double> found = rates(way, 60);
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double due = std::min(way.rates_bps[i], fluid_share(10 * kMbit, way.rates_bps));
    worst = std::max(worst, std::abs(found[i] / due - 1));
  }
  EXPECT_GT(worst, 0.3);
}

// A flood of the link's whole rate against nine downloads: a tenth for each.
TEST(Csfq, AFloodLeavesTcpItsShare) {
  const Way way{.rates_bps = {10 * kMbit}, .downloads = 9};
  const double share = fluid_share(10 * kMbit, std::vector<double>(10, 10 * kMbit));
  const std::vector<double> found = rates(way, 120);
  EXPECT_LT(found[0] / share, 1.2);  // with what TCP leaves of its own shares
  for (std::size_t i = 1; i < found.size(); ++i)
    EXPECT_NEAR(found[i] * kPacketBytes / (kPacketBytes - 52) / share, 1, 0.05) << i;
  Way plain = way;
  plain.variant = PST_VARIANT_DROPTAIL;
  EXPECT_GT(rates(plain, 60)[0], 8 * kMbit);
}

// Nine flows of 1 to 9 Mbit/s and one of 5 that labels itself: it is never dropped where labels
// are believed, and gets its fluid share where the router labels all packets itself.
TEST(Csfq, AHostThatLabelsItselfGainsOnlyWhereLabelsAreBelieved) {
  Way way{.rates_bps = one_to_ten(kMbit), .forger_bps = 5 * kMbit};
  way.rates_bps.pop_back();
  std::vector<double> all = way.rates_bps;
  all.push_back(way.forger_bps);
  const double share = fluid_share(10 * kMbit, all);
  const std::vector<double> believed = rates(way, 120);
  EXPECT_NEAR(believed.back() / way.forger_bps, 1, 0.02);
  way.edge = true;
  const std::vector<double> labelled = rates(way, 120);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_NEAR(labelled[i] / std::min(all[i], share), 1, 0.05) << i;
}

TEST(Csfq, IsRefusedWithEcn) {
  const Net net = build({.downloads = 1, .ecn = true});
  EXPECT_THROW(net.network.run(kSecond), std::invalid_argument);
}

Way fba(std::uint32_t downloads) {
  return {.variant = PST_VARIANT_FBA_TCP, .downloads = downloads, .sender = PST_SENDER_FBA_SENDER};
}

TEST(FbaTcp, FillsTheLinkWithEqualSharesAndFewDrops) {
  for (const std::uint32_t n : {1U, 4U, 10U}) {
    Result told, untold;
    const std::vector<double> found = rates(fba(n), 120, &told);
    const double sum = std::accumulate(found.begin(), found.end(), 0.0);
    EXPECT_GT(sum, 8.5 * kMbit) << n;
    for (const double rate : found) EXPECT_NEAR(rate / (sum / n), 1, 0.2) << n;
    rates({.downloads = n}, 120, &untold);
    EXPECT_LT(told.queues[0].counters.drops(), untold.queues[0].counters.drops() * 7 / 10) << n;
  }
}

TEST(FbaTcp, AReceiverThatIgnoresTheRateGainsLittle) {
  Way way = fba(5);
  way.liars = 1;
  const std::vector<double> found = rates(way, 120);
  const double honest = std::accumulate(found.begin(), found.end() - 1, 0.0) / 4;
  EXPECT_LT(found.back(), 1.5 * honest);
  EXPECT_GT(honest, 0.8 * 10 * kMbit / 5);
}

TEST(FbaTcp, WithoutRoutersItIsNewReno) {
  Way way = fba(4);
  way.variant = PST_VARIANT_DROPTAIL;
  Way newreno = way;
  newreno.sender = PST_SENDER_NEWRENO;
  EXPECT_EQ(rates(way, 20), rates(newreno, 20));
}

}  // namespace
}  // namespace penstock::net
