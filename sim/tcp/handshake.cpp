// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/handshake.h"

#include <algorithm>

#include "core/base.h"
#include "sim/tcp/syn.h"

namespace penstock::tcp {
namespace {

// The sender's own receive window does not matter, as it receives no data. It
// advertises the default of Linux, 64 kB with a scale for up to 6 MB.
constexpr std::uint8_t kOwnScale = 7;
constexpr std::uint16_t kOwnWindow = 64240;
// What a peer may ask for, options included: Linux' tcp_min_snd_mss.
constexpr std::uint32_t kLeastMssBytes = 48;

// Of a SYN: RFC 8257 section 3.5; others send it Not-ECT, RFC 3168 section 6.1.1.
Ecn codepoint_of_syn(const SenderConfig& config) {
  const bool ecn = config.ecn || config.accecn;
  if (!ecn || !pst_sender_hears_marks(config.method)) return kNotEct;
  return config.ect1 ? kEct1 : kEct0;
}

} // namespace

Handshake::Handshake(const SenderConfig& config)
    : config_(&config),
      ecn_(config.ecn, config.accecn, config.accecn_option, codepoint_of_syn(config)),
      mss_bytes_(config.mss_bytes) {}

Segment Handshake::syn(const SegmentHeaders& headers, std::uint64_t now_ns) const {
  if (answers_) return answer(headers, now_ns);
  Segment s = make_syn({.seq = headers.initial_seq(),
                        .mss_bytes = config_->mss_bytes,
                        .scale = kOwnScale,
                        .timestamps = config_->timestamps,
                        .sack = offers_sack(),
                        .scaled = config_->window_scale},
                       headers.clock(), now_ns);
  PST_REQUIRE(!established_);
  ecn_.ask(s);
  s.ecn = codepoint_of_syn(*config_);
  s.window = kOwnWindow;
  return s;
}

Segment Handshake::answer(const SegmentHeaders& headers, std::uint64_t now_ns) const {
  PST_REQUIRE(answers_);
  Segment s = make_syn({.seq = headers.initial_seq(),
                        .mss_bytes = config_->mss_bytes,
                        .scale = kOwnScale,
                        .timestamps = headers.timestamps(),
                        .sack = sack_,
                        .scaled = headers.scaled()},
                       headers.clock(), now_ns);
  answer_syn(s, headers.peer_next(), headers.ts_recent());
  ecn_.answer(s);
  s.ecn = codepoint_of_syn(*config_);
  s.window = kOwnWindow;
  return s;
}

bool Handshake::on_peer_syn(const Segment& s) {
  const bool first = !answers_;
  ecn_.hear_syn(s);
  answers_ = true;
  if (!first) resent_ = true;
  return first;
}

// A recovery that ends at one ACK cannot use SACK.
bool Handshake::offers_sack() const {
  return config_->sack && !pst_sender_recovers_one(config_->method);
}

void Handshake::agree_on_options(const Segment& s, SegmentHeaders& headers) {
  PST_REQUIRE(s.flags & kSyn);
  PST_REQUIRE(!established_);
  bool timestamps = config_->timestamps;
  if (timestamps && !(s.options & kTimestamps)) {
    timestamps = false;
    mss_bytes_ += PST_TIMESTAMPS_BYTES; // a segment has their room, RFC 6691
  }
  const bool scaled = config_->window_scale && (s.options & kWindowScale);
  headers.agree(timestamps, scaled);
  sack_ = offers_sack() && (s.options & kSackPermitted);
  if (s.flags & kAck) ecn_.hear_syn_ack(s);
  if (scaled) peer_scale_ = std::min<std::uint8_t>(s.syn.scale, 14);
  if (s.options & kMss) {
    const std::uint32_t peer = std::max<std::uint32_t>(s.syn.mss_bytes, kLeastMssBytes);
    mss_bytes_ = std::min(mss_bytes_, peer - (timestamps ? PST_TIMESTAMPS_BYTES : 0U));
  }
  PST_ENSURE(mss_bytes_ > 0);
  PST_ENSURE(peer_scale_ <= 14 && (scaled || peer_scale_ == 0));
  PST_ENSURE(mss_bytes_ <= config_->mss_bytes + (timestamps ? 0U : PST_TIMESTAMPS_BYTES));
}

void Handshake::establish(const Segment& s) {
  PST_REQUIRE(!established_);
  established_ = true;
  if (!ecn_.accurate() || !config_->accecn_option || !has_accecn(s)) return;
  const std::uint32_t bytes = accecn_bytes(kAccEcnCounters);
  if (mss_bytes_ <= 2 * bytes) return;
  reserved_bytes_ = static_cast<std::uint8_t>(bytes);
  mss_bytes_ -= bytes;
}

} // namespace penstock::tcp
