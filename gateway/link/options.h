// SPDX-License-Identifier: GPL-2.0-only
// The command line of penstock-link.
#pragma once

#include <cstdint>

#include "gateway/link/delay_line.h"
#include "gateway/link/device.h"

namespace penstock::link {

struct Options {
  Endpoint a{};
  Endpoint b{};
  Shape forward{};  // from a to b
  Shape back{};
  std::uint64_t duration_ns = 0;  // 0: until a signal
  std::uint32_t mtu_bytes = 0;    // 0: as the devices have it
  std::uint32_t ring_frames = 32768;
  bool realtime = true;
  bool as_json = false;
  bool help = false;
};

Options parse_options(int count, const char* const* arguments);  // throws UsageError
void print_help();

}  // namespace penstock::link
