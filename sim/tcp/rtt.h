// SPDX-License-Identifier: GPL-2.0-only
// Round-trip time and retransmission timeout, RFC 6298. The caller applies Karn's rule (section
// 3) and passes only unambiguous samples.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base.h"
#include "sim/tcp/config.h"

namespace penstock::tcp {

class RttEstimator {
 public:
  // Section 2.2 and 2.3 with alpha = 1/8, beta = 1/4.
  void sample(std::uint64_t rtt_ns) {
    if (srtt_ns_ == 0) {
      srtt_ns_ = std::max<std::uint64_t>(rtt_ns, 1);
      rttvar_ns_ = rtt_ns / 2;
      min_rtt_ns_ = srtt_ns_;
      return;
    }
    const std::uint64_t error = rtt_ns > srtt_ns_ ? rtt_ns - srtt_ns_ : srtt_ns_ - rtt_ns;
    PST_REQUIRE(rtt_ns < std::uint64_t{1} << 48);
    rttvar_ns_ = rttvar_ns_ - rttvar_ns_ / 4 + error / 4;
    srtt_ns_ = std::max<std::uint64_t>(srtt_ns_ - srtt_ns_ / 8 + rtt_ns / 8, 1);
    min_rtt_ns_ = std::min(min_rtt_ns_, std::max<std::uint64_t>(rtt_ns, 1));
    PST_ENSURE(is_sound());
  }

  // `initial_ns` before the first sample; then SRTT + max(G, 4 RTTVAR), at least
  // the minimum, doubled `backoff` times (5.5), at most the maximum (2.5).
  std::uint64_t rto_ns(const SenderConfig& c, std::uint64_t initial_ns, unsigned backoff) const {
    std::uint64_t rto = initial_ns;
    if (srtt_ns_ != 0) {
      rto = std::max(srtt_ns_ + std::max(c.rto_granularity_ns, 4 * rttvar_ns_), c.min_rto_ns);
    }
    for (; backoff > 0 && rto < c.max_rto_ns; --backoff) rto *= 2;
    PST_ENSURE(rto > 0);
    return std::min(rto, c.max_rto_ns);
  }

  // Replaces the estimate by that of other connections on the same path.
  void set(std::uint64_t srtt_ns, std::uint64_t rttvar_ns) {
    if (srtt_ns == 0) return;
    PST_REQUIRE(is_sound() && srtt_ns < std::uint64_t{1} << 48);
    srtt_ns_ = srtt_ns;
    rttvar_ns_ = rttvar_ns;
    if (min_rtt_ns_ == 0) min_rtt_ns_ = srtt_ns;
  }

  // At both ends of each event: a least round trip is known as soon as a smoothed one is.
  bool is_sound() const { return (srtt_ns_ == 0) == (min_rtt_ns_ == 0); }

  std::uint64_t rttvar_ns() const { return rttvar_ns_; }
  std::uint64_t srtt_ns() const { return srtt_ns_; }  // 0 before the first sample
  std::uint64_t min_rtt_ns() const { return min_rtt_ns_; }

 private:
  std::uint64_t srtt_ns_ = 0;
  std::uint64_t rttvar_ns_ = 0;
  std::uint64_t min_rtt_ns_ = 0;
};

}  // namespace penstock::tcp
