// SPDX-License-Identifier: GPL-2.0-only
// The data of a sender, as offsets of its stream; a FIN is one byte more. Owns what was written,
// sent, acknowledged and lost. Is told what the application writes, and what became of the ranges
// that packets carried. Answers what the next packet carries: what was lost first.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base.h"
#include "sim/quic/packet.h"
#include "sim/tcp/intervals.h"

namespace penstock::quic {

class SendStream {
 public:
  SendStream(std::uint64_t size_bytes, bool closes)
      : data_end_(std::min(size_bytes, kEndless)), closed_(closes) {}

  void write(std::uint64_t bytes) {
    PST_REQUIRE(!closed_ || bytes == 0);
    data_end_ += bytes;
  }
  void close() { closed_ = true; }

  bool done() const { return closed_ && una_ == end(); }  // all data and the FIN acknowledged

  // For a packet of at most `packet_bytes`, if there is something. `again`: it was sent before.
  struct Chunk {
    tcp::Interval range;
    bool again;
  };
  Chunk take(std::uint32_t packet_bytes);
  bool pending();  // there is something to take
  // The first that is not acknowledged of a range that was sent, as much as a packet holds.
  tcp::Interval missing(tcp::Interval range, std::uint32_t packet_bytes) const;
  // Of a range: its data, and whether it has the FIN.
  std::uint64_t data_bytes(tcp::Interval range) const {
    PST_REQUIRE(range.start <= range.end);
    return std::min(range.end, data_end_) - std::min(range.start, data_end_);
  }
  bool has_fin(tcp::Interval range) const {
    return range.start < range.end && range.end > data_end_;
  }

  void acknowledge(tcp::Interval range);
  void lose(tcp::Interval range) {
    PST_REQUIRE(range.end <= next_);
    if (range.start < range.end) lost_.add(range);
  }

 private:
  static constexpr std::uint64_t kEndless = std::uint64_t{1} << 60;

  std::uint64_t end() const { return data_end_ + closed_; }
  // At both ends of each event.
  bool is_sound() const {
    return una_ <= next_ && next_ <= end() && (acked_.empty() || acked_[0].start > una_) &&
           (lost_.empty() || lost_.back().end <= next_);
  }
  // The end of a chunk from `start` on, at `limit` at the latest.
  std::uint64_t chunk_end(std::uint64_t start, std::uint64_t limit,
                          std::uint32_t packet_bytes) const {
    PST_REQUIRE(start <= limit);
    const std::uint64_t room_end = start + stream_room(packet_bytes, start);
    return std::min(limit, room_end >= data_end_ ? end() : room_end);
  }

  std::uint64_t una_ = 0;   // all below is acknowledged
  std::uint64_t next_ = 0;  // never sent
  std::uint64_t data_end_;
  bool closed_;
  tcp::IntervalSet acked_;  // above una_
  tcp::IntervalSet lost_;   // to be sent again, unless it is acknowledged meanwhile
};

}  // namespace penstock::quic
