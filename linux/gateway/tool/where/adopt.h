// SPDX-License-Identifier: GPL-2.0-only
// Connections that are older than an attachment. The kernel's connection tracking says which there
// are, and the window scales of their handshakes. Nobody says that these are right, so a scale is
// believed once an ACK and the data that follows agree with it: the data begins no earlier than the
// ACK, and ends within the window that the ACK grants by that scale. A scale that the data
// contradicts is forgotten.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "linux/common/conntrack.h"
#include "linux/gateway/bpf/shared.h"
#include "linux/gateway/tool/attach/device.h"
#include "linux/gateway/tool/where/meter.h"

namespace penstock::gw {

// By the way of their data, as Pins::adopt() takes them.
using Adopted = std::array<std::vector<std::pair<gw_key, gw_flow>>, kWays>;

class Adopter {
 public:
  // `mtu_bytes` of the device bounds a segment: what is seen may be several, joined.
  Adopter(const std::vector<TrackedFlow>& tracked, std::uint32_t mtu_bytes);

  void see(const Packet& packet);
  // Those that are believed, since the last call.
  Adopted take() { return std::exchange(believed_, {}); }
  // Whether one may still come.
  bool waits() const { return !offered_.empty(); }

 private:
  struct Key {
    std::array<std::uint32_t, 4> inside{}, outside{};
    std::uint16_t inside_port = 0, outside_port = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Side {
    std::uint32_t ack = 0, edge = 0;
    bool has_ack = false, done = false;
  };
  struct Offered {
    std::array<std::uint8_t, kWays> scales{};  // of the windows that answer data of a way
    std::array<Side, kWays> sides;  // by the way of the data
  };
  void offer(const TrackedEnds& ends, std::uint8_t source_scale, std::uint8_t target_scale);
  void believe(Way way, const pst_segment& s, const Offered& offered);

  std::uint32_t segment_bytes_;
  std::map<Key, Offered> offered_;
  Adopted believed_;
};

// Of all connections that the kernel tracks. Throws Error where it cannot list them.
Adopter adopter_on(const Device& device);

// Adopts for the attachment, for at most two seconds, what passes its device; nothing where the
// kernel tracks no connections, or without the rights to watch.
void adopt_running(const Device& device);

}  // namespace penstock::gw
