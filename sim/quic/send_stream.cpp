// SPDX-License-Identifier: GPL-2.0-only
#include "sim/quic/send_stream.h"

namespace penstock::quic {

tcp::Interval SendStream::missing(tcp::Interval range, std::uint32_t packet_bytes) const {
  PST_REQUIRE(range.start <= range.end && range.end <= next_);
  std::uint64_t start = std::max(range.start, una_);
  std::size_t i = acked_.find(start);
  if (i < acked_.size() && acked_[i].start <= start) start = acked_[i++].end;
  if (start >= range.end) return {range.end, range.end};
  const std::uint64_t next = i < acked_.size() ? acked_[i].start : range.end;
  return {start, chunk_end(start, std::min(range.end, next), packet_bytes)};
}

bool SendStream::pending() {
  while (!lost_.empty() && missing(lost_[0], UINT16_MAX).start == lost_[0].end)
    lost_.remove_below(lost_[0].end);
  return !lost_.empty() || next_ < end();
}

SendStream::Chunk SendStream::take(std::uint32_t packet_bytes) {
  PST_REQUIRE(is_sound());
  if (!lost_.empty()) {
    const tcp::Interval first = missing(lost_[0], packet_bytes);
    lost_.remove_below(first.end);
    PST_ENSURE(first.start >= una_ && first.end <= next_);
    return {first, true};
  }
  const std::uint64_t start = next_;
  PST_REQUIRE(start < end());
  next_ = chunk_end(start, end(), packet_bytes);
  PST_ENSURE(next_ > start && next_ <= end());
  return {{start, next_}, false};
}

void SendStream::acknowledge(tcp::Interval range) {
  if (range.start >= range.end) return;
  PST_REQUIRE(range.end <= next_);
  if (range.start > una_) {
    acked_.add(range);
    PST_ENSURE(is_sound());
    return;
  }
  una_ = std::max(una_, range.end);
  acked_.remove_below(una_);
  if (!acked_.empty() && acked_[0].start <= una_) {
    una_ = acked_[0].end;
    acked_.remove_below(una_);
  }
  PST_ENSURE(is_sound());
}

}  // namespace penstock::quic
