// SPDX-License-Identifier: GPL-2.0-only
// The command line of penstock-link.
#pragma once

#include <cstdint>
#include <optional>

#include "linux/common/command_line.h"
#include "linux/lab/link/delay_line.h"
#include "linux/lab/link/device.h"

namespace penstock::link {

// The values of an option, for one direction or both.
struct ShapeOptions {
  std::optional<std::uint64_t> delay_ns{}, jitter_ns{}, rate_bps{}, queue_bytes{};
  std::optional<std::uint64_t> grant_ns{}, request_ns{};
  std::optional<double> loss_ratio{};
};

struct Options {
  std::string a{}, b{};
  ShapeOptions both{};
  ShapeOptions back{};  // from B to A, where that differs
  std::uint64_t seed = 1;
  std::uint64_t duration_ns = 0;  // 0: until a signal
  std::uint32_t mtu_bytes = 0;    // 0: as the devices have it
  std::uint32_t ring_frames = 32768;
  bool no_realtime = false;
  bool as_json = false;
  bool commands = false;  // from stdin
};

void add_options(CLI::App& app, Options& options);

// The result of the options.
struct Link {
  Endpoint a{};
  Endpoint b{};
  Shape forward{};  // from a to b
  Shape back{};
};

Link link_of(const Options& options);  // throws Error(kUsage)

}  // namespace penstock::link
