// SPDX-License-Identifier: GPL-2.0-only
// The queue that attach() installs: HTB of one class, with a FIFO limited in bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/common/netlink.h"

namespace penstock::gw {

// Handle of the root that add_shaper() installs: 5057:.
inline constexpr std::uint32_t kShaperHandle = 0x50570000;

// Fails with EEXIST if there is a root that somebody has put there.
void add_shaper(Netlink& netlink, int ifindex, std::uint64_t rate_bytes_per_s,
                std::uint64_t buffer_bytes);
void change_shaper(Netlink& netlink, int ifindex, std::uint64_t rate_bytes_per_s,
                   std::uint64_t buffer_bytes);
void remove_shaper(Netlink& netlink, int ifindex);

// What somebody has done to the installed queue, as status says it; empty if it stands.
std::string shaper_fault(const std::vector<Qdisc>& qdiscs);

// Why no backlog can be read from these at the device's root; empty if one can.
std::string backlog_fault(const std::vector<Qdisc>& qdiscs);

// What an existing queue offers to be read: the root's backlog, or that of one class.
struct Leaf {
  std::uint32_t handle = 0;
  std::uint32_t class_id = 0;  // 0: the root
};

// The leaf of `class_id`. Throws std::invalid_argument, which names the classes, if there is
// none, or if it is 0 and the root divides its link.
Leaf leaf_of(const std::vector<Qdisc>& qdiscs, const std::vector<TrafficClass>& classes,
             std::uint32_t class_id);

// Whether one of these may set CE on packets (R20).
bool may_mark(const std::vector<Qdisc>& qdiscs);

}  // namespace penstock::gw
