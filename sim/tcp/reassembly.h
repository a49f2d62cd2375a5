// SPDX-License-Identifier: GPL-2.0-only
// Out-of-order data of a receiver and the SACK blocks that report it, RFC 2018
// section 4: the block of the segment that caused the ACK comes first, then the
// blocks reported most recently.
#pragma once

#include <array>
#include <cstdint>

#include "core/base.h"
#include "sim/tcp/intervals.h"

namespace penstock::tcp {

class Reassembly {
 public:
  bool empty() const { return ranges_.empty(); }
  // Bytes from the lowest missing one, at `next`, to the highest held.
  std::uint64_t span_bytes(std::uint64_t next) const {
    PST_REQUIRE(!ranges_.empty() && next < ranges_[0].start);
    return ranges_.back().end - next;
  }

  // Adds `range`; returns the number of new bytes.
  std::uint64_t add(Interval range);
  struct Taken {
    std::uint64_t next;             // first byte missing now
    std::uint64_t duplicate_bytes;  // held, but arrived again in order
  };
  // Data up to `next` has arrived in order: returns the contiguous data that follows.
  Taken take(std::uint64_t next);
  // Writes the blocks to report, at most three; returns their number.
  unsigned report(std::array<Interval, 3>& blocks) const;

 private:
  IntervalSet ranges_;
  // One byte of each recently reported range, newest first; 0 is unused. One more than fits into
  // an ACK, because ranges merge.
  std::array<std::uint64_t, 4> recent_{};
};

}  // namespace penstock::tcp
