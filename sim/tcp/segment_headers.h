// SPDX-License-Identifier: GPL-2.0-only
// The headers of a sender's segments after the handshake: RFC 9293 section 3.1,
// RFC 7323 section 3.2. Owns where both streams begin, and whether segments
// have timestamps. Is told what the handshake agreed on, and the peer's
// timestamps. Answers a header, and what an ACK's numbers mean.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/base.h"
#include "sim/tcp/intervals.h"
#include "sim/tcp/recent_timestamp.h"
#include "sim/tcp/segment.h"
#include "sim/tcp/seq.h"

namespace penstock::tcp {

// Those of an ACK, as ranges of the stream.
struct SackBlocks {
  std::array<Interval, 3> at{};
  unsigned count = 0;

  const Interval* begin() const { return at.data(); }
  const Interval* end() const { return at.data() + count; }
};

class SegmentHeaders {
 public:
  explicit SegmentHeaders(std::uint32_t initial_seq, TimestampClock clock = {})
      : initial_seq_(initial_seq), clock_(clock) {}

  void agree(bool timestamps, bool scaled) {
    timestamps_ = timestamps;
    scaled_ = scaled;
  }
  // RCV.NXT, for good: the peer sends no data.
  void expect(std::uint32_t peer_next) { peer_next_ = peer_next; }
  void echo(std::uint32_t ts_val, std::uint64_t now_ns) { ts_recent_.set(ts_val, now_ns); }
  void take_timestamp(const Segment& ack, std::uint64_t now_ns) {
    if (has_timestamp(ack)) ts_recent_.take(ack.ts_val, now_ns);
  }

  std::uint32_t initial_seq() const { return initial_seq_; }
  // A receiver cannot guess it.
  std::uint32_t secret() const {
    return initial_seq_ * static_cast<std::uint32_t>(PST_GOLDEN_Q32) ^ initial_seq_ >> 16;
  }
  TimestampClock clock() const { return clock_; }
  std::uint32_t peer_next() const { return peer_next_; }
  std::uint32_t ts_recent() const { return ts_recent_.value(); }
  bool timestamps() const { return timestamps_; }
  // A peer may leave out what was agreed on, RFC 7323 section 3.2.
  bool has_timestamp(const Segment& s) const { return timestamps_ && (s.options & kTimestamps); }
  bool has_newer_timestamp(const Segment& s) const {
    return has_timestamp(s) && s.ts_val != ts_recent() && not_older(s.ts_val, ts_recent());
  }
  bool scaled() const { return scaled_; }

  std::uint64_t offset(std::uint32_t seq, std::uint64_t near) const {
    return unwrap(seq, initial_seq_, near);
  }
  bool acknowledges_syn(const Segment& s) const { return s.ack == wrap(1, initial_seq_); }
  // What an ACK reports between `from` and `to`.
  SackBlocks blocks(const Segment& ack, std::uint64_t from, std::uint64_t to,
                    std::uint64_t near) const {
    PST_REQUIRE(from <= to);
    SackBlocks found;
    for (unsigned i = 0; i < (ack.options & kSackCountMask); ++i) {
      const std::uint64_t start = std::max(offset(ack.sack[i].start, near), from);
      const std::uint64_t end = offset(ack.sack[i].end, near);
      if (start < end && end <= to) found.at[found.count++] = {start, end};
    }
    PST_ENSURE(found.count <= (ack.options & kSackCountMask));
    return found;
  }
  // The end of the duplicate that the ACK reports, 0 for none: a first block that is acknowledged
  // already, or lies within the second (RFC 2883 section 4).
  std::uint64_t duplicate_end(const Segment& ack, std::uint64_t una) const {
    const unsigned blocks = ack.options & kSackCountMask;
    PST_REQUIRE(blocks <= 3 && !(ack.flags & kSyn));
    if (blocks == 0) return 0;
    const std::uint64_t end = offset(ack.sack[0].end, una);
    if (end <= una) return end;
    const SackBlock& first = ack.sack[0];
    const SackBlock& second = ack.sack[1];
    const bool within = blocks > 1 && first.start - second.start <= second.end - second.start &&
                        second.end - first.end <= second.end - second.start;
    return within ? end : 0;
  }
  // Since the segment left whose timestamp `ack` echoes.
  std::uint64_t echoed_rtt_ns(const Segment& ack, std::uint64_t now_ns) const {
    return clock_.since_ns(ack.ts_ecr, now_ns);
  }
  Segment make(std::uint64_t offset, std::uint64_t now_ns) const {
    Segment s{};
    s.seq = wrap(offset, initial_seq_);
    s.ack = peer_next_;
    s.flags = kAck;
    s.window = scaled_ ? kScaledWindow : kPlainWindow;
    if (timestamps_) {
      s.options = kTimestamps;
      s.ts_val = clock_.at(now_ns);
      s.ts_ecr = ts_recent_.value();
    }
    return s;
  }

 private:
  // 64 kB, as Linux advertises for a connection that receives no data.
  static constexpr std::uint16_t kScaledWindow = 502;
  static constexpr std::uint16_t kPlainWindow = 64240;

  std::uint32_t initial_seq_;
  TimestampClock clock_;
  std::uint32_t peer_next_ = 0;
  RecentTimestamp ts_recent_;
  bool timestamps_ = false;
  bool scaled_ = false;
};

} // namespace penstock::tcp
