// SPDX-License-Identifier: GPL-2.0-only
// Owns the counts of the warm-up. Is told when that is over; answers the result of the run, after
// checking that no packet is missing.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/net/sampler.h"
#include "sim/net/service.h"
#include "sim/net/users.h"

namespace penstock::net {

// Packets of each flow: sent = delivered + dropped by a queue + lost on the wire + in flight.
// Throws std::logic_error otherwise.
void check_conservation(const Flows& flows, const std::vector<std::uint64_t>& in_flight);

class Books {
 public:
  Books(const Plan& plan, const Topology& topology, Events& events, Queues& queues,
        const Flows& flows, const Connections& connections, const Datagrams& datagrams,
        Service& service, Users& users);

  void begin_counting();  // the warm-up is over
  // Ends the run: events that were still to come are gone. `series` and `all_done` are the
  // caller's.
  Result close();

 private:
  std::vector<std::uint64_t> count_in_flight();
  FlowResult flow_result(std::uint32_t flow) const;
  void fill_udp(FlowResult& f, std::uint32_t index) const;
  QueueResult queue_result(std::uint32_t queue);
  double transmitting_ns(std::uint32_t queue);
  void subtract_warm_up(Result& result) const;
  const Link& link_of(std::uint32_t queue) const {
    return topology_.links[topology_.queue_links[queue]];
  }

  const Plan& plan_;
  const Topology& topology_;
  Events& events_;
  Queues& queues_;
  const Flows& flows_;
  const Connections& connections_;
  const Datagrams& datagrams_;
  Service& service_;
  Users& users_;
  Result warm_up_;  // what was counted before; nothing without a warm-up
};

}  // namespace penstock::net
