// SPDX-License-Identifier: GPL-2.0-only
// Owns the queues of all links, each with its gateway. Is told which flows come, go and are
// exempt; answers the queue of a number.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/net/events.h"
#include "sim/net/served_queue.h"
#include "sim/net/topology.h"

namespace penstock::net {

class Queues {
 public:
  // The events are the gateways' ticks.
  Queues(const Plan& plan, const Topology& topology, Events& events);

  std::uint32_t size() const { return static_cast<std::uint32_t>(queues_.size()); }
  Queue& operator[](std::uint32_t queue) { return *queues_[queue]; }
  const Queue& operator[](std::uint32_t queue) const { return *queues_[queue]; }
  ServedQueue* served(std::uint32_t queue) { return served_[queue]; }  // null if it is not

  // A flow that the topology has just added; one whose ACKs gateways leave alone; one that is
  // over, and whose number starts afresh.
  void admit(std::uint32_t flow);
  void set_aside(std::uint32_t flow, gateway::Gateway::Aside how);
  void forget(std::uint32_t flow);

  void tick(std::uint32_t queue);

 private:
  void add(std::uint32_t link);
  void meet(std::uint32_t queue, std::uint32_t flow);
  void pair(std::uint32_t away);

  const Plan& plan_;
  const Topology& topology_;
  Events& events_;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::vector<ServedQueue*> served_;
};

}  // namespace penstock::net
