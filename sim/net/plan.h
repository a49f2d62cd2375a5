// SPDX-License-Identifier: GPL-2.0-only
// A network as built and checked (network.h): all that a run reads but does not change.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/net/specs.h"

namespace penstock::net {

struct Plan {
  struct Flow {  // which of the two lists holds it
    bool is_udp;
    std::uint32_t index;
    std::uint16_t delay_group = 0;  // of traffic, where delays of groups are told apart
  };

  bool served(std::uint32_t link) const;  // asked for, or needed by its gateway
  std::uint32_t queue_link(std::uint32_t link) const;  // the link whose queue serves `link`
  bool is_cell(std::uint32_t node) const;
  bool has_window_headers() const;  // in some data, which gateways write into as it leaves

  std::uint64_t seed = 0;
  std::vector<std::string> nodes;
  std::vector<PlainLink> links;
  std::map<std::uint32_t, QueueLimits> limits;  // by link, as all up to captures
  std::set<std::uint32_t> served_links;
  std::map<std::uint32_t, LossSpec> losses;
  std::map<std::uint32_t, std::vector<LinkChange>> changes;
  std::map<std::uint32_t, TraceMs> traces;
  std::map<std::uint32_t, std::uint32_t> stations;  // of a station's links but its first: the first
  std::map<std::uint32_t, pst_gateway_config> gateways;
  std::map<std::uint32_t, std::string> captures;
  std::vector<std::vector<std::uint32_t>> media;
  SampleSpec samples;
  std::optional<MobilitySpec> mobility;
  std::vector<Flow> flows;
  std::vector<TcpFlow> tcp_flows;
  std::vector<UdpSpec> udp_flows;
  std::deque<TrafficSpec> traffic;
  std::deque<tcp::SenderConfig> senders;  // of tcp_flows, in their order; addresses stay
  std::deque<tcp::ReceiverConfig> receivers;
};

}  // namespace penstock::net
