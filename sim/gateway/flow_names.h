// SPDX-License-Identifier: GPL-2.0-only
// The table of flows of a discipline that has one, and the hashes that identify them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/discipline/discipline.h"
#include "sim/gateway/groups.h"

namespace penstock::gateway {

class FlowNames {
 public:
  explicit FlowNames(std::uint32_t discipline)
      : table_(pst_discipline_tables(discipline) ? std::make_unique<pst_fair_table>() : nullptr) {}

  pst_fair_table* table() const { return table_.get(); }  // null: it has none

  // `flow` is over, and its number starts afresh.
  void forget(std::uint32_t flow) {
    if (!table_) return;
    if (lives_.size() <= flow) lives_.resize(flow + 1);
    ++lives_[flow];
  }

  // All that a rule spares is one flow.
  static std::uint64_t of_rule() { return pst_fair_hash(1ULL << 62); }

  // Controlled flows of a group count as one.
  std::uint64_t hash_of(std::uint32_t flow, std::uint32_t group, bool controlled) const {
    constexpr std::uint64_t kGroup = 1ULL << 63;
    if (controlled && group != Groups::kAlone) return pst_fair_hash(kGroup | group);
    return pst_fair_hash(std::uint64_t{flow < lives_.size() ? lives_[flow] : 0} << 32 | flow);
  }

 private:
  std::unique_ptr<pst_fair_table> table_;
  std::vector<std::uint32_t> lives_;  // by flow: how often its number was used again
};

}  // namespace penstock::gateway
