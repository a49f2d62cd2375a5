// SPDX-License-Identifier: GPL-2.0-only
// A packet is its own event: a pooled record of one cache line in the event wheel, due at its
// next arrival. Timers and ticks are records of the same kind.
#pragma once

#include <array>
#include <cstdint>

#include "core/queue/queue.h"
#include "sim/tcp/segment.h"

namespace penstock::net {

// The kind of a record, and the meaning of its target.
enum Kind : std::uint8_t {
  kPacket,  // the endpoint it travels to: 2 * flow + side
  kHeld,    // likewise, an ACK that waits at a gateway
  kTimer,   // endpoint
  kTick,    // queue
  kStart,   // flow
  kSend,    // flow (UDP)
  kSample,  // nothing
  kServe,     // queue
  kTransfer,  // user of a traffic group
  kSettle,    // flow of a traffic group
  kChange,    // change of a link
  kContend,   // queue of a station
  kResolve,   // medium
  kHandover,  // mobile host
};
inline constexpr std::uint32_t kMaxHops = 255;  // Segment::hop

using tcp::kDatagram;

struct Record {
  std::uint64_t time_ns;
  std::uint32_t next;  // the pool's and the wheel's
  std::uint32_t tag;   // kind and target
  tcp::Segment segment;

  static constexpr std::uint32_t kTargetBits = 28;
  static constexpr std::uint32_t kMaxTarget = (1U << kTargetBits) - 1;

  Kind kind() const { return static_cast<Kind>(tag >> kTargetBits); }
  std::uint32_t target() const { return tag & kMaxTarget; }
  void set(Kind kind, std::uint32_t target) {
    PST_REQUIRE(target <= kMaxTarget);
    tag = static_cast<std::uint32_t>(kind) << kTargetBits | target;
  }
};
static_assert(sizeof(Record) == 64);

inline constexpr std::uint32_t kSenderSide = 0;
inline constexpr std::uint32_t kReceiverSide = 1;

// A packet as core's queue disciplines see it.
inline pst_packet packet_view(std::uint32_t bytes, std::uint8_t kind, std::uint8_t ecn,
                              std::uint64_t queued_ns) {
  return {.queued_ns = queued_ns,
          .bytes = bytes,
          .kind = kind,
          .tos = ecn,
          .restrained = false,
          .answered = true,
          .elastic = false,
          .stream = 0,
          .pair = 0,
          .feedback = nullptr,
          .flow_rate = nullptr,
          .label = nullptr,
          .flow = 0};
}

// True if routers on the path may process its header; an ACK only returns one.
inline bool has_header(const Record& r) {
  return (r.segment.options & (kDatagram | tcp::kExtension)) == tcp::kExtension &&
         (r.target() & 1) == kReceiverSide;
}

// IP header and what follows it, without an extension, from Segment::options. SYNs, and they alone,
// have an MSS.
inline constexpr auto kHeaderBytes = [] {
  std::array<std::uint8_t, 256> bytes{};
  for (std::uint32_t i = 0; i < bytes.size(); ++i) {
    const std::uint32_t tcp = tcp::kIpHeaderBytes + tcp::tcp_header_bytes(i, i & tcp::kMss);
    bytes[i] = static_cast<std::uint8_t>(i & kDatagram ? PST_UDP_HEADERS_BYTES : tcp);
  }
  return bytes;
}();

// From a table, as every hop asks.
inline std::uint32_t packet_bytes(const tcp::Segment& s) {
  return kHeaderBytes[s.options] + s.payload_bytes + tcp::counted_extension_bytes(s);
}

}  // namespace penstock::net
