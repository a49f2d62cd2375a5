// SPDX-License-Identifier: GPL-2.0-only
// The TCP connections that the kernel tracks, with the window scales of their handshakes: what
// conntrack(8) lists, by ctnetlink.
#pragma once

#include <linux/netlink.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace penstock {

// Addresses and ports as on the wire; IPv4 as ::ffff:a.b.c.d.
struct TrackedEnds {
  std::array<std::uint32_t, 4> source{}, target{};
  std::uint16_t source_port = 0, target_port = 0;
};

struct TrackedFlow {
  TrackedEnds original;  // as the opener sends
  TrackedEnds reply;     // as the answers come, before NAT is undone
  std::array<std::uint8_t, 2> scales{};  // of the opener's windows, and of the other end's
};

// A message of the dump: an established connection whose handshake was seen, in which both ends
// named a scale.
std::optional<TrackedFlow> tracked_flow_of(const nlmsghdr* message);

// Of the network namespace that the caller is in. Throws Error where the kernel has no ctnetlink.
std::vector<TrackedFlow> tracked_flows();

}  // namespace penstock
