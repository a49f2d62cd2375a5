// SPDX-License-Identifier: GPL-2.0-only
// Links with a served queue: one event per departure while packets are queued. Owns the traces
// that links follow. Is told when a packet arrives at such a queue and when its link is free;
// lets the next packet leave, unless its medium decides when.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/ring.h"
#include "sim/net/follower.h"
#include "sim/net/forwarder.h"
#include "sim/net/medium.h"

namespace penstock::net {

class Service final : public Holder {
 public:
  Service(const Plan& plan, Topology& topology, Events& events, Queues& queues,
          Forwarder& forwarder, Media& media);

  void hold(std::uint32_t index, std::uint32_t queue) override;
  void on_free(std::uint32_t queue);  // the time for which it was scheduled

  // The packet that the trace of the queue's link has sent in part, or kNone.
  std::uint32_t sending(std::uint32_t queue) const;
  void begin_counting();
  // The used part of the opportunities of the trace that the queue's link follows.
  bool follows(std::uint32_t queue) const { return followers_[queue] != nullptr; }
  double utilisation(std::uint32_t queue);

 private:
  // What a device took from the queue above it and has not begun to send.
  struct Device {
    std::uint32_t room = 0;  // packets
    engine::Ring<std::uint64_t> starts_ns;
  };

  void serve(std::uint32_t queue);
  void send_all_due(std::uint32_t queue);
  void follow(std::uint32_t queue);
  void use_opportunity(ServedQueue& q, Follower& follower, Link& link);
  void wait(ServedQueue& q, std::uint32_t queue, std::uint64_t until_ns);
  std::uint32_t take(ServedQueue& q);

  Topology& topology_;
  Events& events_;
  Queues& queues_;
  Forwarder& forwarder_;
  Media& media_;
  std::vector<std::unique_ptr<Follower>> followers_;  // by queue, or null
  std::vector<Device> devices_;                       // by queue
};

}  // namespace penstock::net
