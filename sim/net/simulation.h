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
  Result run(const ClockSpec& clock);

  // A run in steps, for those who look in between: play() to times that grow, and close() once.
  void play(std::uint64_t until_ns);
  bool goes_on() const { return goal_.goes_on(); }
  Result close();
  std::uint64_t now_ns() const { return events_.now_ns(); }
  Queue& queue_of(std::uint32_t link) { return queues_[topology_.queue_of(link)]; }
  const Queue& queue_of(std::uint32_t link) const { return queues_[topology_.queue_of(link)]; }
  tcp::Sender& sender(std::uint32_t flow) { return connections_.sender(flow); }
  const tcp::ReceiverCounters& received(std::uint32_t flow) const {
    return connections_.received(flow);
  }
  std::uint64_t received_by_users_bytes() const;  // payload

 private:
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
