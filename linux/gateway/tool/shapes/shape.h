// SPDX-License-Identifier: GPL-2.0-only
// A shape: a subscriber's queue on an attached device, as people write and read it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "linux/gateway/bpf/shared.h"

namespace penstock::gw {

// As a rate: what others leave.
inline constexpr const char* kIdleRate = "idle";

// The rate where none is told and nothing is to be held.
inline constexpr const char* kAboveEveryLine = "100gbit";

// The keys of the command line and of files.
struct ShapeText {
  std::string name;
  std::optional<std::string> rate, buffer, target, mark, traffic_class;
  std::vector<std::string> prefixes, cgroups;
  std::string where;  // stands before messages: "file:line: "
};

// The selectors of a shape's packets.
struct Selectors {
  std::vector<gw_selector> values;
  std::vector<gw_prefix> prefixes;

  bool empty() const { return values.empty() && prefixes.empty(); }
  std::vector<std::string> texts() const;  // "mark 7", "cgroup /a", "100.64.0.7/32"
};

struct Shape {
  gw_shape value{};
  Selectors selectors;
  std::string where;

  std::string name() const { return value.name; }
};

// Throws Error(kUsage) that says what would be right. Values that the text leaves open are the
// attachment's.
Shape shape_of(const ShapeText& text, const gw_attachment& attachment, bool ethernet);

// The mark of a packet, "7" or "0x7". Throws likewise.
std::uint32_t parse_mark(const std::string& text);

// The bytes queued in it now.
std::uint64_t queue_bytes_of(const gw_shape& shape, std::uint64_t now_ns);

}  // namespace penstock::gw
