// SPDX-License-Identifier: GPL-2.0-only
// Receivers that move between cells. A packet keeps the path on which it was sent: in a cell that
// its receiver has left, or before it has another one, it is lost; so is what the receiver sends
// while it has none. A gateway in the new cell has not seen the handshakes of connections that
// come with the receiver, and leaves them alone.
//
// Owns the mobile hosts: the receiver of a flow, or a user with all of its connections. Is told
// which flows a host has and when it loses or reaches a cell; sets the ways of these flows, and
// tells their receivers.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "sim/net/connections.h"

namespace penstock::net {

class Mobility {
 public:
  Mobility(const Plan& plan, const Topology& topology, Events& events, Flows& flows,
           Connections& connections);

  void begin();  // the receivers of the network's own flows
  // A user whose receivers move, and who is at node `cell`; returns the number of its host.
  std::uint32_t add_user(std::uint32_t user, std::uint32_t cell);
  // A connection of `mobile` begins; it is over.
  void join(std::uint32_t mobile, std::uint32_t flow);
  void part(std::uint32_t mobile, std::uint32_t flow) { mobiles_[mobile].flows.erase(flow); }

  void hand_over(std::uint32_t mobile);

  bool attached(std::uint32_t mobile) const { return mobiles_[mobile].attached; }
  std::uint64_t next_ns(std::uint32_t mobile) const { return mobiles_[mobile].next_ns; }

 private:
  struct Mobile {
    std::uint64_t who;               // in the address of its random numbers
    std::set<std::uint32_t> flows{};
    bool attached = true;            // to a cell
    std::uint32_t cell = 0;          // the number of it, or of the next one
    std::uint64_t turn = 0;          // events so far
    std::uint64_t next_ns = 0;       // when it loses its cell, or has one again
  };

  std::uint32_t add(std::uint64_t who, std::uint32_t cell_node);
  void locate(std::uint32_t flow, const Mobile& mobile);

  const Plan& plan_;
  const Topology& topology_;
  Events& events_;
  Flows& flows_;
  Connections& connections_;
  std::vector<Mobile> mobiles_;
};

}  // namespace penstock::net
