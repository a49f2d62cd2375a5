// SPDX-License-Identifier: GPL-2.0-only
// CSMA/CD, IEEE 802.3 clause 4.2.3: 1-persistent, with truncated binary exponential backoff. All
// stations of a medium are one propagation delay apart. Stations that start within that time of
// each other collide.
//
// Owns the media and their stations, one for each queue on them. Is told when a station has a
// packet and when its time has come; takes packets from the queues and lets them leave.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/net/forwarder.h"

namespace penstock::net {

class Media {
 public:
  Media(const Plan& plan, Topology& topology, Events& events, Queues& queues, Forwarder& forwarder);

  bool serves(std::uint32_t queue) const { return stations_[queue].has_value(); }
  // The station of `queue` sends its first packet, if any, or defers.
  void contend(std::uint32_t queue);
  void try_again(std::uint32_t queue);   // it deferred or backed off until now
  void resolve(std::uint32_t number);  // by now every station of the medium senses the carrier

 private:
  struct Station {
    std::uint32_t medium;
    std::uint32_t attempts = 0;    // that collided, of the first packet
    std::uint64_t collisions = 0;  // in all
    bool busy = false;             // sends, or waits for its time
  };
  struct Medium {
    std::uint32_t link;         // one of its links; all are alike
    std::uint64_t idle_ns = 0;  // when all stations may send again
    std::uint64_t start_ns = 0;
    std::vector<std::uint32_t> senders{};  // queues whose stations began since start_ns
  };

  void send_frame(std::uint32_t queue, Medium& medium);
  void back_off(std::uint32_t queue, std::uint64_t from_ns, std::uint64_t slot_ns);
  std::uint32_t take(std::uint32_t queue);

  const std::uint64_t seed_;
  Topology& topology_;
  Events& events_;
  Queues& queues_;
  Forwarder& forwarder_;
  std::vector<std::optional<Station>> stations_;  // by queue
  std::vector<Medium> media_;
};

}  // namespace penstock::net
