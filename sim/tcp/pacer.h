// SPDX-License-Identifier: GPL-2.0-only
// The gaps between bursts of a sender that paces. Owns the time of the next burst; is told what
// leaves; answers whether more may leave now, and when the sender is to be called again.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base.h"
#include "core/sender/sender.h"
#include "sim/tcp/config.h"

namespace penstock::tcp {

class Pacer {
 public:
  void begin() { blocked_ = false; }  // the sender looks at what it may send
  bool allows(std::uint64_t now_ns) {
    blocked_ = now_ns < at_ns_;
    PST_ENSURE(blocked_ == (wait_ns(now_ns) > 0));
    return !blocked_;
  }
  bool blocked() const { return blocked_; }
  std::uint64_t timer_ns() const { return blocked_ ? at_ns_ : kNever; }
  std::uint64_t wait_ns(std::uint64_t now_ns) const { return pst_sub_floor(at_ns_, now_ns); }

  // `bytes` leave. The gap after `burst_segments` spreads `gain_percent` of a window over a round
  // trip.
  void spread(std::uint32_t bytes, std::uint32_t burst_segments, std::uint64_t gain_percent,
              std::uint64_t window_bytes, std::uint64_t srtt_ns, std::uint64_t now_ns) {
    PST_REQUIRE(gain_percent > 0 && window_bytes > 0);
    PST_REQUIRE(burst_segments_ <= burst_segments);
    burst_bytes_ += bytes;
    if (++burst_segments_ < burst_segments) return;
    at_ns_ = now_ns + srtt_ns * burst_bytes_ * 100 / (gain_percent * window_bytes);
    burst_segments_ = burst_bytes_ = 0;
    PST_ENSURE(at_ns_ >= now_ns);
  }

  // The same at a rate. A burst that left late has up to half of its gap behind it.
  void keep_rate(std::uint32_t bytes, const struct pst_pacing& p, std::uint64_t now_ns) {
    burst_bytes_ += bytes;
    if (burst_bytes_ < p.burst_bytes) return;
    PST_REQUIRE(p.bytes_per_s > 0);
    const std::uint64_t gap_ns = pst_mul_div(burst_bytes_, PST_NS_PER_S, p.bytes_per_s);
    const std::uint64_t late_ns = pst_sub_floor(now_ns, at_ns_);
    at_ns_ = now_ns + gap_ns - std::min(gap_ns / 2, late_ns);
    PST_ENSURE(at_ns_ >= now_ns);
    burst_bytes_ = 0;
  }

 private:
  std::uint64_t at_ns_ = 0;  // next transmission allowed
  std::uint32_t burst_segments_ = 0;  // sent since the last gap
  std::uint32_t burst_bytes_ = 0;
  bool blocked_ = false;
};

}  // namespace penstock::tcp
