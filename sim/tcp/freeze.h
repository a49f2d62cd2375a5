// SPDX-License-Identifier: GPL-2.0-only
// Freeze-TCP: Goff et al., "Freeze-TCP: A True End-to-End TCP Enhancement Mechanism for Mobile
// Environments", INFOCOM 2000, as nis-2004 section 15.3.4 extends it. A receiver that knows when
// it will lose its cell closes its window one round trip before, and sends the last ACK three
// times when it has a cell again; a timer repeats them until data arrives.
#pragma once

#include <cstdint>

#include "sim/tcp/config.h"

namespace penstock::tcp {

class Freeze {
 public:
  static constexpr unsigned kCopies = 3;  // of the ACK that wakes the sender

  explicit Freeze(const ReceiverConfig& config) : config_(&config) {}

  // RFC 6298 (2.3): an eighth of each new sample.
  void on_round_trip(std::uint64_t rtt_ns) {
    srtt_ns_ = srtt_ns_ ? (7 * srtt_ns_ + rtt_ns) / 8 : rtt_ns;
  }

  void expect_handover(std::uint64_t at_ns) { handover_ns_ = at_ns; }

  // Whether an ACK sent now closes the window.
  bool closes(std::uint64_t now_ns) const {
    return now_ns < handover_ns_ && handover_ns_ - now_ns <= srtt_ns_;
  }

  void begin() { wakes_ = 0; }

  // The three ACKs are sent now; arms the timer that repeats them.
  void on_wake(std::uint64_t now_ns) {
    PST_REQUIRE(wakes_ < config_->freeze_wakes || wakes_ == 0);
    ++wakes_;
    wake_ns_ = wakes_ < config_->freeze_wakes ? now_ns + wait_ns() : kNever;
    PST_ENSURE(wake_ns_ > now_ns);
  }

  void on_data() { wake_ns_ = kNever; }

  std::uint64_t wake_ns() const { return wake_ns_; }

 private:
  static constexpr std::uint64_t kUnknownNs = 1'000'000'000;  // RFC 6298 (2.1)

  std::uint64_t wait_ns() const {
    return config_->freeze_wake_rtts * (srtt_ns_ ? srtt_ns_ : kUnknownNs);
  }

  const ReceiverConfig* config_;
  std::uint64_t srtt_ns_ = 0;  // 0: no sample yet
  std::uint64_t handover_ns_ = kNever;
  std::uint64_t wake_ns_ = kNever;
  std::uint32_t wakes_ = 0;
};

}  // namespace penstock::tcp
