// SPDX-License-Identifier: GPL-2.0-only
// The opening of a connection at its receiver: RFC 9293 section 3.5, with the options of RFC 7323
// section 2, RFC 2018 section 2 and RFC 9768. Owns how far the opening is, and what both ends
// agreed on. Is told of the sender's SYN and of SYNs that are lost. Answers the SYN or the SYN-ACK
// to send, and the agreement.
#pragma once

#include <cstdint>

#include "sim/tcp/accecn.h"
#include "sim/tcp/config.h"

namespace penstock::tcp {

class ReceiverHandshake {
 public:
  ReceiverHandshake(const ReceiverConfig& config, std::uint32_t initial_seq)
      : config_(&config),
        initial_seq_(initial_seq),
        ecn_(config.ecn, config.accecn, config.accecn_option, codepoint_of_syn(config)) {}

  void agree_on_options(const Segment& s);
  void establish() {
    PST_REQUIRE(syn_seen_);
    established_ = true;
  }
  void on_loss() {
    if (backoff_ < kMostBackoff) ++backoff_;
    ecn_.on_loss();
  }

  Segment syn(std::uint8_t scale, std::uint64_t now_ns) const;
  Segment syn_ack(std::uint8_t scale, std::uint32_t ts_recent, std::uint64_t now_ns) const;
  bool repeats() const { return config_->opens || config_->repeat_syn_ack; }
  bool resent() const { return backoff_ > 0; }
  std::uint64_t timeout_ns() const { return config_->initial_rto_ns << backoff_; }

  bool syn_seen() const { return syn_seen_; }
  bool established() const { return established_; }
  std::uint32_t next_seq() const { return initial_seq_ + 1; }  // no data of ours follows
  std::uint32_t peer_initial_seq() const { return peer_initial_seq_; }
  bool sack() const { return sack_; }
  bool timestamps() const { return timestamps_; }
  // A peer may leave out what was agreed on, RFC 7323 section 3.2.
  bool has_timestamp(const Segment& s) const { return timestamps_ && (s.options & kTimestamps); }
  bool scaled() const { return scaled_; }
  EcnNegotiation& ecn() { return ecn_; }
  const EcnNegotiation& ecn() const { return ecn_; }

 private:
  static constexpr std::uint8_t kMostBackoff = 6;

  // RFC 8257 section 3.5.
  static Ecn codepoint_of_syn(const ReceiverConfig& config) {
    return (config.ecn || config.accecn) && config.exact_ecn ? kEct0 : kNotEct;
  }

  const ReceiverConfig* config_;
  std::uint32_t initial_seq_;
  std::uint32_t peer_initial_seq_ = 0;
  EcnNegotiation ecn_;
  std::uint8_t backoff_ = 0;
  bool syn_seen_ = false;
  bool established_ = false;
  bool sack_ = false;
  bool timestamps_ = false;
  bool scaled_ = false;
};

}  // namespace penstock::tcp
