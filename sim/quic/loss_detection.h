// SPDX-License-Identifier: GPL-2.0-only
// Which packets arrived and which are lost, by packet number and by time, and the probe timeout:
// RFC 9002 section 6 and its appendix A. Owns the packets in flight and the round-trip time. Is
// told of packets that leave, of ACK frames and of timers. Answers what an event has shown.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/quic/rtt.h"
#include "sim/quic/sent_packets.h"

namespace penstock::quic {

struct AckFrame;

class LossDetection {
 public:
  // `initial_pto_ns`: before the first round trip.
  explicit LossDetection(std::uint64_t initial_pto_ns) : initial_pto_ns_(initial_pto_ns) {}

  SentPackets& packets() { return packets_; }
  const SentPackets& packets() const { return packets_; }
  const Rtt& rtt() const { return rtt_; }

  // The handshake is over: its packets count no more.
  void begin(std::uint64_t max_ack_delay_ns);

  // An ACK: what it newly acknowledges, the round trip if it shows one, and what it shows to be
  // lost. False if it tells nothing.
  bool take_ack(const AckFrame& frame, std::uint64_t now_ns);
  const std::vector<SentPacket>& acked() const { return acked_; }
  std::uint64_t sample_ns() const { return sample_ns_; }  // 0: none
  // At or after loss_at_ns().
  void look_again(std::uint64_t now_ns);
  // The last event's, in the order of their numbers, and whether they show persistent congestion.
  const std::vector<SentPacket>& lost() const { return lost_; }
  bool persistent() const { return persistent_; }

  std::uint64_t loss_at_ns() const { return loss_at_ns_; }  // kNever if none is due
  std::uint64_t pto_at_ns() const;                          // likewise
  void on_pto() {
    if (pto_count_ < kMostBackoff) ++pto_count_;
  }

 private:
  static constexpr std::uint64_t kPersistentThreshold = 3;
  static constexpr std::uint8_t kMostBackoff = 20;

  std::uint64_t pto_ns() const {
    return rtt_.known() ? rtt_.pto_ns(max_ack_delay_ns_) : initial_pto_ns_;
  }
  void take_rtt(const AckFrame& frame, std::uint64_t now_ns);

  SentPackets packets_;
  Rtt rtt_;
  std::vector<SentPacket> acked_;
  std::vector<SentPacket> lost_;
  std::uint64_t initial_pto_ns_;
  std::uint64_t max_ack_delay_ns_ = 0;
  std::uint64_t first_sample_ns_ = 0;
  std::uint64_t sample_ns_ = 0;
  std::uint64_t largest_acked_ = 0;
  std::uint64_t loss_at_ns_ = tcp::kNever;
  std::uint8_t pto_count_ = 0;
  bool persistent_ = false;
};

}  // namespace penstock::quic
