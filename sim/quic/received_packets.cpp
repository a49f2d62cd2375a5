// SPDX-License-Identifier: GPL-2.0-only
#include "sim/quic/received_packets.h"

#include <algorithm>

#include "core/base.h"

namespace penstock::quic {

// Section 13.2.1: a packet out of order is acknowledged at once, others by two, or when the delay
// of the first is over; a marked one at once.
bool ReceivedPackets::add(std::uint64_t number, std::uint64_t now_ns, std::uint8_t ecn) {
  const bool in_order = number == next();
  if (number < floor_ || ranges_.add({number, number + 1}) == 0) return false;
  if (number + 1 == next()) largest_ns_ = now_ns;
  if (ranges_.size() > kMostKept) {
    floor_ = ranges_[0].end;
    ranges_.remove_below(floor_);
  }
  PST_ENSURE(ranges_.size() <= kMostKept);
  PST_ENSURE(next() > number);
  counts_.ect0 += ecn == tcp::kEct0;
  counts_.ect1 += ecn == tcp::kEct1;
  counts_.ce += ecn == tcp::kCe;
  ++unacknowledged_;
  if (!in_order || ecn == tcp::kCe || unacknowledged_ >= config_->delayed_ack_segments)
    ack_at_ns_ = now_ns;
  else
    ack_at_ns_ = std::min(ack_at_ns_, now_ns + config_->delayed_ack_ns);
  PST_ENSURE(floor_ <= number && largest_ns_ <= now_ns);
  return true;
}

tcp::Segment ReceivedPackets::acknowledge(std::uint64_t number, std::uint64_t now_ns) {
  PST_REQUIRE(!ranges_.empty() && now_ns >= largest_ns_);
  unacknowledged_ = 0;
  ack_at_ns_ = tcp::kNever;
  const bool any = counts_.ect0 || counts_.ect1 || counts_.ce;
  return ack_packet(number, ranges_, now_ns - largest_ns_,
                    config_->ecn && any ? &counts_ : nullptr);
}

}  // namespace penstock::quic
