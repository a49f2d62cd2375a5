// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/intervals.h"

#include <algorithm>

#include "core/base.h"

namespace penstock::tcp {

std::size_t IntervalSet::find(std::uint64_t offset) const {
  const auto it = std::upper_bound(ranges_.begin(), ranges_.end(), offset,
                                   [](std::uint64_t at, const Interval& r) { return at < r.end; });
  return static_cast<std::size_t>(it - ranges_.begin());
}

std::uint64_t IntervalSet::add(Interval range) {
  PST_REQUIRE(range.start < range.end);
  PST_REQUIRE(ranges_.empty() == (bytes_ == 0));
  // Most arrivals extend or follow the last range; the search finds the rest.
  std::size_t first = ranges_.size();
  if (first > 0 && range.start <= ranges_.back().end) {
    first = range.start >= ranges_.back().start ? first - 1 : find(range.start);
    if (first > 0 && ranges_[first - 1].end == range.start) --first;
  }
  std::size_t last = first;
  std::uint64_t covered = 0;
  for (; last < ranges_.size() && ranges_[last].start <= range.end; ++last) {
    covered += ranges_[last].end - ranges_[last].start;
    range.start = std::min(range.start, ranges_[last].start);
    range.end = std::max(range.end, ranges_[last].end);
  }
  const auto at = ranges_.begin() + static_cast<std::ptrdiff_t>(first);
  if (first == last) {
    ranges_.insert(at, range);
  } else {
    *at = range;
    ranges_.erase(at + 1, ranges_.begin() + static_cast<std::ptrdiff_t>(last));
  }
  const std::uint64_t gained = range.end - range.start - covered;
  bytes_ += gained;
  PST_ENSURE(gained <= range.end - range.start);
  PST_ENSURE(ordered_at(first));
  PST_ENSURE(bytes_ <= ranges_.back().end - ranges_.front().start);
  return gained;
}

std::uint64_t IntervalSet::remove_below(std::uint64_t offset) {
  if (ranges_.empty() || ranges_.front().start >= offset) return 0;
  PST_REQUIRE(bytes_ > 0);
  const std::size_t keep = find(offset);
  std::uint64_t removed = 0;
  for (std::size_t i = 0; i < keep; ++i) removed += ranges_[i].end - ranges_[i].start;
  if (keep < ranges_.size() && ranges_[keep].start < offset) {
    removed += offset - ranges_[keep].start;
    ranges_[keep].start = offset;
  }
  PST_ENSURE(removed <= bytes_);
  bytes_ -= removed;
  if (keep == ranges_.size()) {
    clear();
  } else {
    ranges_.erase(ranges_.begin(), ranges_.begin() + static_cast<std::ptrdiff_t>(keep));
    PST_ENSURE(ranges_.front().start >= offset);
    PST_ENSURE(bytes_ > 0 && ordered_at(0));
  }
  return removed;
}

void IntervalSet::clear() {
  std::vector<Interval>().swap(ranges_);
  bytes_ = 0;
}

}  // namespace penstock::tcp
