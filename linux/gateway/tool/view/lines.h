// SPDX-License-Identifier: GPL-2.0-only
// JSON lines about an attachment: of the live page, of recordings, and of the decision log. Each
// has "kind" and "time_ns" (CLOCK_REALTIME).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "linux/gateway/tool/view/events.h"
#include "linux/gateway/tool/view/senders.h"
#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

inline constexpr int kLinesVersion = 1;

using Line = nlohmann::ordered_json;

// First in each file and stream: versions, and the meaning of the names of rules and counters.
Line head_line(const std::string& device, std::uint64_t interval_ns);
// A few numbers, many times per second.
Line sample_line(const Snapshot& s, std::uint64_t time_ns);
// All of `status -j`.
Line status_line(const Snapshot& s, std::uint64_t time_ns);
Line event_line(const Event& event, std::uint64_t time_ns);

// The flows that send most, with their rates since the look before.
class FlowLines {
 public:
  Line line(const Snapshot& s, std::uint64_t time_ns);
  // Round trips of those that sent since the look before.
  const std::vector<double>& paths_s() const { return paths_s_; }

 private:
  Senders senders_;
  std::uint64_t time_ns_ = 0;
  std::vector<double> paths_s_;
};

std::string text_of(const Line& line);

}  // namespace penstock::gw
