// SPDX-License-Identifier: GPL-2.0-only
// The dumbbell that simulators of TCP are compared on: n senders, access links of
// 100 Mbit/s and 1 ms, one bottleneck of 45 Mbit/s and 40 ms each way with a
// 97,000-byte queue; 5 MB per flow in segments of 1458 bytes, CUBIC with SACK and
// delayed ACKs, starts uniform in 1 .. 8 s. With a gateway on the bottleneck. Or web
// users in place of the flows: pages as in nis-2004 Table 15.1, one after the other.
#pragma once

#include <cstdint>

#include "core/gateway/variants.h"
#include "sim/net/network.h"

namespace penstock::bench {

struct Dumbbell {
  std::uint32_t flows = 24;
  std::uint64_t size_bytes = 5'000'000;
  std::uint64_t rate_bps = 45'000'000;
  std::uint64_t queue_bytes = 97'000;
  std::uint64_t window_bytes = 131'072;
  std::uint32_t segment_bytes = 1458;
  std::uint32_t variant = PST_VARIANT_EWT;
  std::uint64_t seed = 1;
  std::uint64_t pages = 0;  // of each user; 0: flows of size_bytes

  net::Network build() const;
};

// Segments that the receivers took in order, over all flows.
std::uint64_t delivered_segments(const Dumbbell& dumbbell, const net::Result& result);

}  // namespace penstock::bench
