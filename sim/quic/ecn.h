// SPDX-License-Identifier: GPL-2.0-only
// Whether the path takes ECN, and what it marked: RFC 9000 section 13.4.2 and its appendix A.4.
// Owns the state of the validation and the counts that the peer reported. Is told of packets that
// leave with a codepoint, of ACK frames and of losses. Answers the codepoint of the next packet,
// and how much an ACK newly shows to be marked.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/quic/packet.h"
#include "sim/quic/sent_packets.h"

namespace penstock::quic {

class EcnValidation {
 public:
  // `wanted`: kNotEct if ECN is not to be used.
  explicit EcnValidation(tcp::Ecn wanted) : wanted_(wanted) {
    if (wanted == tcp::kNotEct) state_ = State::kFailed;
  }

  enum class State : std::uint8_t { kTesting, kUnknown, kCapable, kFailed };
  State state() const { return state_; }

  tcp::Ecn codepoint() const {
    return state_ == State::kTesting || state_ == State::kCapable ? wanted_ : tcp::kNotEct;
  }
  void on_sent();  // a packet with codepoint(), which is not kNotEct
  void on_lost(const SentPacket& packet);
  // An ACK that newly acknowledges `acked`: of their bytes the part of packets that is newly
  // marked.
  std::uint64_t on_ack(const AckFrame& frame, const std::vector<SentPacket>& acked);

 private:
  static constexpr std::uint64_t kTestPackets = 10;

  bool holds(const EcnCounts& counts, std::uint64_t newly_acked) const;

  tcp::Ecn wanted_;
  State state_ = State::kTesting;
  std::uint64_t sent_ = 0;  // with the codepoint
  std::uint64_t lost_ = 0;  // of these, while it is not known
  std::uint64_t largest_acked_ = 0;
  EcnCounts counts_{};
};

}  // namespace penstock::quic
