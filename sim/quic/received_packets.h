// SPDX-License-Identifier: GPL-2.0-only
// The packets that a receiver has, and when it acknowledges them: RFC 9000 sections 13.2 and 19.3.
// Owns the ranges of their numbers, of which the lowest are forgotten beyond a limit. Is told of
// packets and of ACKs that leave. Answers whether a packet is new, and when an ACK is due. Counts
// their ECN codepoints, section 13.4.1.
#pragma once

#include <cstdint>

#include "sim/quic/packet.h"
#include "sim/tcp/config.h"
#include "sim/tcp/intervals.h"

namespace penstock::quic {

class ReceivedPackets {
 public:
  explicit ReceivedPackets(const tcp::ReceiverConfig& config) : config_(&config) {}

  // False for one that has come before, or that lies among forgotten ranges.
  bool add(std::uint64_t number, std::uint64_t now_ns, std::uint8_t ecn = tcp::kNotEct);
  std::uint64_t next() const { return ranges_.empty() ? 0 : ranges_.back().end; }

  std::uint64_t ack_at_ns() const { return ack_at_ns_; }  // kNever if none is due
  // The ACK leaves; only if there are any.
  tcp::Segment acknowledge(std::uint64_t number, std::uint64_t now_ns);

 private:
  static constexpr std::size_t kMostKept = 32;

  const tcp::ReceiverConfig* config_;
  tcp::IntervalSet ranges_;
  std::uint64_t floor_ = 0;  // all below is forgotten
  std::uint64_t largest_ns_ = 0;  // when the largest came
  std::uint64_t ack_at_ns_ = tcp::kNever;
  std::uint32_t unacknowledged_ = 0;
  EcnCounts counts_{};
};

}  // namespace penstock::quic
