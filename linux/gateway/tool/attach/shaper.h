// SPDX-License-Identifier: GPL-2.0-only
// The queue that attach() installs: HTB with one class and a byte-limited FIFO.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "linux/common/netlink.h"

namespace penstock::gw {

// Handle of the root that add_shaper() installs: 5057:.
inline constexpr std::uint32_t kShaperHandle = 0x50570000;

// Fails with EEXIST if a root qdisc has been configured.
void add_shaper(Netlink& netlink, int ifindex, std::uint64_t rate_bytes_per_s,
                std::uint64_t buffer_bytes);
void change_shaper(Netlink& netlink, int ifindex, std::uint64_t rate_bytes_per_s,
                   std::uint64_t buffer_bytes);
void remove_shaper(Netlink& netlink, int ifindex);

// Changes by others to the installed queue, for status; empty if there are none.
std::string shaper_fault(const std::vector<Qdisc>& qdiscs);

// Why no backlog can be read from these at the device's root; empty if one can.
std::string backlog_fault(const std::vector<Qdisc>& qdiscs);

// Why packets cannot be held until their time of departure; empty if they can.
std::string pace_fault(const std::vector<Qdisc>& qdiscs);

// The backlog of an existing queue: that of the root, or of one class.
struct Leaf {
  std::uint32_t handle = 0;
  std::uint32_t class_id = 0;  // 0: the root
};

// The leaf of `class_id`. Throws std::invalid_argument, which lists the classes, if there is
// none, or if it is 0 and the root is classful.
Leaf leaf_of(const std::vector<Qdisc>& qdiscs, const std::vector<TrafficClass>& classes,
             std::uint32_t class_id);

// Whether one of these keeps its delay at a target of some milliseconds.
bool keeps_short(const std::vector<Qdisc>& qdiscs);

// Whether one of these may set CE on packets (R20).
bool may_mark(const std::vector<Qdisc>& qdiscs);

}  // namespace penstock::gw
