// SPDX-License-Identifier: GPL-2.0-only
// One run: owns the components, and hands each event to the one that it concerns.
#pragma once

#include <cstdint>

#include "sim/net/books.h"
#include "sim/net/changes.h"

namespace penstock::net {

class Simulation {
 public:
  explicit Simulation(const Plan& plan);
  // Counts from `warm_up_ns` on.
  Result run(std::uint64_t until_ns, std::uint64_t warm_up_ns);

 private:
  void play(std::uint64_t until_ns);
  void dispatch(Kind kind, std::uint32_t target, std::uint32_t life);

  // In the order in which their first events are scheduled.
  Topology topology_;
  Events events_;
  Flows flows_;
  Goal goal_;
  Queues queues_;
  Forwarder forwarder_;
  Changes changes_;
  Media media_;
  Service service_;
  Datagrams datagrams_;
  Connections connections_;
  Sampler sampler_;
  Mobility mobility_;
  Users users_;
  Books books_;
};

}  // namespace penstock::net
