// SPDX-License-Identifier: GPL-2.0-only
// One direction of a link: serialisation at a rate, then a constant delay. The
// arrival at the far end is computed when the packet comes; no event in between.
#pragma once

#include <cstdint>

namespace penstock::net {

inline constexpr std::uint32_t kNoIndex = 0xffffffffU;

struct Link {
  std::uint64_t busy_until_ns = 0;
  std::uint64_t ns_per_byte_q20 = 0;
  std::uint64_t delay_ns = 0;
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  std::uint32_t queue = kNoIndex;   // index into the network's queues
  std::uint32_t loss = kNoIndex;    // index into its loss models
  std::uint32_t capture = kNoIndex; // index into its captures
  std::uint16_t overhead_bytes = 0; // added to each IP packet on the wire
  std::uint16_t mtu_bytes = 1500;

  std::uint64_t serialisation_ns(std::uint32_t ip_bytes) const {
    return ((ip_bytes + overhead_bytes) * ns_per_byte_q20 + (1ULL << 19)) >> 20;
  }
};

}  // namespace penstock::net
