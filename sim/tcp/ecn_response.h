// SPDX-License-Identifier: GPL-2.0-only
// The sender's part of ECN: RFC 3168 sections 6.1.2 and 6.1.5; RFC 8257 section 3.5 and RFC 9331
// section 4.1 for scalable senders, RFC 9768 section 3.2 with its counters. Owns whether ECN is
// used, and up to where a reaction to congestion reaches. Is told of reductions and of what leaves.
// Answers which ACKs echo congestion, and whether a reaction to them covers it already.
#pragma once

#include <cstdint>
#include <utility>

#include "core/base.h"
#include "sim/tcp/accecn.h"

namespace penstock::tcp {

class EcnResponse {
 public:
  // `scalable`: all that is sent is ECN-capable, not only new data; with accurate ECN too, as
  // Linux has it.
  void agree(EcnMode mode, Ecn codepoint = kEct0, bool scalable = false) {
    used_ = mode != EcnMode::kNone;
    accurate_ = mode == EcnMode::kAccurate;
    codepoint_ = codepoint;
    all_ = used_ && (scalable || accurate_);
  }
  void stop() { codepoint_ = kNotEct; }  // what is sent would pass a middlebox that clears feedback
  bool used() const { return used_; }
  // With counters: how many of the bytes that this ACK delivers were marked.
  struct Share {
    std::uint64_t marked_bytes;
    std::uint64_t delivered_bytes;
  };
  void hear(Share share) {
    PST_REQUIRE(accurate_ && share.marked_bytes <= share.delivered_bytes);
    share_ = share;
    counted_ = share.marked_bytes > 0;
  }
  Share take_share() { return std::exchange(share_, {}); }  // once for each ACK
  bool echoed(const Segment& ack) const {
    return used_ && (accurate_ ? counted_ : (ack.flags & kEce) != 0);
  }

  // One reduction per window of data: what lies below `until_` was in flight at the last echo.
  bool covers(std::uint64_t offset) const { return offset < until_; }
  void on_echo(std::uint64_t sent_end) {
    PST_REQUIRE(used_ && sent_end + 1 >= until_);
    until_ = sent_end + 1;
  }
  void on_reduction() { cwr_due_ = used_ && !accurate_; }

  // A retransmission, or a segment without data.
  void mark_again(Segment& s) const {
    if (all_) s.ecn = codepoint_;
  }
  // New data is ECN-capable; the first of it after a reduction says so.
  void mark(Segment& data) {
    if (!used_) return;
    PST_REQUIRE(data.payload_bytes > 0 && !(data.flags & kSyn));  // RFC 3168 section 6.1.1
    data.ecn = codepoint_;
    if (cwr_due_) data.flags |= kCwr;
    cwr_due_ = false;
  }

 private:
  std::uint64_t until_ = 0;
  Share share_{};
  bool counted_ = false;
  bool used_ = false;
  bool accurate_ = false;
  bool all_ = false;
  Ecn codepoint_ = kEct0;
  bool cwr_due_ = false;  // CWR goes on the next new segment
};

}  // namespace penstock::tcp
