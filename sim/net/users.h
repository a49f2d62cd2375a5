// SPDX-License-Identifier: GPL-2.0-only
// Users of traffic groups, and their connections. A connection is a slot: when its data and FIN
// are acknowledged and none of its packets is in flight, it is counted, removed from the
// gateways, and free for the next one of its lane. A remaining timer detects the reuse and does
// nothing.
//
// Owns the groups with their users, and the slots of their connections. Is told when a transfer
// is due, and what became of a connection; opens connections and writes to them, and counts.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/net/companions.h"
#include "sim/net/connections.h"
#include "sim/net/mobility.h"

namespace penstock::net {

class Users final : public Application {
 public:
  Users(const Plan& plan, Topology& topology, Events& events, Queues& queues, Flows& flows,
        Connections& connections, Mobility& mobility, Goal& goal);
  void begin_moving();

  void begin_transfer(std::uint32_t user);  // its next one is due
  void on_handshake(std::uint32_t flow) override;
  void on_received(std::uint32_t flow) override;
  void on_closed(std::uint32_t flow) override;
  void on_quiet(std::uint32_t flow) override;

  void begin_counting();
  std::uint32_t groups() const { return static_cast<std::uint32_t>(groups_.size()); }
  GroupResult result(std::uint32_t group) const;

 private:
  // Users take the ends of their group in turn.
  struct User {
    traffic::Source source;
    std::uint32_t group;
    std::uint32_t lane;
    std::uint64_t size_bytes = 0;    // of the transfer that comes next
    std::uint32_t flow = kNoIndex;   // its connection, if it is persistent
    std::uint32_t connections = 0;   // so far
    std::uint32_t open_transfers = 0;
    bool ended = false;  // the source
    std::uint32_t mobile = kNoIndex;
  };
  // Two ends of a group: their flows that are free for reuse.
  struct Lane {
    std::uint32_t group;
    std::uint32_t first_flow;
    std::vector<std::uint32_t> free{};
  };
  struct Begun {  // a transfer
    std::uint64_t at_ns;
    std::uint64_t size_bytes;
    std::uint64_t end_bytes;  // in its connection's stream
  };
  // State of a flow of a traffic group.
  struct Life {
    std::uint32_t lane;
    std::uint32_t user = kNoIndex;
    std::size_t arrived = 0;     // of `begun`, from its beginning
    std::vector<Begun> begun{};  // transfers in their order
  };

  void add_group(const TrafficSpec& spec);
  void plan_transfer(std::uint32_t user, std::uint64_t done_ns);
  std::uint32_t new_connection(std::uint32_t user, std::uint64_t size_bytes);
  std::uint32_t take_flow(std::uint32_t lane);
  void add_flow(std::uint32_t lane);
  void await_next(std::uint32_t flow);
  void end_source(std::uint32_t user);
  void end_transfer(std::uint32_t user, const Begun& transfer);
  void finish(std::uint32_t user);
  void count_life(std::uint32_t flow, GroupCounters& sum) const;

  Life& life(std::uint32_t flow) { return lives_[flow - plan_.flows.size()]; }
  const TrafficSpec& spec_of(const User& user) const { return plan_.traffic[user.group]; }
  // Connections beside each other.
  Companions& companions(std::uint32_t flow) {
    return companions_[{topology_.ends[flow].src, topology_.ends[flow].dst}];
  }
  Companions::SenderOf senders() {
    return [this](std::uint32_t flow) -> const tcp::Sender& { return connections_.sender(flow); };
  }

  const Plan& plan_;
  Topology& topology_;
  Events& events_;
  Queues& queues_;
  Flows& flows_;
  Connections& connections_;
  Mobility& mobility_;
  Goal& goal_;
  std::vector<GroupResult> groups_;
  std::vector<Lane> lanes_;
  std::vector<User> users_;
  std::vector<Life> lives_;  // of the flows after the network's own
  std::map<std::pair<std::uint32_t, std::uint32_t>, Companions> companions_;  // by their hosts
};

}  // namespace penstock::net
