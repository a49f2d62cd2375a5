// SPDX-License-Identifier: GPL-2.0-only
// Sequence numbers (RFC 9293 section 3.4). Inside an endpoint a position in the stream is a
// 64-bit offset: 0 is the SYN, 1 the first byte of payload. Only segments have 32 bits, so
// wrapping is handled here and nowhere else.
#pragma once

#include <cstdint>

namespace penstock::tcp {

constexpr std::uint32_t wrap(std::uint64_t offset, std::uint32_t initial_seq) {
  return initial_seq + static_cast<std::uint32_t>(offset);
}

// The offset nearest to `near` that `seq` may denote. Numbers before the SYN become huge and so
// fall beyond any window.
constexpr std::uint64_t unwrap(std::uint32_t seq, std::uint32_t initial_seq, std::uint64_t near) {
  const auto step = static_cast<std::int32_t>(seq - wrap(near, initial_seq));
  return near + static_cast<std::uint64_t>(static_cast<std::int64_t>(step));
}

// Order of timestamps modulo 2^32 (RFC 7323 section 5.2).
constexpr bool not_older(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) >= 0;
}

// The clock of the timestamps option: microseconds, as Linux offers them.
constexpr std::uint32_t timestamp_us(std::uint64_t now_ns) {
  return static_cast<std::uint32_t>(now_ns / 1000);
}

// A host's own: RFC 7323 section 5.4 allows ticks from 1 ms to 1 s, and Linux has 1 us as well.
struct TimestampClock {
  std::uint64_t tick_ns = 1000;
  std::int32_t skew_ppm = 0;  // that it is fast

  constexpr std::uint32_t at(std::uint64_t now_ns) const {
    const auto gain = static_cast<std::int64_t>(now_ns / 1'000'000) * skew_ppm;
    return static_cast<std::uint32_t>((now_ns + static_cast<std::uint64_t>(gain)) / tick_ns);
  }
  // Since the time of which `echoed` tells; a tick at least, where it is longer than Linux'.
  constexpr std::uint64_t since_ns(std::uint32_t echoed, std::uint64_t now_ns) const {
    const std::uint32_t ticks = at(now_ns) - echoed;
    return std::uint64_t{ticks || tick_ns <= 1000 ? ticks : 1} * tick_ns;
  }
};

}  // namespace penstock::tcp
