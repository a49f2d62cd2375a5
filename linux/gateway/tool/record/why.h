// SPDX-License-Identifier: GPL-2.0-only
// Reads the decision log: why it was slow at 20:15.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "linux/gateway/tool/view/lines.h"

namespace penstock::gw {

// "20:15", which is the last one that has been, or "2026-11-23 20:15", in local time; ns since
// 1970. Throws std::invalid_argument.
std::uint64_t parse_moment_ns(const std::string& text, std::uint64_t now_ns);

// The minutes around a moment with the events that led there; without one, the last ten minutes.
std::vector<Line> lines_about(const std::vector<Line>& log, std::optional<std::uint64_t> at_ns);

struct WhyOptions {
  std::string path;
  std::string at;  // empty: the last ten minutes
  bool json = false;
};

int run_why(const WhyOptions& options);

}  // namespace penstock::gw
