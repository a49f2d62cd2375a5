// SPDX-License-Identifier: GPL-2.0-only
// The network prepared for a run: links, and each endpoint's path hop by hop. Flows are those of
// the network and then, for each traffic group, the first connection of each of its ends;
// connections added during the run take the path of one of these.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/net/link.h"
#include "sim/net/plan.h"
#include "sim/net/route.h"

namespace penstock::net {

// An endpoint whose receiver moves has a way for each cell, in their order; a packet keeps the
// one on which it was sent.

// One step of a packet: what happens at the node, then the link it takes.
struct Hop {
  static constexpr std::uint32_t kNoGateway = 0x7fffffffU;

  std::uint32_t link = kNoIndex;               // kNoIndex: the packet has arrived
  std::uint32_t gateway : 31 = kNoGateway;     // queue whose method rewrites this ACK here
  std::uint32_t straight : 1 = 0;              // next hop may be computed without an event
};
static_assert(sizeof(Hop) == 8);

struct Topology {
  explicit Topology(const Plan& plan);

  // First hop of the packets that travel to endpoint `target`.
  const Hop* way(std::uint32_t target) const { return hops.data() + first_hop[target]; }

  // Of the way for cell number `cell`: its first hop and its last, counted from way(target).
  std::uint8_t first_of(std::uint32_t target, std::uint32_t cell) const;
  std::uint8_t last_of(std::uint32_t target, std::uint32_t cell) const;

  std::uint32_t queue_of(std::uint32_t link) const;  // kNoIndex: none

  // Another flow on the way of `flow`; returns its number.
  std::uint32_t add_flow_like(std::uint32_t flow);

  std::vector<Link> links;
  std::vector<LinkExtras> extras;
  std::vector<std::uint32_t> queue_links;  // by queue: its link
  std::vector<Hop> hops;                   // the ways of all endpoints, one after the other
  std::vector<std::uint32_t> first_hop;    // by endpoint
  std::vector<Ends> ends;                  // by flow
  std::vector<std::uint32_t> marks;        // likewise, of its packets; 0: none
  std::vector<std::uint16_t> delay_groups;  // by flow: as in Plan::Flow
  std::vector<bool> moves;                 // by flow: its receiver changes its cell

 private:
  void make_links(const Plan& plan);
  void make_ways(const Plan& plan);
  void add_flow(const Plan& plan, Router& router, Ends flow, std::uint32_t packet_bytes,
                bool answered);
  void add_way(const Plan& plan, const std::vector<std::uint32_t>& way,
               const std::vector<std::uint32_t>& forward);
  void check_hops(std::uint32_t target) const;
  LinkExtras& extras_of(std::uint32_t link);
  void mark_straight_hops();

  std::uint32_t cells_ = 1;  // ways of an endpoint whose receiver moves
};

}  // namespace penstock::net
