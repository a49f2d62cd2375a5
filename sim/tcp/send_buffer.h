// SPDX-License-Identifier: GPL-2.0-only
// The data of a sender, as offsets in the stream (seq.h): RFC 9293 section 3.3.1. Owns SND.UNA, the
// end of what was ever sent, and the end of what the application wrote. Is told what the
// application writes, what leaves and what is acknowledged. Answers what is in flight, and what a
// segment may hold.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base.h"
#include "sim/tcp/segment.h"

namespace penstock::tcp {

class SendBuffer {
 public:
  // After its `size_bytes` of data: a FIN, or the application may write more.
  enum class After : std::uint8_t { kClose, kOpen };
  SendBuffer(std::uint64_t size_bytes, After after)
      : data_end_(1 + std::min(size_bytes, kEndless)),
        end_(data_end_ + (after == After::kClose ? 1 : 0)) {}

  void write(std::uint64_t bytes) {
    PST_REQUIRE(bytes <= kEndless && data_end_ <= 2 * kEndless - bytes);
    PST_REQUIRE(bytes == 0 || end_ == data_end_);  // nothing is written after a close
    data_end_ += bytes;
    end_ += bytes;
    PST_ENSURE(is_ordered());
  }
  void close() {
    PST_REQUIRE(is_ordered());
    end_ = data_end_ + 1;
    PST_ENSURE(is_ordered());
  }
  // SND.UNA =< SND.NXT =< the end of what was written, and a FIN at most beyond that.
  bool is_ordered() const { return una_ <= max_ && max_ <= end_ && end_ - data_end_ <= 1; }
  void note_sent(std::uint64_t end) {
    PST_REQUIRE(end > una_ && end <= end_);
    max_ = std::max(max_, end);
    PST_ENSURE(is_ordered());
  }
  void acknowledge(std::uint64_t ack) {
    PST_REQUIRE(ack > una_ && ack <= max_);  // SND.UNA < SEG.ACK =< SND.NXT
    una_ = ack;
    PST_ENSURE(acked_bytes() < una_ && flight_bytes() <= max_);
  }

  std::uint64_t una() const { return una_; }  // oldest unacknowledged
  std::uint64_t max() const { return max_; }  // end of what was ever sent
  std::uint64_t data_end() const { return data_end_; }  // end of what the application wrote
  bool all_sent() const { return max_ >= end_; }
  bool idle() const { return una_ == max_ && max_ >= data_end_; }
  bool done() const { return una_ > data_end_; }  // all data and the FIN acknowledged
  // Sent and not cumulatively acknowledged, in sequence numbers: FlightSize of RFC 5681.
  std::uint64_t flight_bytes() const { return max_ - una_; }
  std::uint64_t acked_bytes() const {  // payload acknowledged
    return una_ == 0 ? 0 : std::min(una_, data_end_) - 1;
  }

  // End of a segment from `start` that ends at `limit` at the latest. It carries at most one MSS,
  // and the FIN on top of the last byte.
  std::uint64_t segment_end(std::uint64_t start, std::uint64_t limit,
                            std::uint32_t mss_bytes) const {
    PST_REQUIRE(mss_bytes > 0);
    PST_REQUIRE(start <= end_);
    const std::uint64_t end = start + mss_bytes;
    return std::min(limit, end >= data_end_ ? end_ : end);
  }
  // Length and flags of the segment [start, end).
  void fill(Segment& s, std::uint64_t start, std::uint64_t end) const {
    PST_REQUIRE(start < end && end <= end_);
    PST_REQUIRE(end - start <= 65536);  // a segment, and its FIN
    s.payload_bytes = static_cast<std::uint16_t>(std::min(end, data_end_) - start);
    if (end >= data_end_) s.flags |= kPsh;
    if (end > data_end_) s.flags |= kFin;
    PST_ENSURE(s.payload_bytes + (s.flags & kFin ? 1U : 0U) == end - start);
  }

 private:
  static constexpr std::uint64_t kEndless = std::uint64_t{1} << 62;

  std::uint64_t una_ = 0;
  std::uint64_t max_ = 0;
  std::uint64_t data_end_;
  std::uint64_t end_;  // one beyond, where a FIN follows
};

}  // namespace penstock::tcp
