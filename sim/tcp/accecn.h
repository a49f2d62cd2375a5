// SPDX-License-Identifier: GPL-2.0-only
// Accurate ECN, RFC 9768: what the counters of both ends say of the packets and bytes that arrived
// marked. EcnNegotiation owns which feedback both ends agreed on (section 3.1), AccEcnEcho the
// counters of what arrives (section 3.2), and AccEcnFeedback what the peer's counters have said.
#pragma once

#include <array>
#include <cstdint>

#include "core/base.h"
#include "sim/tcp/segment.h"

namespace penstock::tcp {

enum class EcnMode : std::uint8_t { kNone, kClassic, kAccurate };

// The ACE field: AE, CWR and ECE as one number, section 3.2.2.
inline constexpr std::uint8_t kAceFlags = kAe | kCwr | kEce;
constexpr unsigned ace_of(const Segment& s) {
  return (s.flags & kAe ? 4U : 0U) + (s.flags & kCwr ? 2U : 0U) + (s.flags & kEce ? 1U : 0U);
}
constexpr void set_ace(Segment& s, unsigned ace) {
  s.flags = static_cast<std::uint8_t>(s.flags & ~kAceFlags);
  if (ace & 4) s.flags |= kAe;
  if (ace & 2) s.flags |= kCwr;
  if (ace & 1) s.flags |= kEce;
}
// Tables 2 and 3: the ACE field that says with which codepoint a SYN or a SYN-ACK arrived.
constexpr unsigned ace_of_handshake(Ecn arrived) {
  constexpr std::array<unsigned, 4> kByCodepoint{0b010, 0b011, 0b100, 0b110};
  return kByCodepoint[arrived & 3];
}

class EcnNegotiation {
 public:
  // `sent`: the codepoint of our own SYN or SYN-ACK. `option`: the option may be sent.
  EcnNegotiation(bool ecn, bool accurate, bool option, Ecn sent)
      : ecn_(ecn || accurate), accurate_(accurate), option_(option), sent_(sent) {}

  void ask(Segment& syn) const;  // of our SYN
  void answer(Segment& syn_ack) const;
  std::uint8_t losses() const { return losses_; }
  void on_loss() {  // of our SYN or SYN-ACK
    if (losses_ < kMostLosses) ++losses_;
  }
  void hear_syn(const Segment& s);  // each of the peer's
  void hear_syn_ack(const Segment& s);
  // The first segment after our SYN-ACK, section 3.2.2.1. True if it says that the SYN-ACK was
  // marked.
  bool hear_third_ack(const Segment& s);
  // The first feedback on what we sent: a field of zeros has passed a middlebox that clears it,
  // section 3.2.2.4.
  void hear_feedback(const Segment& s) {
    if (!feedback_heard_ && ace_of(s) == 0) capable_ = false;
    feedback_heard_ = true;
  }

  EcnMode mode() const { return mode_; }
  bool accurate() const { return mode_ == EcnMode::kAccurate; }
  bool capable() const { return capable_; }  // what we send may be ECN-capable
  Ecn peer_codepoint() const { return peer_; }  // of the peer's last SYN, as it arrived

 private:
  static constexpr std::uint8_t kMostLosses = 200;
  static constexpr std::uint8_t kLossesToFallBack = 2;  // section 3.1.4

  // Whether what we sent can have arrived so: no router makes a packet ECN-capable, or clears that.
  bool is_possible(Ecn reported) const { return (sent_ == kNotEct) == (reported == kNotEct); }

  bool ecn_;
  bool accurate_;
  bool option_;
  bool capable_ = true;
  bool feedback_heard_ = false;
  Ecn sent_;
  Ecn peer_ = kNotEct;
  EcnMode mode_ = EcnMode::kNone;
  std::uint8_t losses_ = 0;
  std::uint8_t syns_ = 0;  // heard
};

// The byte counters of the option, in the order of Ecn; the first is none. They begin at 1, so that
// zeros show a middlebox that clears them, but that of CE at 0: section 3.2.1.
using EcnBytes = std::array<std::uint32_t, 4>;
inline constexpr EcnBytes kFirstEcnBytes{0, 1, 1, 0};

class AccEcnEcho {
 public:
  // `marked`: the SYN-ACK was.
  explicit AccEcnEcho(bool marked) : ce_packets_(marked ? 1U : 0U) {}

  void see_option() { peer_sends_ = true; }  // of the peer's SYN-ACK, or any
  // A segment after the SYNs. True if it asks for an ACK at once: a mark after none, or the second
  // since the last ACK, section 3.2.2.5.1.
  bool take(const Segment& s);
  // The ACE field; and the option, if the peer sends one too and there is room for what has
  // changed: `room_bytes` of the segment, and two SACK blocks. TCP's header has room for a third
  // without timestamps, which Segment lacks.
  void give(Segment& s, bool option, std::uint32_t room_bytes = kMostBytes);

  std::uint32_t ce_packets() const { return ce_packets_; }

 private:
  static constexpr std::uint32_t kMostBytes = 40;  // of all options
  static constexpr std::uint8_t kMostPending = 2;

  std::uint32_t ce_packets_;
  EcnBytes bytes_ = kFirstEcnBytes;
  Ecn last_ = kNotEct;  // of the data before
  std::uint8_t pending_ = 0;  // marks since the last ACK
  std::uint8_t required_ = 0;  // counters that reach to the last changed one
  bool peer_sends_ = false;  // the option
};

class AccEcnFeedback {
 public:
  // `marked`: our SYN-ACK was.
  explicit AccEcnFeedback(bool marked) : ce_packets_(marked ? 1U : 0U) {}

  // An ACK that reports `delivered` bytes for the first time, in segments of at most `mss_bytes`.
  // Returns how many of these bytes were marked.
  std::uint64_t take(const Segment& ack, std::uint64_t delivered, std::uint32_t mss_bytes);

  std::uint64_t ce_packets() const { return ce_packets_; }
  std::uint64_t bytes(Ecn codepoint) const { return bytes_[codepoint]; }

 private:
  std::uint64_t new_marks(unsigned ace, std::uint64_t segments, bool sure, std::uint64_t ce_bytes,
                          std::uint32_t mss_bytes) const;
  bool take_option(Segment ack);

  std::uint64_t ce_packets_;
  std::array<std::uint64_t, 4> bytes_{};
  std::uint32_t segments_an_ack_q6_ = 0;  // on average
};

// Of one end, once both agreed on it.
struct AccEcn {
  // `syn_marked`: the peer's SYN-ACK was; `marked`: ours.
  AccEcn(bool syn_marked, bool marked) : echo(syn_marked), feedback(marked) {}

  AccEcnEcho echo;
  AccEcnFeedback feedback;
};

}  // namespace penstock::tcp
