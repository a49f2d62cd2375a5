// SPDX-License-Identifier: GPL-2.0-only
// Samples a queueing discipline over netlink, as `tc -s qdisc` shows it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace penstock::load {

struct Watch {
  std::string device{};
  std::uint32_t handle = 0;  // 0x00100000 for "10:"; 0: the root
  std::uint64_t every_ns = 5'000'000;
  std::uint64_t epoch_ns = 0;  // CLOCK_MONOTONIC; 0: now
  std::uint64_t until_ns = 0;  // after the epoch; 0: until SIGINT or SIGTERM
};

// "10:" as tc writes it. Throws std::invalid_argument.
std::uint32_t parse_handle(std::string_view text);

// Prints "ready", then CSV: time_ns (after the epoch), backlog_bytes, backlog_packets, drops,
// sent_bytes, sent_packets. Throws Error.
int watch(const Watch& what);

}  // namespace penstock::load
