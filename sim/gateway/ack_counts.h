// SPDX-License-Identifier: GPL-2.0-only
// The counts of a gateway's decisions about ACKs. Owns the counts and the last window; is told of
// each ACK with its result.
#pragma once

#include <array>
#include <cstdint>

#include "core/gateway/gateway.h"
#include "sim/tcp/segment.h"

namespace penstock::gateway {

struct Counters {
  std::uint64_t acks_seen = 0;
  std::uint64_t acks_rewritten = 0;
  std::uint64_t window_bytes_sum = 0;  // as sent on, over acks_seen
  std::array<std::uint64_t, PST_LIMIT_COUNT> acks_by{};
};

class AckCounts {
 public:
  void begin() { counters_ = {}; }
  // An ACK, whose window becomes that of `out`; `scale` is that of its receiver.
  void count(const tcp::Segment& ack, const pst_rewrite& out, std::uint8_t scale) {
    PST_REQUIRE(out.limit < PST_LIMIT_COUNT && scale <= PST_MAX_SCALE);
    ++counters_.acks_seen;
    ++counters_.acks_by[out.limit];
    if (out.field != ack.window) ++counters_.acks_rewritten;
    last_window_bytes_ = static_cast<std::uint64_t>(out.field)
                         << (ack.flags & tcp::kSyn ? 0 : scale);
    counters_.window_bytes_sum += last_window_bytes_;
    PST_ENSURE(counters_.acks_rewritten <= counters_.acks_seen);
  }

  const Counters& counters() const { return counters_; }
  std::uint64_t last_window_bytes() const { return last_window_bytes_; }

 private:
  std::uint64_t last_window_bytes_ = 0;
  Counters counters_;
};

}  // namespace penstock::gateway
