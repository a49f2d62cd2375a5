// SPDX-License-Identifier: GPL-2.0-only
// Builds a topology with its gateways and traffic, and runs it once.
//
// Invalid values throw std::invalid_argument with a message for the user.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/net/result.h"
#include "sim/net/specs.h"

namespace penstock::net {

class Network {
 public:
  explicit Network(std::uint64_t seed) : seed_(seed) {}
  Network(const Network&) = delete;  // flows point to the settings they share
  Network& operator=(const Network&) = delete;
  Network(Network&&) = default;
  Network& operator=(Network&&) = default;

  std::uint32_t node(const std::string& name);
  std::uint32_t link(const LinkSpec& spec);  // one direction
  // Puts links, all alike, on one medium with CSMA/CD. A node is a station, and has one
  // queue for its links there: that of the first.
  void csma_cd(const std::vector<std::uint32_t>& links);
  void gateway(std::uint32_t link, const pst_gateway_config& spec);
  std::uint32_t tcp(const TcpSpec& spec);    // returns the flow's number
  std::uint32_t udp(const UdpSpec& spec);
  std::uint32_t traffic(TrafficSpec spec);   // returns the group's number
  void mobility(MobilitySpec spec);
  void sample(const SampleSpec& spec);
  void pcap(std::uint32_t link, const std::string& path);

  Result run(std::uint64_t until_ns, std::uint64_t warm_up_ns = 0) const;

  std::uint64_t seed() const { return seed_; }
  const std::vector<std::string>& nodes() const { return nodes_; }
  const std::vector<PlainLink>& links() const { return links_; }
  const std::map<std::uint32_t, QueueLimits>& limits() const { return limits_; }
  bool served(std::uint32_t link) const;  // asked for, or needed by its gateway
  const std::map<std::uint32_t, LossSpec>& losses() const { return losses_; }
  const std::map<std::uint32_t, pst_gateway_config>& gateways() const { return gateways_; }
  const std::map<std::uint32_t, std::string>& captures() const { return captures_; }
  const std::map<std::uint32_t, std::vector<LinkChange>>& changes() const { return changes_; }
  const std::map<std::uint32_t, TraceMs>& traces() const { return traces_; }
  const std::vector<std::vector<std::uint32_t>>& media() const { return media_; }
  // By link of a station but its first: the first.
  const std::map<std::uint32_t, std::uint32_t>& stations() const { return stations_; }
  std::uint32_t queue_link(std::uint32_t link) const;  // the link whose queue serves `link`
  const SampleSpec& samples() const { return samples_; }
  const std::optional<MobilitySpec>& mobility() const { return mobility_; }
  bool is_cell(std::uint32_t node) const;

  struct Flow {  // which of the two lists holds it
    bool is_udp;
    std::uint32_t index;
  };
  const std::vector<Flow>& flows() const { return flows_; }
  const std::vector<TcpFlow>& tcp_flows() const { return tcp_; }
  const std::vector<UdpSpec>& udp_flows() const { return udp_; }
  const std::deque<TrafficSpec>& traffic() const { return traffic_; }

 private:
  void check_node(std::uint32_t node) const;
  void check_link(std::uint32_t link) const;
  void check_ends(Ends ends) const;
  void set_changes(std::uint32_t index, const LinkSpec& spec);
  std::uint32_t add_flow(Flow flow);

  std::uint64_t seed_;
  std::vector<std::string> nodes_;
  std::vector<PlainLink> links_;
  std::map<std::uint32_t, QueueLimits> limits_;  // by link, as all up to captures_
  std::set<std::uint32_t> served_;
  std::map<std::uint32_t, LossSpec> losses_;
  std::map<std::uint32_t, std::vector<LinkChange>> changes_;
  std::map<std::uint32_t, TraceMs> traces_;
  std::vector<std::vector<std::uint32_t>> media_;
  std::map<std::uint32_t, std::uint32_t> stations_;
  std::map<std::uint32_t, pst_gateway_config> gateways_;
  std::map<std::uint32_t, std::string> captures_;
  SampleSpec samples_;
  std::optional<MobilitySpec> mobility_;
  std::vector<Flow> flows_;
  std::vector<TcpFlow> tcp_;
  std::deque<tcp::SenderConfig> senders_;  // in their order; addresses stay
  std::deque<tcp::ReceiverConfig> receivers_;
  std::vector<UdpSpec> udp_;
  std::deque<TrafficSpec> traffic_;
};

}  // namespace penstock::net
