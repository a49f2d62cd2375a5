// SPDX-License-Identifier: GPL-2.0-only
// Sets up a run: queues, losses, captures and flows of the network.
#include <algorithm>
#include <bit>

#include "core/sharing/control.h"
#include "sim/net/simulation.h"

namespace penstock::net {

namespace {

constexpr std::uint32_t kMinShift = 8;
constexpr std::uint32_t kMaxShift = 24;

// The bucket width is a quarter of a packet's transmission time on the fastest link with a queue,
// or, if there is none, on the slowest link: about one event per bucket.
std::uint32_t bucket_shift(const Network& network) {
  std::uint64_t busy_bps = 0;
  std::uint64_t slowest_bps = ~0ULL;
  for (const PlainLink& link : network.links()) slowest_bps = std::min(slowest_bps, link.rate_bps);
  for (const auto& [link, limits] : network.limits())
    busy_bps = std::max(busy_bps, network.links()[link].rate_bps);
  const std::uint64_t width_ns =
      PST_FULL_PACKET_BYTES * 2'000'000'000ULL / (busy_bps ? busy_bps : slowest_bps);
  const auto shift = static_cast<std::uint32_t>(std::bit_width(width_ns));
  return std::clamp(shift, kMinShift, kMaxShift);
}

// The longest time of a packet on a link.
std::uint64_t usual_wait_ns(const Network& network) {
  std::uint64_t wait_ns = 0;
  for (const PlainLink& link : network.links()) {
    const std::uint64_t wire_ns = PST_FULL_PACKET_BYTES * 8'000'000'000ULL / link.rate_bps;
    wait_ns = std::max(wait_ns, link.delay_ns + wire_ns);
  }
  return wait_ns;
}

}  // namespace

Simulation::Simulation(const Network& network)
    : network_(network), topology_(network), wheel_(bucket_shift(network), usual_wait_ns(network)) {
  make_queues();
  make_losses();
  make_captures();
  make_changes();
  make_media();
  make_flows();
  make_traffic();
  make_mobiles();
}

void Simulation::make_queues() {
  const pst_gateway_config droptail = gateway::plain_config();
  for (std::uint32_t i = 0; i < topology_.queue_links.size(); ++i) {
    const std::uint32_t link = topology_.queue_links[i];
    const auto it = network_.gateways().find(link);
    const bool gated = it != network_.gateways().end();
    const QueueLimits& limits = network_.limits().at(link);
    const PlainLink& plain = network_.links()[link];
    const pst_gateway_config& config = gated ? it->second : droptail;
    const std::size_t flows = gated ? topology_.ends.size() : 0;
    const engine::Stream random(network_.seed(), engine::Purpose::kQueueDecision, i);
    if (network_.served(link)) {
      queues_.push_back(
          std::make_unique<ServedQueue>(limits, plain, config, flows, random, wheel_.pool()));
    } else {
      queues_.push_back(std::make_unique<Queue>(limits, plain, config, flows, random));
    }
    for (std::uint32_t flow = 0; flow < topology_.ends.size(); ++flow)
      queues_.back()->gateway().set_group(flow, topology_.ends[flow].src, topology_.marks[flow]);
    served_.push_back(dynamic_cast<ServedQueue*>(queues_.back().get()));
    const auto trace = network_.traces().find(link);
    followers_.push_back(
        trace == network_.traces().end() ? nullptr : std::make_unique<Follower>(trace->second));
    const std::uint64_t tick_ns = queues_.back()->gateway().next_tick_ns(0);
    if (tick_ns) schedule(kTick, i, tick_ns);
  }
}

void Simulation::make_losses() {
  for (const auto& [link, spec] : network_.losses())
    losses_.emplace_back(spec.ratio, spec.data_packets,
                         engine::Stream(network_.seed(), engine::Purpose::kLinkLoss, link));
}

void Simulation::make_captures() {
  for (const auto& [link, path] : network_.captures()) captures_.emplace_back(path, topology_.ends);
}

void Simulation::make_flows() {
  engine::Stream isn(network_.seed(), engine::Purpose::kInitialSequence, 0);
  connections_.reserve(network_.tcp_flows().size());
  for (const TcpFlow& spec : network_.tcp_flows()) {
    const std::uint32_t sender_isn = isn.bits32();
    connections_.push_back({tcp::Sender(*spec.sender, sender_isn, spec.size_bytes),
                            tcp::Receiver(*spec.receiver, isn.bits32())});
    share(connections_.back().sender, *spec.sender, {spec.src, spec.dst});
  }
  datagrams_.resize(network_.udp_flows().size());
  flows_.resize(network_.flows().size());
  unfinished_ = connections_.size();
  endless_ = connections_.empty();
  for (std::uint32_t flow = 0; flow < flows_.size(); ++flow) {
    const std::uint32_t index = network_.flows()[flow].index;
    flows_[flow].index = index;
    flows_[flow].is_udp = network_.flows()[flow].is_udp;
    if (flows_[flow].is_udp) {
      const UdpSpec& spec = network_.udp_flows()[index];
      datagrams_[index].interval_q20_ns =
          ((spec.payload_bytes * 8'000'000'000ULL) << 10) / spec.rate_bps << 10;
      schedule(kSend, flow, spec.start_ns);
    } else {
      flows_[flow].awaited_bytes = network_.tcp_flows()[index].size_bytes;
      if (!network_.tcp_flows()[index].controlled)
        for (const std::unique_ptr<Queue>& queue : queues_) queue->gateway().exempt(flow);
      schedule(kStart, flow, network_.tcp_flows()[index].start_ns);
    }
  }
  const SampleSpec& samples = network_.samples();
  if (!samples.interval_ns) return;
  series_.queue_bytes.resize(samples.links.size());
  series_.window_bytes.resize(samples.links.size());
  series_.cwnd_bytes.resize(samples.flows.size());
  series_.send_window_bytes.resize(samples.flows.size());
  schedule(kSample, 0, 0);
}

// A LAN is identified by the first router of its hosts.
std::uint32_t Simulation::lan(std::uint32_t host) const {
  const auto first = std::ranges::find(network_.links(), host, &PlainLink::src);
  return first == network_.links().end() ? host : first->dst;
}

void Simulation::share(tcp::Sender& sender, const tcp::SenderConfig& config, Ends ends) {
  const bool of_lan = pst_sharing_scope(config.sharing) == PST_SCOPE_LAN;
  if (config.sharing != PST_SHARING_COUNT)
    sender.share(ensembles_[{of_lan ? lan(ends.src) : ends.src, ends.dst, config.sharing}]);
}

}  // namespace penstock::net
