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

} // namespace

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
  if (config_->ecn) s.flags |= kEce | kCwr;
  s.ecn = codepoint();
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
  if (ecn_) s.flags |= kEce;
  s.ecn = codepoint();
  s.window = kOwnWindow;
  return s;
}

// Of a SYN: RFC 8257 section 3.5; others send it Not-ECT, RFC 3168 section 6.1.1.
Ecn Handshake::codepoint() const {
  if (!config_->ecn || !pst_sender_hears_marks(config_->method)) return kNotEct;
  return config_->ect1 ? kEct1 : kEct0;
}

bool Handshake::on_peer_syn() {
  const bool first = !answers_;
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
  ecn_ = config_->ecn && asks_for_ecn(s);
  if (scaled) peer_scale_ = std::min<std::uint8_t>(s.syn.scale, 14);
  if (s.options & kMss) {
    const std::uint32_t peer = std::max<std::uint32_t>(s.syn.mss_bytes, kLeastMssBytes);
    mss_bytes_ = std::min(mss_bytes_, peer - (timestamps ? PST_TIMESTAMPS_BYTES : 0U));
  }
  PST_ENSURE(mss_bytes_ > 0);
  PST_ENSURE(peer_scale_ <= 14 && (scaled || peer_scale_ == 0));
  PST_ENSURE(mss_bytes_ <= config_->mss_bytes + (timestamps ? 0U : PST_TIMESTAMPS_BYTES));
}

} // namespace penstock::tcp
