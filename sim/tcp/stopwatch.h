// SPDX-License-Identifier: GPL-2.0-only
// Times one segment at a time, for senders without timestamps: RFC 6298 section 3. Karn's rule: a
// retransmission invalidates the measurement.
#pragma once

#include <cstdint>

#include "core/base.h"

namespace penstock::tcp {

class Stopwatch {
 public:
  void start_syn(std::uint64_t now_ns) { at_ns_ = now_ns; }
  std::uint64_t since_syn_ns(std::uint64_t now_ns) const {
    PST_REQUIRE(now_ns >= at_ns_);
    return now_ns - at_ns_;
  }

  // Data up to offset `end` leaves, `again` or for the first time.
  void on_send(std::uint64_t end, bool again, std::uint64_t now_ns) {
    if (again) {
      running_ = false;
    } else if (!running_) {
      PST_REQUIRE(end > end_ && now_ns >= at_ns_);
      running_ = true;
      end_ = end;
      at_ns_ = now_ns;
    }
  }

  // True if `ack` covers the segment; `rtt_ns` is its round trip.
  bool on_ack(std::uint64_t ack, std::uint64_t now_ns, std::uint64_t& rtt_ns) {
    if (!running_ || ack < end_) return false;
    PST_REQUIRE(now_ns >= at_ns_);
    running_ = false;
    rtt_ns = now_ns - at_ns_;
    return true;
  }

 private:
  std::uint64_t end_ = 0;
  std::uint64_t at_ns_ = 0;
  bool running_ = false;
};

}  // namespace penstock::tcp
