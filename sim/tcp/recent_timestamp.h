// SPDX-License-Identifier: GPL-2.0-only
// TS.Recent, the peer's timestamp that an end echoes: RFC 7323 sections 4.3 and 5.5. Owns it and
// its age. Is told of timestamps that arrive; answers the one to echo.
#pragma once

#include <cstdint>

#include "sim/tcp/seq.h"

namespace penstock::tcp {

class RecentTimestamp {
 public:
  // Of the handshake.
  void set(std::uint32_t ts_val, std::uint64_t now_ns) {
    value_ = ts_val;
    taken_ = time(now_ns);
  }
  // Unless it is older than the last one, which is only known while that is recent.
  void take(std::uint32_t ts_val, std::uint64_t now_ns) {
    if (not_older(ts_val, value_) || time(now_ns) - taken_ > kRecent) set(ts_val, now_ns);
  }
  std::uint32_t value() const { return value_; }

 private:
  // Half of the time after which the order of timestamps turns, in units of 2^30 ns.
  static constexpr std::uint32_t kRecent = 1'000;
  static constexpr std::uint32_t time(std::uint64_t now_ns) {
    return static_cast<std::uint32_t>(now_ns >> 30);
  }

  std::uint32_t value_ = 0;
  std::uint32_t taken_ = 0;
};

}  // namespace penstock::tcp
