// SPDX-License-Identifier: GPL-2.0-only
// Options of the commands that show an attachment over time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "linux/common/http.h"

namespace penstock::gw {

struct ViewOptions {
  std::optional<Endpoint> listen;
  std::string token_file;
  std::string file;              // record: where to; why: where from
  std::string at;                // why: a time of the day
  std::uint64_t size_bytes = 0;  // of all files of a record or a log; 0: its default
  std::uint64_t files = 0;
  std::uint64_t interval_ns = 100'000'000;  // between two samples
  std::uint64_t total_ns = 0;  // record; 0: until interrupted
};

}  // namespace penstock::gw
