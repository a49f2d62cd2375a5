// SPDX-License-Identifier: GPL-2.0-only
// Owns how long the packets of a queue have waited, of each group of traffic too if these are told
// apart. Is told of packets that leave; answers the samples.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/net/histogram.h"

namespace penstock::net {

class Delays {
 public:
  // The packets of `flow`, in both directions, are those of `group`.
  void set_group(std::uint32_t flow, std::uint16_t group) {
    if (group_of_.size() <= flow) group_of_.resize(flow + 1);
    if (groups_ns_.size() <= group) groups_ns_.resize(group + 1U);
    group_of_[flow] = group;
  }
  std::uint16_t group_of(std::uint32_t flow) const {
    return groups_ns_.empty() ? std::uint16_t{0} : group_of_[flow];
  }

  void add(std::uint64_t delay_ns, std::uint16_t group) {
    all_ns_.add(delay_ns);
    if (!groups_ns_.empty()) groups_ns_[group].add(delay_ns);
  }
  void clear() {
    all_ns_.clear();
    for (Sample& each : groups_ns_) each.clear();
  }

  const Sample& all_ns() const { return all_ns_; }
  const std::vector<Sample>& groups_ns() const { return groups_ns_; }  // none if not told apart

 private:
  Sample all_ns_;
  std::vector<Sample> groups_ns_;
  std::vector<std::uint16_t> group_of_;  // by flow
};

}  // namespace penstock::net
