// SPDX-License-Identifier: GPL-2.0-only
// The sender's part of ECN: RFC 3168 sections 6.1.2 and 6.1.5; RFC 8257 section 3.5 and RFC 9331
// section 4.1 for scalable senders. Owns whether ECN is used, and up to where a reaction to
// congestion reaches. Is told of reductions and of what leaves.
// Answers which ACKs echo congestion, and whether a reaction to them covers it already.
#pragma once

#include <cstdint>

#include "core/base.h"
#include "sim/tcp/segment.h"

namespace penstock::tcp {

class EcnResponse {
 public:
  // `scalable`: all that is sent is ECN-capable, not only new data.
  void agree(bool used, Ecn codepoint = kEct0, bool scalable = false) {
    used_ = used;
    codepoint_ = codepoint;
    scalable_ = used && scalable;
  }
  bool used() const { return used_; }
  bool echoed(const Segment& ack) const { return used_ && (ack.flags & kEce); }

  // One reduction per window of data: what lies below `until_` was in flight at the last echo.
  bool covers(std::uint64_t offset) const { return offset < until_; }
  void on_echo(std::uint64_t sent_end) {
    PST_REQUIRE(used_ && sent_end + 1 >= until_);
    until_ = sent_end + 1;
  }
  void on_reduction() { cwr_due_ = used_; }

  // A retransmission, or a segment without data.
  void mark_again(Segment& s) const {
    if (scalable_) s.ecn = codepoint_;
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
  bool used_ = false;
  bool scalable_ = false;
  Ecn codepoint_ = kEct0;
  bool cwr_due_ = false;  // CWR goes on the next new segment
};

}  // namespace penstock::tcp
