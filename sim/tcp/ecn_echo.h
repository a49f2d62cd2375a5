// SPDX-License-Identifier: GPL-2.0-only
// The receiver's part of ECN: RFC 3168 section 6.1.3. Owns whether ACKs echo congestion; is told of
// arriving segments.
#pragma once

#include "sim/tcp/segment.h"

namespace penstock::tcp {

class EcnEcho {
 public:
  void agree(bool used) { used_ = used; }
  // True if the segment was marked.
  bool take(const Segment& s) {
    if (!used_) return false;
    if (s.flags & kCwr) echoes_ = false;
    if (s.ecn != kCe) return false;
    echoes_ = true;
    return true;
  }
  bool echoes() const { return echoes_; }  // ECE on every ACK until CWR

 private:
  bool used_ = false;
  bool echoes_ = false;
};

}  // namespace penstock::tcp
