// SPDX-License-Identifier: GPL-2.0-only
// A packet is its own event: one pooled record of a cache line that waits in the
// wheel for its next arrival. Timers and ticks are records of the same kind.
#pragma once

#include <cstdint>

#include "sim/tcp/segment.h"

namespace penstock::net {

// Values of Segment::hop that mark a record as something other than a packet.
enum Kind : std::uint8_t {
  kTimer = 255,   // target: endpoint
  kTick = 254,    // target: queue
  kStart = 253,   // target: flow
  kSend = 252,    // target: flow (UDP)
  kSample = 251,
};
inline constexpr std::uint8_t kMaxHops = 250;

// Segment::options bit for a UDP datagram: no TCP header, eight bytes of UDP's.
inline constexpr std::uint8_t kDatagram = 0x80;

struct Record {
  std::uint64_t time_ns;
  std::uint32_t next;    // the pool's and the wheel's
  std::uint32_t target;  // endpoint that a packet travels to: 2 * flow + side
  tcp::Segment segment;
};
static_assert(sizeof(Record) == 64);

inline constexpr std::uint32_t kSenderSide = 0;
inline constexpr std::uint32_t kReceiverSide = 1;

inline std::uint32_t packet_bytes(const tcp::Segment& s) {
  if (s.options & kDatagram) return tcp::kIpHeaderBytes + 8U + s.payload_bytes;
  return tcp::ip_bytes(s);
}

}  // namespace penstock::net
