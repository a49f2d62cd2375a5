// SPDX-License-Identifier: GPL-2.0-only
// Round-trip time and the times that follow from it: RFC 9002 sections 5, 6.1.2 and 6.2.1. Packet
// numbers never repeat, so each sample is unambiguous.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base.h"

namespace penstock::quic {

class Rtt {
 public:
  // From the packet with the largest number that an ACK newly acknowledges, if it is the largest of
  // the frame. `ack_delay_ns` is the peer's, at most its max_ack_delay.
  void sample(std::uint64_t rtt_ns, std::uint64_t ack_delay_ns) {
    latest_ns_ = std::max<std::uint64_t>(rtt_ns, 1);
    if (smoothed_ns_ == 0) {
      smoothed_ns_ = min_ns_ = latest_ns_;
      var_ns_ = latest_ns_ / 2;
      return;
    }
    min_ns_ = std::min(min_ns_, latest_ns_);
    const std::uint64_t adjusted_ns =
        latest_ns_ >= min_ns_ + ack_delay_ns ? latest_ns_ - ack_delay_ns : latest_ns_;
    const std::uint64_t error_ns =
        adjusted_ns > smoothed_ns_ ? adjusted_ns - smoothed_ns_ : smoothed_ns_ - adjusted_ns;
    var_ns_ = var_ns_ - var_ns_ / 4 + error_ns / 4;
    smoothed_ns_ = smoothed_ns_ - smoothed_ns_ / 8 + adjusted_ns / 8;
    PST_ENSURE(min_ns_ > 0 && min_ns_ <= latest_ns_);
    PST_ENSURE(adjusted_ns <= latest_ns_);
  }

  bool known() const { return smoothed_ns_ != 0; }
  std::uint64_t smoothed_ns() const { return smoothed_ns_; }  // 0 before the first sample
  std::uint64_t min_ns() const { return min_ns_; }

  // The probe timeout, without its backoff.
  std::uint64_t pto_ns(std::uint64_t max_ack_delay_ns) const {
    return smoothed_ns_ + std::max(4 * var_ns_, kGranularityNs) + max_ack_delay_ns;
  }
  // A packet sent so long before one that is acknowledged is lost.
  std::uint64_t loss_delay_ns() const {
    const std::uint64_t rtt_ns = std::max(latest_ns_, smoothed_ns_);
    return std::max(rtt_ns + rtt_ns / 8, kGranularityNs);
  }

 private:
  static constexpr std::uint64_t kGranularityNs = 1'000'000;

  std::uint64_t latest_ns_ = 0;
  std::uint64_t smoothed_ns_ = 0;
  std::uint64_t var_ns_ = 0;
  std::uint64_t min_ns_ = 0;
};

}  // namespace penstock::quic
