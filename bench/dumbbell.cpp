// SPDX-License-Identifier: GPL-2.0-only
#include "bench/dumbbell.h"

#include <random>

#include "core/describe.h"

namespace penstock::bench {
namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr std::uint64_t kFirstStartNs = 1'000 * kNsPerMs;
constexpr std::uint64_t kLastStartNs = 8'000 * kNsPerMs;

net::LinkSpec link(std::uint32_t src, std::uint32_t dst, std::uint64_t rate_bps,
                   std::uint64_t delay_ns) {
  net::LinkSpec spec;
  spec.src = src;
  spec.dst = dst;
  spec.rate_bps = rate_bps;
  spec.delay_ns = delay_ns;
  return spec;
}

net::LinkSpec access(std::uint32_t src, std::uint32_t dst) {
  return link(src, dst, 100'000'000, kNsPerMs);
}

void add_bottleneck(net::Network& network, const Dumbbell& d, std::uint32_t left,
                    std::uint32_t right) {
  net::LinkSpec forward = link(left, right, d.rate_bps, 40 * kNsPerMs);
  forward.queue_bytes = d.queue_bytes;
  const std::uint32_t bottleneck = network.link(forward);
  network.link(link(right, left, d.rate_bps, 40 * kNsPerMs));
  pst_gateway_config config;
  pst_variant_config(&config, d.variant, d.queue_bytes);
  network.gateway(bottleneck, config);
}

net::TcpSpec connection(const Dumbbell& d) {
  net::TcpSpec tcp;
  tcp.size_bytes = d.size_bytes;
  tcp.sender.method = PST_SENDER_CUBIC;
  pst_sender_defaults(tcp.sender.method, &tcp.sender.params);
  tcp.sender.mss_bytes = d.segment_bytes;
  tcp.sender.timestamps = false;  // 1458 bytes and timestamps exceed the MTU
  tcp.receiver.mss_bytes = d.segment_bytes;
  tcp.receiver.timestamps = false;
  tcp.receiver.buffer_bytes = d.window_bytes;
  return tcp;
}

net::TrafficSpec web_users(const Dumbbell& d) {
  using traffic::Distribution;
  const Distribution none = Distribution::constant(0);
  const Distribution page_bytes = Distribution::pareto(1.7584, 30'458, 1e6);
  const net::TcpSpec tcp = connection(d);
  return {
      .name = "web",
      .ends = {},
      .starts_ns = {},
      .source = {traffic::Web{none, none, none, Distribution::constant(1), page_bytes}, d.pages},
      .sender = tcp.sender,
      .receiver = tcp.receiver};
}

}  // namespace

net::Network Dumbbell::build() const {
  net::Network network(seed);
  const std::uint32_t left = network.node("left");
  const std::uint32_t right = network.node("right");
  add_bottleneck(network, *this, left, right);
  net::TcpSpec tcp = connection(*this);
  net::TrafficSpec users = web_users(*this);
  std::mt19937_64 random(seed);
  for (std::uint32_t i = 0; i < flows; ++i) {
    tcp.src = network.node("sender");
    tcp.dst = network.node("receiver");
    network.link(access(tcp.src, left));
    network.link(access(left, tcp.src));
    network.link(access(right, tcp.dst));
    network.link(access(tcp.dst, right));
    tcp.start_ns = kFirstStartNs + random() % (kLastStartNs - kFirstStartNs);
    users.ends.push_back({tcp.src, tcp.dst});
    users.starts_ns.push_back(tcp.start_ns);
    if (!pages) network.tcp(tcp);
  }
  if (pages) network.traffic(std::move(users));
  return network;
}

std::uint64_t delivered_segments(const Dumbbell& dumbbell, const net::Result& result) {
  std::uint64_t segments = 0;
  for (const net::GroupResult& group : result.groups)
    segments += group.counters.receiver.segments_received;
  for (const net::FlowResult& flow : result.flows)
    segments +=
        (flow.receiver.delivered_bytes + dumbbell.segment_bytes - 1) / dumbbell.segment_bytes;
  return segments;
}

}  // namespace penstock::bench
