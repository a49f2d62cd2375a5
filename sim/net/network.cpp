// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/network.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "core/describe.h"
#include "sim/net/packet.h"
#include "sim/net/simulation.h"
#include "sim/quic/packet.h"

namespace penstock::net {

namespace {

constexpr const char* kWrongRate = "rate_bps must be 64 to 2^60";

void require(bool ok, const std::string& message) {
  if (!ok) throw std::invalid_argument(message);
}

bool is_rate(std::uint64_t bps) { return bps >= Link::kLeastRateBps && bps <= Link::kMostRateBps; }

// QUIC has no header for routers.
void check_quic(const tcp::SenderConfig& sender) {
  const std::string name = pst_sender_rows[sender.method].name;
  require(sender.mss_bytes >= quic::kInitialBytes, "mss_bytes of QUIC must be at least 1200");
  require(pst_sender_feedback(sender.method) == PST_FEEDBACK_NONE,
          "QUIC has no congestion control like " + name);
  require(sender.sharing == PST_SHARING_COUNT, "connections of QUIC share nothing");
}

void check_tcp(const tcp::SenderConfig& sender, const tcp::ReceiverConfig& receiver) {
  require(sender.mss_bytes >= 1 && sender.mss_bytes <= 65000, "mss_bytes must be 1 to 65000");
  require(receiver.buffer_bytes >= sender.mss_bytes,
          "the receiver's buffer_bytes must hold at least one segment");
  if (sender.quic) check_quic(sender);
  require(!receiver.opens || pst_sender_feedback(sender.method) == PST_FEEDBACK_NONE,
          std::string(pst_sender_rows[sender.method].name) +
              " begins with a header on the sender's SYN: the receiver must not open");
}

// Reuses equal settings among the latest, because flows come in groups.
template <class Config>
const Config* shared(std::deque<Config>& all, const Config& config) {
  static_assert(std::is_trivially_copyable_v<Config>);
  if (all.empty() || std::memcmp(&all.back(), &config, sizeof config) != 0) all.push_back(config);
  return &all.back();
}

}  // namespace

void Network::check_node(std::uint32_t node) const {
  require(node < plan_.nodes.size(), "no node " + std::to_string(node) + ": the network has " +
                                         std::to_string(plan_.nodes.size()) + " nodes");
}

void Network::check_link(std::uint32_t link) const {
  require(link < plan_.links.size(), "no link " + std::to_string(link) + ": the network has " +
                                         std::to_string(plan_.links.size()) + " links");
}

void Network::check_ends(Ends ends) const {
  check_node(ends.src);
  check_node(ends.dst);
  require(ends.src != ends.dst, "a flow from a node to itself");
}

std::uint32_t Network::node(const std::string& name) {
  plan_.nodes.push_back(name);
  return static_cast<std::uint32_t>(plan_.nodes.size() - 1);
}

std::uint32_t Network::link(const LinkSpec& spec) {
  check_node(spec.src);
  check_node(spec.dst);
  require(spec.src != spec.dst, "a link from a node to itself");
  require(is_rate(spec.rate_bps), kWrongRate);
  require(spec.mtu_bytes >= 68 && spec.mtu_bytes <= 65535, "mtu_bytes must be 68 to 65535");
  require(spec.overhead_bytes <= 255, "overhead_bytes must be at most 255");
  require(spec.delay_ns <= PST_MAX_NS, "delay_ns must be at most 1000 s");
  require(spec.loss_ratio >= 0.0 && spec.loss_ratio < 1.0, "loss_ratio must be in [0, 1)");
  require(spec.queue_bytes <= PST_MAX_BYTES, "queue_bytes is too large");
  const auto index = static_cast<std::uint32_t>(plan_.links.size());
  plan_.links.push_back({spec.src, spec.dst, spec.rate_bps, spec.delay_ns,
                         static_cast<std::uint16_t>(spec.mtu_bytes),
                         static_cast<std::uint16_t>(spec.overhead_bytes), spec.cut_through});
  if (spec.queue_bytes || spec.queue_packets)
    plan_.limits[index] = {spec.queue_bytes, spec.queue_packets, spec.phantom};
  if (spec.loss_ratio > 0.0 || !spec.drop_data_packets.empty())
    plan_.losses[index] = {spec.loss_ratio, spec.drop_data_packets};
  set_changes(index, spec);
  const bool served = spec.served || spec.trace_ms || spec.device_packets ||
                      (!spec.changes.empty() && plan_.limits.contains(index));
  require(!served || plan_.limits.contains(index), "a link that is served needs a queue limit");
  require(!spec.phantom || plan_.limits.contains(index), "a phantom queue needs a limit");
  require(!spec.phantom || !served, "a phantom queue holds no packets until a link asks for them");
  require(!spec.device_packets || (!spec.trace_ms && spec.changes.empty()),
          "a link whose device has a queue keeps its rate");
  if (spec.device_packets) plan_.limits[index].device_packets = spec.device_packets;
  if (served) plan_.served_links.insert(index);
  return index;
}

void Network::set_changes(std::uint32_t index, const LinkSpec& spec) {
  if (spec.trace_ms) {
    const std::vector<std::uint32_t>& ms = *spec.trace_ms;
    require(!ms.empty() && ms.back() > 0 && std::is_sorted(ms.begin(), ms.end()),
            "a trace needs ascending milliseconds, and ends above 0");
    plan_.traces[index] = spec.trace_ms;
  }
  for (const LinkChange& change : spec.changes) {
    if (change.rate_bps) {
      require(is_rate(*change.rate_bps), kWrongRate);
      require(plan_.limits.contains(index), "a link whose rate changes needs a queue limit");
      require(!spec.trace_ms, "a link that follows a trace has no rate to change");
    }
    require(!change.delay_ns || *change.delay_ns <= PST_MAX_NS, "delay_ns must be at most 1000 s");
    if (!change.loss_ratio) continue;
    require(*change.loss_ratio >= 0.0 && *change.loss_ratio < 1.0, "loss_ratio must be in [0, 1)");
    plan_.losses.try_emplace(index);
  }
  if (!spec.changes.empty()) plan_.changes[index] = spec.changes;
}

void Network::csma_cd(const std::vector<std::uint32_t>& links) {
  require(!links.empty(), "a medium needs links");
  std::map<std::uint32_t, std::uint32_t> first;  // by node
  for (const std::uint32_t link : links) {
    check_link(link);
    const PlainLink &one = plan_.links[link], &other = plan_.links[links.front()];
    require(one.rate_bps == other.rate_bps && one.delay_ns == other.delay_ns,
            "all links of a medium have one rate and one delay");
    require(plan_.limits.contains(link), "a link of a shared medium needs a queue limit");
    require(!plan_.changes.contains(link) && !plan_.traces.contains(link),
            "a shared medium does not vary");
    require(!plan_.limits[link].device_packets, "stations of a shared medium have one queue");
    const auto [it, fresh] = first.try_emplace(one.src, link);
    if (fresh) {
      plan_.served_links.insert(link);
    } else {
      plan_.stations[link] = it->second;
      plan_.limits.erase(link);
      plan_.served_links.erase(link);
    }
  }
  plan_.media.push_back(links);
}

void Network::gateway(std::uint32_t link, const pst_gateway_config& spec) {
  check_link(link);
  link = plan_.queue_link(link);
  require(plan_.limits.contains(link), "a gateway needs a queue limit on its link");
  plan_.gateways[link] = spec;
  require(!plan_.limits[link].phantom || !plan_.served(link),
          "a phantom queue holds no packets, as this discipline needs");
}

std::uint32_t Network::add_flow(Plan::Flow flow) {
  constexpr std::size_t kMost = (Record::kMaxTarget + 1) / 2;  // a flow has two endpoints
  require(plan_.flows.size() < kMost, "at most " + std::to_string(kMost) + " flows");
  plan_.flows.push_back(flow);
  return static_cast<std::uint32_t>(plan_.flows.size() - 1);
}

std::uint32_t Network::tcp(const TcpSpec& spec) {
  check_ends({spec.src, spec.dst});
  require(spec.size_bytes >= 1, "size_bytes must be at least 1");
  check_tcp(spec.sender, spec.receiver);
  plan_.tcp_flows.push_back({spec.src, spec.dst, spec.start_ns, spec.size_bytes, spec.controlled,
                             spec.mark, shared(plan_.senders, spec.sender),
                             shared(plan_.receivers, spec.receiver)});
  return add_flow({false, static_cast<std::uint32_t>(plan_.tcp_flows.size() - 1)});
}

std::uint32_t Network::traffic(TrafficSpec spec) {
  require(!spec.ends.empty() && !spec.starts_ns.empty(), "a group needs ends and users");
  for (const Ends ends : spec.ends) check_ends(ends);
  check_tcp(spec.sender, spec.receiver);
  if (const auto* on_off = std::get_if<traffic::OnOff>(&spec.source.model))
    require(on_off->interval_ns >= 1 && on_off->write_bytes >= 1,
            "interval_ns and write_bytes must be at least 1");
  plan_.traffic.push_back(std::move(spec));
  return static_cast<std::uint32_t>(plan_.traffic.size() - 1);
}

std::uint32_t Network::udp(const UdpSpec& spec) {
  check_ends({spec.src, spec.dst});
  require(is_rate(spec.rate_bps), kWrongRate);
  require(spec.payload_bytes >= 1 && spec.payload_bytes <= 65000,
          "payload_bytes must be 1 to 65000");
  plan_.udp_flows.push_back(spec);
  return add_flow({true, static_cast<std::uint32_t>(plan_.udp_flows.size() - 1)});
}

void Network::mobility(MobilitySpec spec) {
  require(spec.cells.size() >= 2, "receivers move between at least two cells");
  for (const std::uint32_t cell : spec.cells) check_node(cell);
  plan_.mobility = std::move(spec);
}

void Network::sample(const SampleSpec& spec) {
  for (const std::uint32_t link : spec.links) check_link(link);
  for (const std::uint32_t flow : spec.flows)
    require(flow < plan_.flows.size() && !plan_.flows[flow].is_udp,
            "only TCP flows can be sampled");
  plan_.samples = spec;
}

void Network::delay_groups(const std::vector<std::uint32_t>& links,
                           const std::vector<std::uint16_t>& of_flow,
                           const std::vector<std::uint16_t>& of_traffic) {
  constexpr std::uint16_t kMost = 4096;
  const auto fits = [](std::uint16_t number) { return number < kMost; };
  require(of_flow.size() == plan_.flows.size() && of_traffic.size() == plan_.traffic.size(),
          "each flow and each group of users has a number");
  require(std::all_of(of_flow.begin(), of_flow.end(), fits) &&
              std::all_of(of_traffic.begin(), of_traffic.end(), fits),
          "at most " + std::to_string(kMost) + " groups");
  for (const std::uint32_t link : links) {
    check_link(link);
    const auto limits = plan_.limits.find(plan_.queue_link(link));
    require(limits != plan_.limits.end(), "delays are told where there is a queue limit");
    limits->second.tells_groups = true;
  }
  for (std::size_t i = 0; i < of_flow.size(); ++i) plan_.flows[i].delay_group = of_flow[i];
  for (std::size_t i = 0; i < of_traffic.size(); ++i) plan_.traffic[i].delay_group = of_traffic[i];
}

void Network::pcap(std::uint32_t link, const std::string& path) {
  check_link(link);
  plan_.captures[link] = path;
}

Result Network::run(const ClockSpec& clock) const {
  Simulation simulation(plan_);
  return simulation.run(clock);
}

}  // namespace penstock::net
