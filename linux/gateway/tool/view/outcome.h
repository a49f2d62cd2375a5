// SPDX-License-Identifier: GPL-2.0-only
// What users would notice (core/outcome.h), from what a gateway sees of real traffic, as it sends
// no probes:
//   T     a flow's round trip between its ends, the least that the gateway knows, without the
//         wait in the queue that it controls; of each flow that sent in the time
//   w     what a new packet would wait in that queue, at each look
//   loss  data that was seen before, of all data, in bytes
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

struct Outcome {
  double rpm;
  double qoo_percent;
};

// Means over the paths; nothing without a path, a wait or data.
std::optional<Outcome> outcome_of(const std::vector<double>& paths_s, std::vector<double> waits_s,
                                  double loss_ratio);

// The flow's T; nothing if it is not known, or the flow sent nothing since then.
std::optional<double> path_s(const gw_flow& flow, std::uint64_t since_ns);
std::vector<double> paths_s_of(const Device& device, std::uint64_t since_ns);

// Of what was looked at in the last ten seconds.
class OutcomeWindow {
 public:
  void look(const Snapshot& s);
  // When its first look was.
  std::uint64_t begin_ns() const { return looks_.empty() ? 0 : looks_.front().time_ns; }
  std::optional<Outcome> outcome(const std::vector<double>& paths_s) const;

 private:
  struct Look {
    std::uint64_t time_ns;
    std::optional<double> wait_s;
    std::uint64_t data_bytes;
    std::uint64_t again_bytes;
  };
  std::uint64_t since_ns_ = 0;  // of the attachment that it looks at
  std::deque<Look> looks_;
};

}  // namespace penstock::gw
