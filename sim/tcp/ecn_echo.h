// SPDX-License-Identifier: GPL-2.0-only
// The receiver's part of ECN: RFC 3168 section 6.1.3, or, exactly, RFC 8257 sections 3.2 and 3.5,
// or with counters, RFC 9768. Owns whether ACKs echo congestion, and their codepoint; is told of
// arriving segments.
#pragma once

#include <memory>

#include "core/base.h"
#include "sim/tcp/accecn.h"

namespace penstock::tcp {

class EcnEcho {
 public:
  void agree(bool used, bool exact = false) {
    used_ = used;
    exact_ = exact;
    codepoint_ = used && exact ? kEct0 : kNotEct;
  }
  // Both ends count, as the SYN-ACK or the ACK of it says; ACKs are ECN-capable, as Linux has it.
  void count(const EcnNegotiation& ecn, const Segment& s) {
    const bool syn = s.flags & kSyn;
    accurate_ = std::make_unique<AccEcnEcho>(syn && ecn.capable() && s.ecn == kCe);
    if (has_accecn(s)) accurate_->see_option();
    if (!ecn.capable())
      codepoint_ = kNotEct;
    else if (!exact_)
      codepoint_ = kEct0;
  }
  bool used() const { return used_; }
  AccEcnEcho* accurate() const { return accurate_.get(); }
  // Of an exact receiver's segments: as that of the peer's last one that no router has marked.
  Ecn codepoint() const { return codepoint_; }
  void take_codepoint(const Segment& s) {
    if (exact_ && codepoint_ != kNotEct && (s.ecn == kEct0 || s.ecn == kEct1))
      codepoint_ = Ecn{s.ecn};
  }
  // Exactly: what is still to be acknowledged has another mark than this segment, and so needs an
  // ACK of its own.
  bool turns(const Segment& s) const {
    return exact_ && !accurate_ && s.payload_bytes > 0 && echoes_ != (s.ecn == kCe);
  }
  // True if the segment was marked.
  bool take(const Segment& s) {
    if (!used_) return false;
    take_codepoint(s);
    const bool marked = s.ecn == kCe;
    if (!exact_) {
      if (s.flags & kCwr) echoes_ = false;
      if (marked) echoes_ = true;
    } else if (s.payload_bytes > 0) {
      echoes_ = marked;
    }
    PST_ENSURE(used_ && (echoes_ || !marked || s.payload_bytes == 0));
    return marked;
  }
  bool echoes() const { return echoes_; }  // ECE on every ACK until CWR; or of what it covers

 private:
  std::unique_ptr<AccEcnEcho> accurate_;
  bool used_ = false;
  bool exact_ = false;
  bool echoes_ = false;
  Ecn codepoint_ = kNotEct;
};

}  // namespace penstock::tcp
