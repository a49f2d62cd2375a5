// SPDX-License-Identifier: GPL-2.0-only
// The peer's receive window: RFC 9293 sections 3.8.6 and 3.10.7.4. Owns what the peer has granted;
// is told of its SYN and of each ACK; answers how many bytes beyond the acknowledged ones may be
// in flight.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base.h"
#include "sim/tcp/segment.h"
#include "sim/tcp/seq.h"

namespace penstock::tcp {

class PeerWindow {
 public:
  // The segment that ends the handshake. The window of a SYN is not scaled.
  void open(const Segment& s, std::uint8_t scale) {
    PST_REQUIRE(scale <= 14);  // RFC 7323 section 2.3
    scale_ = scale;
    seq_ = s.seq;
    field_ = s.window;
    bytes_ = most_bytes_ = std::uint32_t{s.window} << (s.flags & kSyn ? 0 : scale);
  }

  // A window is accepted if its ACK is newer, or if it is larger than the current one (RFC 9293;
  // Linux since 6.7 also accepts a zero window). A gateway's reduction on an ACK that acknowledges
  // nothing therefore has no effect.
  void update(const Segment& s, bool acknowledges) {
    field_ = s.window;
    const std::uint32_t window = static_cast<std::uint32_t>(s.window) << scale_;
    const bool newer = acknowledges || (s.seq != seq_ && not_older(s.seq, seq_));
    if (!newer && window <= bytes_ && window != 0) return;
    bytes_ = window;
    seq_ = s.seq;
    most_bytes_ = std::max(most_bytes_, window);
    PST_ENSURE(bytes_ <= most_bytes_);
    PST_ENSURE(bytes_ >> scale_ == s.window);
  }

  // Whether its field is not that of the ACK before.
  bool differs(const Segment& s) const { return s.window != field_; }
  std::uint32_t bytes() const { return bytes_; }
  std::uint32_t most_bytes() const { return most_bytes_; }  // ever

 private:
  std::uint32_t bytes_ = 0;
  std::uint32_t most_bytes_ = 0;
  std::uint32_t seq_ = 0;  // SND.WL1
  std::uint16_t field_ = 0;
  std::uint8_t scale_ = 0;
};

}  // namespace penstock::tcp
