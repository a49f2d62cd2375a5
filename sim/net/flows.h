// SPDX-License-Identifier: GPL-2.0-only
// Per-flow data and counters of forwarding: one cache line per flow, by its number. Numbers of the
// network's own flows come first, then those of the connections of users.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/net/link.h"
#include "sim/tcp/config.h"

namespace penstock::net {

struct alignas(64) Flow {
  std::uint64_t sent = 0;  // packets of both directions, as the next three
  std::uint64_t delivered = 0;
  std::uint64_t dropped_queue = 0;
  std::uint64_t dropped_random = 0;
  std::int64_t done_ns = -1;
  std::uint64_t awaited_bytes = tcp::kNever;  // received, when to tell its application
  std::uint32_t index = kNoIndex;  // into connections or datagrams
  std::uint16_t life = 0;          // generation of the slot; a timer belongs to one
  bool is_udp = false;
  bool is_quic = false;
  bool closing = false;  // of a user, and free once none of its packets is in flight
  bool moves = false;    // its receiver is a mobile host
  std::uint8_t first_hop[2] = {0, 0};  // of what travels to each side now
  std::uint8_t last_hop = 0;  // if it moves: of the way to the receiver's cell; 0: it has none

  std::uint64_t accounted() const { return delivered + dropped_queue + dropped_random; }
  bool settled() const { return sent == accounted(); }
};

using Flows = std::vector<Flow>;

}  // namespace penstock::net
