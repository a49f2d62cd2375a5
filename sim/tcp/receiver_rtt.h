// SPDX-License-Identifier: GPL-2.0-only
// Round trips as a receiver sees them. Owns what it times. Is told of arriving segments; answers
// the time from our timestamp to its echo, or that in which a whole window arrives.
#pragma once

#include <cstdint>

#include "core/base.h"
#include "sim/tcp/segment.h"
#include "sim/tcp/seq.h"

namespace penstock::tcp {

class ReceiverRtt {
 public:
  void start_syn(std::uint64_t now_ns) { since_ns_ = now_ns; }
  std::uint64_t since_syn_ns(std::uint64_t now_ns) const { return now_ns - since_ns_; }

  // True for the first segment with its echo; `rtt_ns` is the sample.
  bool by_echo(const Segment& s, TimestampClock clock, std::uint64_t now_ns,
               std::uint64_t& rtt_ns) {
    if (s.ts_ecr == echoed_) return false;
    echoed_ = s.ts_ecr;
    rtt_ns = clock.since_ns(s.ts_ecr, now_ns);
    return true;
  }
  // True if the window ends that was granted when the last one ended; `rtt_ns` is its time. The
  // first one only begins.
  bool by_window(std::uint64_t next, std::uint64_t edge, std::uint64_t now_ns,
                 std::uint64_t& rtt_ns) {
    const bool first = end_ == 0;
    if (!first && next < end_) return false;
    PST_REQUIRE(now_ns >= since_ns_ && next <= edge);
    rtt_ns = now_ns - since_ns_;
    end_ = edge;
    since_ns_ = now_ns;
    return !first;
  }

 private:
  std::uint64_t end_ = 0;
  std::uint64_t since_ns_ = 0;
  std::uint32_t echoed_ = 0;
};

}  // namespace penstock::tcp
