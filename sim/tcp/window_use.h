// SPDX-License-Identifier: GPL-2.0-only
// Whether a sender uses its congestion window, so that this may grow: RFC 7661 section 4.3, as
// Linux reads it. Owns what the last window of data has shown; is told of each round of sending.
// cwnd must not grow without bound while the peer or a gateway keeps the window small.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/sender/sender.h"

namespace penstock::tcp {

class WindowUse {
 public:
  explicit WindowUse(bool counts_early = false) : counts_early_(counts_early) {}

  void begin() { full_ = false; }     // of a round of sending
  void find_full() { full_ = true; }  // cwnd ends it
  bool full() const { return full_; }
  bool limited() const { return limited_; }  // by cwnd, in the last window of data

  // The end of the round. What is noted describes the last window of data, so that a single ACK
  // with nothing to send does not clear it, as in Linux.
  void note(std::uint64_t una, std::uint64_t sent, bool nearly_full) {
    PST_REQUIRE(una <= sent);
    const std::uint64_t flight = sent - una;
    const bool limited = full_ || nearly_full;
    if (una < until_ && !limited && (limited_ || flight <= most_flight_bytes_)) return;
    limited_ = limited;
    most_flight_bytes_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(flight, UINT32_MAX));
    until_ = sent;
    PST_ENSURE(una <= until_);
  }

  // Bytes of which duplicate ACKs tell before the ACK that covers them, which then counts less:
  // PST_GROWTH_DELIVERED.
  void tell_early(std::uint64_t bytes) {
    if (!counts_early_) return;
    PST_REQUIRE(bytes <= UINT32_MAX - early_bytes_);
    early_bytes_ += static_cast<std::uint32_t>(bytes);
  }
  void forget_early() { early_bytes_ = 0; }
  std::uint64_t take_early(std::uint64_t acked) {
    const auto early = static_cast<std::uint32_t>(std::min<std::uint64_t>(early_bytes_, acked));
    PST_ENSURE(early <= early_bytes_ && early <= acked);
    early_bytes_ -= early;
    return acked - early;
  }

  // cwnd was the limit, or, in slow start, half of it was used.
  bool permits_growth(const struct pst_cwnd& cwnd) const {
    PST_REQUIRE(cwnd.bytes > 0);
    return limited_ || (cwnd.bytes < cwnd.ssthresh_bytes && cwnd.bytes < 2ULL * most_flight_bytes_);
  }

 private:
  std::uint64_t until_ = 0;  // end of the window of data that is observed
  std::uint32_t most_flight_bytes_ = 0;  // in it
  std::uint32_t early_bytes_ = 0;
  bool counts_early_;
  bool full_ = false;
  bool limited_ = false;  // in it, by cwnd
};

}  // namespace penstock::tcp
