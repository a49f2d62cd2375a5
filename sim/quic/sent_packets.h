// SPDX-License-Identifier: GPL-2.0-only
// The packets in flight by their numbers, and which of them are lost: RFC 9002 sections 6.1 and
// 7.6. Owns what each carried and when it left. Is told of packets that leave and of ranges that an
// ACK acknowledges. Answers what is newly acknowledged and newly lost.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/base.h"
#include "sim/tcp/config.h"
#include "sim/tcp/intervals.h"

namespace penstock::quic {

struct SentPacket {
  std::uint64_t number;
  std::uint64_t sent_ns;
  std::uint64_t position;  // bytes of all packets before it
  tcp::Interval stream;  // that it carried; a FIN is one byte more
  std::uint32_t bytes;
  bool ect;  // it left ECN-capable
  enum State : std::uint8_t { kOutstanding, kAcked, kLost } state;
};

class SentPackets {
 public:
  std::uint64_t next() const { return first_ + packets_.size(); }  // number of the next one
  void add(tcp::Interval stream, std::uint32_t bytes, std::uint64_t now_ns, bool ect = false);
  void discard();  // all, as the handshake is over

  bool any() const { return in_flight_bytes_ > 0; }
  std::uint64_t in_flight_bytes() const { return in_flight_bytes_; }
  std::uint64_t last_sent_ns() const { return last_sent_ns_; }
  const SentPacket& oldest() const {
    PST_REQUIRE(any());
    return packets_.front();
  }  // only with any()
  // As bytes of all packets ever sent: the end, and the first that is outstanding.
  std::uint64_t position() const { return position_; }
  std::uint64_t una_position() const { return any() ? packets_.front().position : position_; }

  // Appends to `newly` those in `range` that were outstanding.
  void acknowledge(tcp::Interval range, std::vector<SentPacket>& newly);
  // Section 6.1, up to `largest_acked`: appends to `lost`. Returns when to look again, kNever if
  // all is decided.
  std::uint64_t detect(std::uint64_t largest_acked, std::uint64_t loss_delay_ns,
                       std::uint64_t now_ns, std::vector<SentPacket>& lost);
  // Section 7.6.2: the longest time between two of `lost`, in their order, with nothing
  // acknowledged between them; only of packets sent after `from_ns`. Before settle().
  std::uint64_t lost_period_ns(const std::vector<SentPacket>& lost, std::uint64_t from_ns) const;
  void settle();  // forgets what is decided, up to the first that is outstanding

 private:
  // At both ends of each event: what is in flight is a part of what is remembered.
  bool is_sound() const {
    return in_flight_bytes_ <=
           position_ - (packets_.empty() ? position_ : packets_.front().position);
  }

  static constexpr std::uint64_t kPacketThreshold = 3;

  std::deque<SentPacket> packets_;
  std::uint64_t first_ = 0;  // number of packets_.front()
  std::uint64_t position_ = 0;
  std::uint64_t in_flight_bytes_ = 0;
  std::uint64_t last_sent_ns_ = 0;
};

}  // namespace penstock::quic
