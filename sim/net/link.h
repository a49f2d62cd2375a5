// SPDX-License-Identifier: GPL-2.0-only
// One direction of a link: serialisation at a rate, then a constant delay. The arrival at the far
// end is computed when the packet is enqueued, without further events.
#pragma once

#include <cstdint>

#include "core/queue/queue.h"

namespace penstock::net {

inline constexpr std::uint32_t kNoIndex = 0xffffffffU;

struct QueueLimits {
  std::uint64_t bytes = 0;    // 0: none
  std::uint64_t packets = 0;  // 0: none
  bool phantom = false;       // packets do not wait
};

// A LinkSpec as stored in the network: thousands of access links leave the rest unset.
struct PlainLink {
  std::uint32_t src;
  std::uint32_t dst;
  std::uint64_t rate_bps;
  std::uint64_t delay_ns;
  std::uint16_t mtu_bytes;
  std::uint16_t overhead_bytes;
  bool cut_through;
};

// Payload of a segment that fills a packet of the link.
inline std::uint32_t usual_mss_bytes(const PlainLink& link) {
  return link.mtu_bytes - static_cast<std::uint32_t>(PST_HEADERS_BYTES);
}

// Properties of few links, by index into the network's lists.
struct LinkExtras {
  std::uint32_t queue = kNoIndex;
  std::uint32_t loss = kNoIndex;
  std::uint32_t capture = kNoIndex;
  bool served = false;  // the queue: it holds its packets, and the link asks for them
  bool cut_through = false;  // the far end has a packet from its first bit on
};

struct Link {
  std::uint64_t busy_until_ns = 0;
  std::uint64_t ns_per_byte_q20 = 0;
  std::uint64_t delay_ns = 0;
  std::uint32_t extras = kNoIndex;   // into Topology::extras
  std::uint16_t overhead_bytes = 0;  // added to each IP packet on the wire

  void set_rate(std::uint64_t rate_bps) {
    PST_REQUIRE(rate_bps > 0);
    constexpr std::uint64_t kBitsNs = 8'000'000'000ULL << 20;
    ns_per_byte_q20 = (kBitsNs + rate_bps / 2) / rate_bps;
    PST_ENSURE(ns_per_byte_q20 > 0);
  }

  std::uint64_t serialisation_ns(std::uint32_t ip_bytes) const {
    return ((ip_bytes + overhead_bytes) * ns_per_byte_q20 + (1ULL << 19)) >> 20;
  }
};
static_assert(sizeof(Link) == 32);

}  // namespace penstock::net
