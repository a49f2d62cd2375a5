// SPDX-License-Identifier: GPL-2.0-only
// The opening of a connection at its sender: RFC 9293 section 3.5, with the
// options of RFC 7323 section 2, RFC 2018 section 2, RFC 6691
// and RFC 9768. Owns how far
// the opening is, and what both ends agreed on. Is told of SYNs that arrive and
// of those that are lost. Answers the SYN or the SYN-ACK to send, and the
// agreement.
#pragma once

#include "sim/tcp/accecn.h"
#include "sim/tcp/config.h"
#include "sim/tcp/segment_headers.h"

namespace penstock::tcp {

class Handshake {
 public:
  explicit Handshake(const SenderConfig& config);

  // Our SYN or, if the receiver opened, our answer to its.
  Segment syn(const SegmentHeaders& headers, std::uint64_t now_ns) const;
  // The receiver opens. True at its first SYN: if it is repeated, our answer
  // was lost, or is late.
  bool on_peer_syn(const Segment& s);
  void on_loss() {
    resent_ = true;
    ecn_.on_loss();
  }
  // The options of the peer's SYN or SYN-ACK, with ours.
  void agree_on_options(const Segment& s, SegmentHeaders& headers);
  // `s`: the SYN-ACK, or the ACK of ours, after which data has room for an option that both send.
  void establish(const Segment& s);

  bool answers() const { return answers_; } // the receiver has sent the first SYN
  bool resent() const { return resent_; }
  bool established() const { return established_; }

  std::uint32_t mss_bytes() const { return mss_bytes_; }
  std::uint8_t peer_scale() const { return peer_scale_; }
  bool sack() const { return sack_; }
  EcnNegotiation& ecn() { return ecn_; }
  // What a segment with so much data leaves of the path's.
  std::uint32_t room_bytes(std::uint32_t payload_bytes) const {
    return mss_bytes_ + reserved_bytes_ - payload_bytes;
  }

 private:
  bool offers_sack() const;
  Segment answer(const SegmentHeaders& headers, std::uint64_t now_ns) const;

  const SenderConfig* config_;
  EcnNegotiation ecn_;
  std::uint32_t mss_bytes_;
  std::uint8_t reserved_bytes_ = 0;  // of a segment, for an option of each
  std::uint8_t peer_scale_ = 0;
  bool answers_ = false;
  bool resent_ = false;
  bool established_ = false;
  bool sack_ = false;
};

} // namespace penstock::tcp
