// SPDX-License-Identifier: GPL-2.0-only
// Builds a topology with its gateways and traffic, and runs it once.
//
// Invalid values throw std::invalid_argument with a message for the user.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/net/plan.h"
#include "sim/net/result.h"

namespace penstock::net {

class Network {
 public:
  explicit Network(std::uint64_t seed) { plan_.seed = seed; }
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
  // Tells apart how long packets of different groups wait at the queues of these links. After all
  // traffic: the number of the group of each flow, and of each group of users.
  void delay_groups(const std::vector<std::uint32_t>& links,
                    const std::vector<std::uint16_t>& of_flow,
                    const std::vector<std::uint16_t>& of_traffic);
  void pcap(std::uint32_t link, const std::string& path);

  Result run(const ClockSpec& clock) const;
  Result run(std::uint64_t until_ns) const { return run({.until_ns = until_ns}); }

  const Plan& plan() const { return plan_; }

 private:
  void check_node(std::uint32_t node) const;
  void check_link(std::uint32_t link) const;
  void check_ends(Ends ends) const;
  void set_changes(std::uint32_t index, const LinkSpec& spec);
  std::uint32_t add_flow(Plan::Flow flow);

  Plan plan_;
};

}  // namespace penstock::net
