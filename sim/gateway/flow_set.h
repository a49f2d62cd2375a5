// SPDX-License-Identifier: GPL-2.0-only
// Some of the flows, by their numbers.
#pragma once

#include <cstdint>
#include <vector>

namespace penstock::gateway {

class FlowSet {
 public:
  void add(std::uint32_t flow) {
    if (has_.size() <= flow) has_.resize(flow + 1);
    has_[flow] = true;
  }
  bool has(std::uint32_t flow) const { return flow < has_.size() && has_[flow]; }

 private:
  std::vector<bool> has_;  // as far as there are any
};

}  // namespace penstock::gateway
