// SPDX-License-Identifier: GPL-2.0-only
// Ranges of sequence numbers: what a receiver holds beyond a gap, and what a sender knows of it
// (RFC 2018).
#pragma once

#include <utility>
#include <vector>

#include "tests/world/segment.h"

namespace penstock::world {

class Ranges {
 public:
  using Range = std::pair<u32, u32>;

  // Merges with those that it touches; the newest is the last.
  void add(u32 from, u32 to);
  // Nothing before `number` counts any more.
  void forget(u32 number);
  bool empty() const { return ranges_.empty(); }
  // The first number from `number` on that no range holds.
  u32 gap(u32 number) const;
  // The first number after `number` that a range holds; `number` if there is none.
  u32 gap_end(u32 number) const;
  std::vector<Range> newest(std::size_t most) const;

 private:
  std::vector<Range> ranges_;
};

}  // namespace penstock::world
