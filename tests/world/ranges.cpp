// SPDX-License-Identifier: GPL-2.0-only
#include "tests/world/ranges.h"

#include <algorithm>

namespace penstock::world {

void Ranges::add(u32 from, u32 to) {
  std::vector<Range> kept;
  for (const auto& [low, high] : ranges_) {
    if (before(to, low) || after(from, high)) {
      kept.emplace_back(low, high);
      continue;
    }
    if (before(low, from)) from = low;
    if (after(high, to)) to = high;
  }
  kept.emplace_back(from, to);
  ranges_ = std::move(kept);
}

void Ranges::forget(u32 number) {
  std::erase_if(ranges_, [number](const Range& r) { return !after(r.second, number); });
  for (auto& [low, high] : ranges_)
    if (before(low, number)) low = number;
}

u32 Ranges::gap(u32 number) const {
  for (std::size_t i = 0; i < ranges_.size(); ++i)
    for (const auto& [low, high] : ranges_)
      if (!before(number, low) && before(number, high)) number = high;
  return number;
}

u32 Ranges::gap_end(u32 number) const {
  u32 end = number;
  for (const auto& [low, high] : ranges_)
    if (after(low, number) && (end == number || before(low, end))) end = low;
  return end;
}

std::vector<Ranges::Range> Ranges::newest(std::size_t most) const {
  const auto count = static_cast<std::ptrdiff_t>(std::min(most, ranges_.size()));
  return {ranges_.rbegin(), ranges_.rbegin() + count};
}

}  // namespace penstock::world
