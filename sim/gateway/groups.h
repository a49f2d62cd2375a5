// SPDX-License-Identifier: GPL-2.0-only
// The flows that count as one, because the link is divided among hosts or marks.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/flow/flow_group.h"

namespace penstock::gateway {

class Groups {
 public:
  static constexpr std::uint32_t kAlone = ~0U;

  // `flow` counts with the others of `key`, a host or a mark.
  void join(std::uint32_t flow, std::uint32_t key) {
    if (members_.size() <= flow) members_.resize(flow + 1, kAlone);
    const auto [entry, fresh] =
        by_key_.try_emplace(key, static_cast<std::uint32_t>(groups_.size()));
    if (fresh) groups_.emplace_back();
    members_[flow] = entry->second;
    PST_ENSURE(by_key_.size() == groups_.size() && members_[flow] < groups_.size());
  }

  std::uint32_t number_of(std::uint32_t flow) const {
    return flow < members_.size() ? members_[flow] : kAlone;
  }
  pst_flow_group* of(std::uint32_t flow) {
    const std::uint32_t number = number_of(flow);
    return number != kAlone ? &groups_[number] : nullptr;
  }

 private:
  std::vector<std::uint32_t> members_;  // by flow, as far as there are any
  std::map<std::uint32_t, std::uint32_t> by_key_;
  std::vector<pst_flow_group> groups_;
};

}  // namespace penstock::gateway
