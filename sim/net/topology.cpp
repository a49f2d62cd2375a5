// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/topology.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/describe.h"
#include "sim/net/packet.h"

namespace penstock::net {

namespace {

std::uint32_t largest_packet_bytes(const tcp::SenderConfig& sender) {
  if (sender.quic) return PST_UDP_HEADERS_BYTES + sender.mss_bytes;
  tcp::Segment s{};
  s.payload_bytes = static_cast<std::uint16_t>(sender.mss_bytes);
  if (sender.timestamps) s.options |= tcp::kTimestamps;
  if (pst_sender_feedback(sender.method) != PST_FEEDBACK_NONE) s.options |= tcp::kExtension;
  s.extension.counted = sender.count_feedback;
  return tcp::ip_bytes(s);
}

void check_fits(const std::vector<std::uint32_t>& way, const std::vector<PlainLink>& links,
                std::uint32_t packet_bytes) {
  for (const std::uint32_t link : way)
    if (packet_bytes > links[link].mtu_bytes)
      throw std::invalid_argument("a packet of " + std::to_string(packet_bytes) +
                                  " bytes does not fit a link's MTU of " +
                                  std::to_string(links[link].mtu_bytes) + " bytes");
}

// Possible locations of the receiver of a flow to `dst`.
std::vector<std::uint32_t> places(const Plan& plan, std::uint32_t dst) {
  return plan.is_cell(dst) ? plan.mobility->cells : std::vector<std::uint32_t>{dst};
}

// A label uses the ECN bits of the octet.
void check_octet(const std::vector<std::uint32_t>& way, const Plan& plan) {
  for (const std::uint32_t link : way) {
    const auto gateway = plan.gateways.find(plan.queue_link(link));
    if (gateway != plan.gateways.end() && pst_discipline_labels(gateway->second.discipline))
      throw std::invalid_argument(
          std::string(pst_discipline_rows[gateway->second.discipline].name) +
          " writes labels into the octet of ECN: set ecn = false");
  }
}

}  // namespace

Topology::Topology(const Plan& plan) {
  if (plan.mobility) cells_ = static_cast<std::uint32_t>(plan.mobility->cells.size());
  make_links(plan);
  make_ways(plan);
  mark_straight_hops();
}

LinkExtras& Topology::extras_of(std::uint32_t link) {
  if (links[link].extras == kNoIndex) {
    links[link].extras = static_cast<std::uint32_t>(extras.size());
    extras.emplace_back();
  }
  return extras[links[link].extras];
}

std::uint32_t Topology::queue_of(std::uint32_t link) const {
  const std::uint32_t i = links[link].extras;
  return i == kNoIndex ? kNoIndex : extras[i].queue;
}

void Topology::make_links(const Plan& plan) {
  links.reserve(plan.links.size());
  for (const PlainLink& plain : plan.links) {
    Link link;
    link.set_rate(plain.rate_bps);
    link.delay_ns = plain.delay_ns;
    link.overhead_bytes = plain.overhead_bytes;
    links.push_back(link);
    if (plain.cut_through)
      extras_of(static_cast<std::uint32_t>(links.size() - 1)).cut_through = true;
  }
  for (const auto& [link, limits] : plan.limits) {
    extras_of(link).queue = static_cast<std::uint32_t>(queue_links.size());
    extras_of(link).served = plan.served(link);
    queue_links.push_back(link);
  }
  for (const auto& [link, first] : plan.stations) {
    extras_of(link).queue = queue_of(first);
    extras_of(link).served = true;
  }
  // Not crossed in advance, as its delay may change.
  for (const auto& [link, changes] : plan.changes) extras_of(link);
  std::uint32_t losses = 0;
  for (const auto& [link, spec] : plan.losses) extras_of(link).loss = losses++;
  std::uint32_t captures = 0;
  for (const auto& [link, path] : plan.captures) extras_of(link).capture = captures++;
}

void Topology::make_ways(const Plan& plan) {
  Router router(plan.links, plan.nodes.size());
  for (const Plan::Flow& flow : plan.flows) {
    delay_groups.push_back(flow.delay_group);
    if (flow.is_udp) {
      const UdpSpec& udp = plan.udp_flows[flow.index];
      add_flow(plan, router, {udp.src, udp.dst}, udp.payload_bytes + PST_UDP_HEADERS_BYTES, false);
      marks.push_back(0);
    } else {
      const TcpFlow& tcp = plan.tcp_flows[flow.index];
      add_flow(plan, router, {tcp.src, tcp.dst}, largest_packet_bytes(*tcp.sender), true);
      marks.push_back(tcp.mark);
      if (!tcp.sender->ecn && !tcp.sender->accecn) continue;
      for (const std::uint32_t dst : places(plan, tcp.dst))
        check_octet(router.route(tcp.src, dst), plan);
    }
  }
  for (const TrafficSpec& group : plan.traffic)
    for (const Ends pair : group.ends) {
      add_flow(plan, router, pair, largest_packet_bytes(group.sender), true);
      marks.push_back(group.mark);
      delay_groups.push_back(group.delay_group);
      if (!group.sender.ecn && !group.sender.accecn) continue;
      for (const std::uint32_t dst : places(plan, pair.dst))
        check_octet(router.route(pair.src, dst), plan);
    }
}

void Topology::add_flow(const Plan& plan, Router& router, Ends flow, std::uint32_t packet_bytes,
                        bool answered) {
  // UDP's receivers stay.
  const std::vector<std::uint32_t> cells =
      answered ? places(plan, flow.dst) : std::vector<std::uint32_t>{flow.dst};
  std::vector<std::vector<std::uint32_t>> forward, back;
  for (const std::uint32_t dst : cells) {
    forward.push_back(router.route(flow.src, dst));
    back.push_back(router.route(dst, flow.src));
    if (forward.back().empty() || (back.back().empty() && answered))
      throw std::invalid_argument("no way from node '" + plan.nodes[flow.src] + "' to node '" +
                                  plan.nodes[dst] + "' and back");
    check_fits(forward.back(), plan.links, packet_bytes);
  }
  first_hop.push_back(static_cast<std::uint32_t>(hops.size()));  // 2 * flow + kSenderSide
  for (std::size_t i = 0; i < cells.size(); ++i) add_way(plan, back[i], forward[i]);
  check_hops(2 * static_cast<std::uint32_t>(ends.size()) + kSenderSide);
  first_hop.push_back(static_cast<std::uint32_t>(hops.size()));  // 2 * flow + kReceiverSide
  for (std::size_t i = 0; i < cells.size(); ++i) add_way(plan, forward[i], {});
  check_hops(2 * static_cast<std::uint32_t>(ends.size()) + kReceiverSide);
  ends.push_back(flow);
  moves.push_back(answered && plan.is_cell(flow.dst));
}

void Topology::check_hops(std::uint32_t target) const {
  if (hops.size() - 1 - first_hop[target] > kMaxHops)
    throw std::invalid_argument("a route, or the routes to all cells, of more than " +
                                std::to_string(kMaxHops) + " links");
}

std::uint32_t Topology::add_flow_like(std::uint32_t flow) {
  for (const std::uint32_t side : {kSenderSide, kReceiverSide})
    first_hop.push_back(first_hop[2 * flow + side]);
  ends.push_back(ends[flow]);
  marks.push_back(marks[flow]);
  delay_groups.push_back(delay_groups[flow]);
  moves.push_back(moves[flow]);
  return static_cast<std::uint32_t>(ends.size() - 1);
}

std::uint8_t Topology::first_of(std::uint32_t target, std::uint32_t cell) const {
  return cell ? static_cast<std::uint8_t>(last_of(target, cell - 1) + 1U) : std::uint8_t{0};
}

std::uint8_t Topology::last_of(std::uint32_t target, std::uint32_t cell) const {
  const Hop* hop = way(target);
  for (std::uint32_t before = 0; hop->link != kNoIndex || before++ < cell;) ++hop;
  return static_cast<std::uint8_t>(hop - way(target));
}

// `forward`: the path of the data whose ACKs travel `way`.
void Topology::add_way(const Plan& plan, const std::vector<std::uint32_t>& way,
                       const std::vector<std::uint32_t>& forward) {
  for (std::size_t i = 0; i <= way.size(); ++i) {
    Hop hop;
    if (i < way.size()) hop.link = way[i];
    if (i > 0) {
      // A gateway is where the ACK arrives from the far end of a link through which the data
      // departs.
      const PlainLink& in = plan.links[way[i - 1]];
      for (const std::uint32_t link : forward) {
        const PlainLink& out = plan.links[link];
        if (out.src == in.dst && out.dst == in.src && queue_of(link) != kNoIndex)
          hop.gateway = queue_of(link) & Hop::kNoGateway;
      }
    }
    hops.push_back(hop);
  }
}

// A hop needs no event of its own if its link is fed by one other link alone: packets then arrive
// in the order in which they entered that link. All packets on it have to, or none: one that waits
// for its event would find the link taken by those behind it.
void Topology::mark_straight_hops() {
  constexpr std::uint32_t kMany = kNoIndex - 1;
  std::vector<std::uint32_t> feeder(links.size(), kNoIndex);
  for (std::size_t target = 0; target < first_hop.size(); ++target) {
    const Hop* hop = way(static_cast<std::uint32_t>(target));
    for (std::uint32_t cell = 0; cell < (moves[target / 2] ? cells_ : 1); ++cell, ++hop) {
      std::uint32_t before = kMany;
      for (; hop->link != kNoIndex; ++hop) {
        std::uint32_t& known = feeder[hop->link];
        const bool same = known == kNoIndex || known == before;
        known = same && hop->gateway == Hop::kNoGateway ? before : kMany;
        before = hop->link;
      }
    }
  }
  for (std::size_t i = 0; i + 1 < hops.size(); ++i) {
    const Hop& next = hops[i + 1];
    if (hops[i].link == kNoIndex || next.link == kNoIndex) continue;
    hops[i].straight = feeder[next.link] == hops[i].link && next.gateway == Hop::kNoGateway &&
                       links[next.link].extras == kNoIndex;
  }
}

}  // namespace penstock::net
