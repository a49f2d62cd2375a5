// SPDX-License-Identifier: GPL-2.0-only
// The network made ready to play: links, and each endpoint's way hop by hop.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/net/link.h"
#include "sim/net/network.h"

namespace penstock::net {

// One step of a packet: what happens at the node, then the link it takes.
struct Hop {
  std::uint32_t link = kNoIndex;     // kNoIndex: the packet has arrived
  std::uint32_t gateway = kNoIndex;  // queue whose method rewrites this ACK here
  bool straight = false;             // next hop may be computed without an event
};

struct Topology {
  explicit Topology(const Network& network);

  // First hop of the packets that travel to endpoint `target`.
  const Hop* way(std::uint32_t target) const { return hops.data() + first_hop[target]; }

  std::vector<Link> links;
  std::vector<std::uint32_t> queue_links;  // by queue: its link
  std::vector<Hop> hops;                   // the ways of all endpoints, one after the other
  std::vector<std::uint32_t> first_hop;    // by endpoint

 private:
  void make_links(const Network& network);
  void make_ways(const Network& network);
  void add_way(const std::vector<std::uint32_t>& way, const std::vector<std::uint32_t>& forward);
  void mark_straight_hops();
};

}  // namespace penstock::net
