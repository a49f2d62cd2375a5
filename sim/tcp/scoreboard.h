// SPDX-License-Identifier: GPL-2.0-only
// SACKed and retransmitted data: RFC 6675 section 4. Without SACK the set of ranges stays empty,
// and the same arithmetic serves go-back-N after a retransmission timeout.
//
// IsLost() is monotone: if one byte is lost, all unreported bytes below it are. So "lost" is an
// edge, found from the last DupThresh ranges only, and pipe follows from running totals; there is
// no state per segment.
#pragma once

#include "core/base.h"
#include "sim/tcp/intervals.h"

namespace penstock::tcp {

class Scoreboard {
 public:
  bool empty() const { return sacked_.empty(); }
  std::uint64_t sacked_bytes() const { return sacked_.bytes(); }
  // HighRxt: end of the highest retransmission of this recovery.
  std::uint64_t high_rxt() const { return high_rxt_; }
  // End of the highest range reported; 0 if there is none.
  std::uint64_t highest_sacked() const { return sacked_.empty() ? 0 : sacked_.back().end; }

  // Update(): a block of an ACK, already clipped to sent data. Returns new bytes.
  std::uint64_t add(Interval block);
  // The cumulative acknowledgment moves from `before` to `una`.
  void advance(std::uint64_t before, std::uint64_t una) {
    PST_REQUIRE(before <= una);
    const std::uint64_t reported = sacked_.empty() ? 0 : sacked_.remove_below(una);
    if (una >= high_rxt_) {
      high_rxt_ = una;
      resent_bytes_ = 0;
    } else {
      PST_REQUIRE(reported <= una - before);
      PST_REQUIRE(una - before - reported <= resent_bytes_);
      resent_bytes_ -= una - before - reported;
    }
    PST_ENSURE(high_rxt_ >= una);
    PST_ENSURE(resent_bytes_ <= high_rxt_ - una);
  }
  // Recovery begins (or a timeout): nothing has been retransmitted yet.
  void restart(std::uint64_t una);
  // [start, end) was retransmitted; `start` came from next_hole().
  void retransmitted(std::uint64_t start, std::uint64_t end);
  // The peer has reneged; RFC 2018 section 8.
  bool reneged(std::uint64_t una) const { return !sacked_.empty() && sacked_[0].start <= una; }
  void clear();

  // Bytes of `range` that were not reported.
  std::uint64_t unreported_bytes(Interval range) const;
  // IsLost() is true for unreported bytes below this edge; 0 if for none. More than (dup_thresh -
  // 1) * mss bytes, or dup_thresh ranges, are reported above them.
  std::uint64_t lost_edge(std::uint32_t dup_thresh, std::uint32_t mss_bytes) const;
  // The first unreported range at or after `from`; its end is kNever above the
  // highest report.
  Interval next_hole(std::uint64_t from) const;
  // The unreported range that ends at or below `below`, not starting below `floor`.
  Interval last_hole(std::uint64_t floor, std::uint64_t below) const;
  // SetPipe(): unreported bytes of [una, high_data) that are not lost, that is at
  // or above `lost_edge`, and those at or below HighRxt.
  std::uint64_t pipe(std::uint64_t una, std::uint64_t high_data, std::uint64_t lost_edge) const;

 private:
  IntervalSet sacked_;
  std::uint64_t high_rxt_ = 0;
  std::uint64_t resent_bytes_ = 0;  // unreported bytes of [una, high_rxt_)
};

}  // namespace penstock::tcp
