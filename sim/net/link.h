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
  bool tells_groups = false;  // their delays by group of traffic
  std::uint32_t device_packets = 0;  // room in the device below the queue
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

// The time that packets take on the wire is exact: a packet begins when the one before it is
// through, and what is left of a nanosecond is carried to the one that follows it at once. Times
// are the whole nanoseconds up to then. A byte's time is rounded up to 2^-64 ns, so 2^60 bytes
// have to pass for a sixteenth of a nanosecond.
struct Link {
  std::uint64_t busy_until_ns = 0;
  std::uint64_t rest_q64 = 0;  // beyond busy_until_ns, in 2^-64 ns
  std::uint64_t delay_ns = 0;
  std::uint64_t byte_ns = 0;      // whole nanoseconds that a byte takes
  std::uint64_t byte_ns_q64 = 0;  // and the part beyond them
  std::uint32_t extras = kNoIndex;   // into Topology::extras
  std::uint16_t overhead_bytes = 0;  // added to each IP packet on the wire

  void set_rate(std::uint64_t rate_bps) {
    PST_REQUIRE(rate_bps >= kLeastRateBps && rate_bps <= kMostRateBps);
    byte_ns = kByteNsBps / rate_bps;
    const Wide rest = Wide{kByteNsBps % rate_bps} << 64;
    byte_ns_q64 = static_cast<std::uint64_t>((rest + rate_bps - 1) / rate_bps);
    PST_ENSURE(byte_ns || byte_ns_q64);
  }

  // Transmits a packet that comes at `at_ns`, from the time on that is returned, and until
  // busy_until_ns.
  std::uint64_t transmit(std::uint32_t ip_bytes, std::uint64_t at_ns) {
    PST_REQUIRE(byte_ns || byte_ns_q64);
    const bool idle = at_ns > busy_until_ns;
    const std::uint64_t start_ns = idle ? at_ns : busy_until_ns;
    const std::uint64_t bytes = ip_bytes + overhead_bytes;
    busy_until_ns = start_ns;
    if (byte_ns_q64) {  // not at 10, 100 or 1000 Mbit/s
      if (idle) rest_q64 = 0;
      busy_until_ns += add_time(bytes, rest_q64);
    } else {
      busy_until_ns += bytes * byte_ns;
    }
    PST_ENSURE(start_ns >= at_ns && busy_until_ns >= start_ns);
    return start_ns;
  }

  // The whole nanoseconds of this many bytes and of `beyond_q64`, where what remains is left.
  std::uint64_t add_time(std::uint64_t wire_bytes, std::uint64_t& beyond_q64) const {
    const Wide parts = Wide{wire_bytes} * byte_ns_q64 + beyond_q64;
    beyond_q64 = static_cast<std::uint64_t>(parts);
    return wire_bytes * byte_ns + static_cast<std::uint64_t>(parts >> 64);
  }

  // Of this many bytes alone, to the nearest nanosecond.
  std::uint64_t time_ns(std::uint64_t wire_bytes) const {
    const Wide parts = Wide{wire_bytes} * byte_ns_q64 + (1ULL << 63);
    return wire_bytes * byte_ns + static_cast<std::uint64_t>(parts >> 64);
  }
  double byte_time_ns() const {
    return static_cast<double>(byte_ns) + static_cast<double>(byte_ns_q64) * 0x1.0p-64;
  }

  static constexpr std::uint64_t kLeastRateBps = 64;
  static constexpr std::uint64_t kMostRateBps = 1ULL << 60;

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t kByteNsBps = 8'000'000'000;  // a byte's ns at 1 bit/s
};
static_assert(sizeof(Link) == 48);

}  // namespace penstock::net
