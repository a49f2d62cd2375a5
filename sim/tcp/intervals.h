// SPDX-License-Identifier: GPL-2.0-only
// A sorted set of disjoint half-open ranges of the stream. It allocates no memory while empty,
// the normal state of its users: the sender's scoreboard (RFC 6675) and the receiver's
// out-of-order ranges (RFC 2018).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace penstock::tcp {

struct Interval {
  std::uint64_t start;
  std::uint64_t end;
};

class IntervalSet {
 public:
  bool empty() const { return ranges_.empty(); }
  std::size_t size() const { return ranges_.size(); }
  const Interval& operator[](std::size_t i) const { return ranges_[i]; }
  const Interval& back() const { return ranges_.back(); }
  std::uint64_t bytes() const { return bytes_; }  // covered by all ranges

  // Joins `range` with what it touches; returns the bytes newly covered.
  std::uint64_t add(Interval range);
  // Removes everything below `offset`; returns the covered bytes removed.
  std::uint64_t remove_below(std::uint64_t offset);
  // Index of the first range that ends after `offset`; size() if none does.
  std::size_t find(std::uint64_t offset) const;
  void clear();

 private:
  bool ordered_at(std::size_t i) const {  // the range is not empty, and apart from both others
    return ranges_[i].start < ranges_[i].end && (i == 0 || ranges_[i - 1].end < ranges_[i].start) &&
           (i + 1 == ranges_.size() || ranges_[i].end < ranges_[i + 1].start);
  }

  std::vector<Interval> ranges_;
  std::uint64_t bytes_ = 0;
};

}  // namespace penstock::tcp
