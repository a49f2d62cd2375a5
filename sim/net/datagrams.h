// SPDX-License-Identifier: GPL-2.0-only
// Owns the network's UDP flows: each sends at its rate, and counts what arrives. Is told
// when the next datagram is due, and of each that arrives.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/net/forwarder.h"
#include "sim/net/udp_pattern.h"

namespace penstock::net {

class Datagrams {
 public:
  Datagrams(const Plan& plan, Events& events, Flows& flows, Forwarder& forwarder);

  void begin(std::uint32_t flow);  // schedules the first one
  void send(std::uint32_t flow);
  void receive(const Flow& flow, const tcp::Segment& s) {
    sources_[flow.index].delivered_bytes += s.payload_bytes;
  }

  std::uint64_t sent(std::uint32_t index) const { return sources_[index].packets; }
  std::uint64_t delivered_bytes(std::uint32_t index) const {
    return sources_[index].delivered_bytes;
  }

 private:
  struct Source {
    std::uint64_t next_ns = 0;  // start of the next one, relative to the flow's
    std::uint64_t next_rest_q20_ns = 0;  // and the part of a nanosecond beyond it
    std::uint64_t interval_q20_ns = 0;
    std::uint64_t packets = 0;
    std::uint64_t delivered_bytes = 0;
  };

  const Plan& plan_;
  Events& events_;
  Flows& flows_;
  Forwarder& forwarder_;
  std::vector<Source> sources_;
  std::map<std::uint32_t, UdpPattern> patterns_;  // by source, of those that are not constant
};

}  // namespace penstock::net
